//! The way out of one call in the modern era: its progress, its log messages and its result.

use std::sync::Arc;

use bytes::Bytes;

use crate::call::outcome::Outcome;
use crate::call::outlet::Outlet;
use crate::protocol::json_scan::{JsonFault, Scanner};
use crate::protocol::log_level::LogLevel;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::notification;
use crate::protocol::request_id::RequestId;
use crate::protocol::tool_result::ToolResult;
use crate::runtime::lock::Mutex;
use crate::server::concurrency::Place;
use crate::server::identity::Identity;
use crate::server::outbox::Outbox;

/// Content of at least this many bytes is sent from where it lies instead of being copied into the answer.
const SEPARATE_PART: usize = 16 << 10;

/// Writes what a call says for a client of the modern era.
pub struct Reply {
    /// The request to answer.
    pub id: RequestId,
    /// The client's progress token as JSON text.
    pub progress_token: Option<Bytes>,
    /// The least severe log message that the client wants.
    pub log_level: Option<LogLevel>,
    /// Who answers.
    pub identity: Option<Arc<Identity>>,
    /// Where the messages go.
    pub outbox: Arc<dyn Outbox>,
    /// The place among the calls in flight: given back when the handler finishes, or else when the call is
    /// dropped, as the handler of a call that was cancelled or took too long may still be at work.
    pub place: Mutex<Option<Place>>,
}

impl Outlet for Reply {
    fn wants_progress(&self) -> bool {
        self.progress_token.is_some()
    }

    fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) {
        if let Some(token) = &self.progress_token {
            self.outbox.notify(notification::progress(token, progress, total, message), None);
        }
    }

    fn wants_log(&self, level: LogLevel) -> bool {
        self.log_level.is_some_and(|least| level >= least)
    }

    fn log(&self, level: LogLevel, logger: Option<&str>, data: &[u8]) {
        self.outbox.notify(notification::log_message(level, logger, data), None);
    }

    fn handler_is_done(&self) {
        drop(self.place.lock().take());
    }

    fn finish(&self, outcome: Outcome) {
        self.outbox.answer(match outcome {
            Outcome::Result(result) => Answer { message: self.result(result), status: AnswerStatus::Ok },
            Outcome::Error(error) => error.answer(Some(&self.id)),
        });
    }
}

impl Reply {
    fn result(&self, mut result: ToolResult) -> Message {
        let content = result.content.take().unwrap_or_default();
        let separate = content.len() >= SEPARATE_PART;
        let structured = result.structured.as_ref().map_or(0, Vec::len);
        let inline = if separate { 0 } else { content.len() };
        let mut head = Vec::with_capacity(320 + inline + structured);
        head.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        self.id.write(&mut head);
        head.extend_from_slice(b",\"result\":{\"content\":[");
        if separate {
            let mut tail = Vec::with_capacity(320 + structured);
            self.behind_content(&mut tail, &result);
            return Message::around(head, content.into(), tail);
        }
        head.extend_from_slice(&content);
        self.behind_content(&mut head, &result);
        Message::whole(head)
    }

    fn behind_content(&self, out: &mut Vec<u8>, result: &ToolResult) {
        out.push(b']');
        if let Some(structured) = &result.structured {
            out.extend_from_slice(b",\"structuredContent\":");
            out.extend_from_slice(structured);
        }
        if result.is_error {
            out.extend_from_slice(b",\"isError\":true");
        }
        out.extend_from_slice(b",\"resultType\":\"complete\"");
        write_meta(out, result.meta.as_deref(), self.identity.as_deref());
        out.extend_from_slice(b"}}");
    }
}

/// Appends `,"_meta":{...}` with the author's members and the server's name, or nothing where both lack.
fn write_meta(out: &mut Vec<u8>, author: Option<&[u8]>, identity: Option<&Identity>) {
    const SERVER_INFO: &[u8] = b"io.modelcontextprotocol/serverInfo";
    match (author, identity) {
        (None, None) => {}
        (None, Some(identity)) => {
            out.push(b',');
            identity.write_meta(out);
        }
        (Some(author), Some(identity)) if !has_member(author, SERVER_INFO) => {
            out.extend_from_slice(b",\"_meta\":{");
            identity.write_member(out);
            let members = author.trim_ascii().strip_prefix(b"{").unwrap_or_default();
            if members.trim_ascii_start() != b"}" {
                out.push(b',');
            }
            out.extend_from_slice(members);
        }
        (Some(author), _) => {
            out.extend_from_slice(b",\"_meta\":");
            out.extend_from_slice(author);
        }
    }
}

fn has_member(object: &[u8], name: &[u8]) -> bool {
    let mut found = false;
    let visited = Scanner::new(object, 0).object::<JsonFault>(|scanner, key| {
        found |= key.text().as_deref() == Some(name);
        scanner.value().map(drop)
    });
    visited.is_ok() && found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn meta(author: Option<&str>, named: bool) -> String {
        let identity = Identity::new("s", "1").unwrap();
        let mut out = Vec::new();
        write_meta(&mut out, author.map(str::as_bytes), named.then_some(&identity));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn names_the_server_beside_the_authors_own_meta() {
        let server = r#""io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}"#;
        let own = r#"{"io.modelcontextprotocol/serverInfo":{"name":"mine","version":"2"}}"#;
        assert_eq!(meta(None, false), "");
        assert_eq!(meta(None, true), format!(",\"_meta\":{{{server}}}"));
        assert_eq!(meta(Some("{}"), true), format!(",\"_meta\":{{{server}}}"));
        assert_eq!(meta(Some("{\"a/b\":1}"), true), format!(",\"_meta\":{{{server},\"a/b\":1}}"));
        assert_eq!(meta(Some("{\"a/b\":1}"), false), ",\"_meta\":{\"a/b\":1}");
        assert_eq!(meta(Some(own), true), format!(",\"_meta\":{own}"));
    }
}
