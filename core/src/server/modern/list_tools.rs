//! `tools/list`: a page of the list, written once and sent to everybody who asks.
//!
//! Specification: server/tools, "Listing Tools".

use bytes::Bytes;

use super::door::Visit;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::protocol::json_write;
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::registry::cursor::{self, ListKind};
use crate::registry::tool_list::Page;
use crate::server::in_flight::Handled;
use crate::server::outbox::Outbox;
use crate::server::settings::Settings;

/// Answers the request.
pub fn handle(visit: &Visit<'_>) -> Result<Handled, ProtocolError> {
    let after = read_cursor(&visit.request.params)?;
    let list = visit.server.tools().list();
    let page = list.page(after.as_deref(), |page| write_page(page, &visit.settings));
    let mut head = Vec::with_capacity(64);
    head.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    visit.request.id.write(&mut head);
    head.extend_from_slice(b",\"result\":");
    Ok(complete(&*visit.outbox, Message::around(head, page, Bytes::from_static(b"}"))))
}

/// Sends a result at once.
pub fn complete(outbox: &dyn Outbox, message: Message) -> Handled {
    outbox.answer(Answer { message, status: AnswerStatus::Ok });
    Handled::Answered
}

fn read_cursor(params: &Params) -> Result<Option<String>, ProtocolError> {
    let Some(span) = params.cursor else { return Ok(None) };
    let cursor =
        params.string(span).ok_or_else(|| ProtocolError::invalid_params("params.cursor must be a string"))?;
    let name = cursor::decode(ListKind::Tools, &cursor).ok_or_else(|| {
        ProtocolError::invalid_params("params.cursor is no cursor of tools/list; start again without one")
    })?;
    Ok(Some(name))
}

fn write_page(page: Page<'_>, settings: &Settings) -> Bytes {
    let length: usize = page.tools.iter().map(|tool| tool.listing.len() + 1).sum();
    let mut out = Vec::with_capacity(length + 512);
    out.extend_from_slice(b"{\"tools\":[");
    for (index, tool) in page.tools.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        out.extend_from_slice(&tool.listing);
    }
    out.push(b']');
    if let Some(next) = &page.next {
        out.extend_from_slice(b",\"nextCursor\":");
        json_write::string(&mut out, next);
    }
    out.push(b',');
    settings.tools_cache.write(&mut out);
    out.extend_from_slice(b",\"resultType\":\"complete\"");
    if let Some(identity) = settings.identity_in_results() {
        out.push(b',');
        identity.write_meta(&mut out);
    }
    out.push(b'}');
    out.into()
}
