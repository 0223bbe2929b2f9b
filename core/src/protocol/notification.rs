//! The notifications that a server sends.

use std::sync::Arc;

use super::json_write;
use super::log_level::LogLevel;
use super::message::Message;
use super::request_id::RequestId;

/// The kind of change that a subscription announces.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Change {
    /// The list of tools changed.
    Tools,
    /// The list of prompts changed.
    Prompts,
    /// The list of resources, or that of resource templates, changed.
    Resources,
    /// The content of the resource with this URI changed.
    Resource(Arc<str>),
}

impl Change {
    /// The method of the notification that tells it.
    pub fn method(&self) -> &'static str {
        match self {
            Change::Tools => "notifications/tools/list_changed",
            Change::Prompts => "notifications/prompts/list_changed",
            Change::Resources => "notifications/resources/list_changed",
            Change::Resource(_) => "notifications/resources/updated",
        }
    }
}

/// `notifications/progress`. `token` is the client's token as JSON text; the numbers must be finite.
///
/// Specification: basic/patterns/progress.
pub fn progress(token: &[u8], progress: f64, total: Option<f64>, message: Option<&str>) -> Message {
    let mut out = begin("notifications/progress");
    out.extend_from_slice(b"\"progressToken\":");
    out.extend_from_slice(token);
    out.extend_from_slice(b",\"progress\":");
    json_write::number(&mut out, progress);
    if let Some(total) = total {
        out.extend_from_slice(b",\"total\":");
        json_write::number(&mut out, total);
    }
    if let Some(message) = message {
        out.extend_from_slice(b",\"message\":");
        json_write::string(&mut out, message);
    }
    end(out)
}

/// `notifications/message`. `data` is JSON text without line breaks.
///
/// Specification: server/utilities/logging.
pub fn log_message(level: LogLevel, logger: Option<&str>, data: &[u8]) -> Message {
    let mut out = begin("notifications/message");
    out.extend_from_slice(b"\"level\":\"");
    out.extend_from_slice(level.name().as_bytes());
    out.push(b'"');
    if let Some(logger) = logger {
        out.extend_from_slice(b",\"logger\":");
        json_write::string(&mut out, logger);
    }
    out.extend_from_slice(b",\"data\":");
    out.extend_from_slice(data);
    end(out)
}

/// `notifications/subscriptions/acknowledged`: the first message of a subscription. `honoured` is the
/// filter that the server agreed to, as JSON text.
///
/// Specification: basic/patterns/subscriptions, "Acknowledgment".
pub fn acknowledged(subscription: &RequestId, honoured: &[u8]) -> Message {
    let mut out = begin("notifications/subscriptions/acknowledged");
    subscription_meta(&mut out, subscription);
    out.extend_from_slice(b",\"notifications\":");
    out.extend_from_slice(honoured);
    end(out)
}

/// The notification that announces `change`: on a subscription, or to a session of the legacy era.
pub fn changed(change: &Change, subscription: Option<&RequestId>) -> Message {
    let mut out = begin(change.method());
    if let Some(subscription) = subscription {
        subscription_meta(&mut out, subscription);
    }
    if let Change::Resource(uri) = change {
        out.extend_from_slice(if subscription.is_some() { b",\"uri\":" } else { b"\"uri\":" });
        json_write::string(&mut out, uri);
    }
    end(out)
}

/// `notifications/cancelled`, with which a server ends a subscription on stdio, or a request of its own.
///
/// Specification: basic/patterns/cancellation.
pub fn cancelled(request: &RequestId, reason: Option<&str>) -> Message {
    let mut out = begin("notifications/cancelled");
    out.extend_from_slice(b"\"requestId\":");
    request.write(&mut out);
    if let Some(reason) = reason {
        out.extend_from_slice(b",\"reason\":");
        json_write::string(&mut out, reason);
    }
    end(out)
}

/// `notifications/elicitation/complete`: what the client was sent to a page for is done.
///
/// Specification: 2025-11-25, client/elicitation, "Completion Notifications for URL Mode Elicitation".
pub fn elicitation_complete(id: &str) -> Message {
    let mut out = begin("notifications/elicitation/complete");
    out.extend_from_slice(b"\"elicitationId\":");
    json_write::string(&mut out, id);
    end(out)
}

/// Appends `"_meta":{...}` that names a subscription.
pub fn subscription_meta(out: &mut Vec<u8>, subscription: &RequestId) {
    out.extend_from_slice(b"\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":");
    subscription.write(out);
    out.push(b'}');
}

fn begin(method: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(192);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"method\":\"");
    out.extend_from_slice(method.as_bytes());
    out.extend_from_slice(b"\",\"params\":{");
    out
}

fn end(mut out: Vec<u8>) -> Message {
    out.extend_from_slice(b"}}");
    Message::whole(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::{Value, json};

    fn read(message: Message) -> Value {
        serde_json::from_slice(&message.parts().concat()).unwrap()
    }

    #[test]
    fn writes_each_notification_as_the_protocol_has_it() {
        let id = RequestId::Text("a\"b".into());
        assert_eq!(
            read(progress(b"\"t\"", 0.5, Some(1.0), Some("half \"done\""))),
            json!({"jsonrpc": "2.0", "method": "notifications/progress",
                "params": {"progressToken": "t", "progress": 0.5, "total": 1, "message": "half \"done\""}})
        );
        assert_eq!(
            read(log_message(LogLevel::Error, Some("db"), b"{\"a\":1}"))["params"],
            json!({"level": "error", "logger": "db", "data": {"a": 1}})
        );
        assert_eq!(
            read(acknowledged(&id, b"{\"toolsListChanged\":true}"))["params"],
            json!({"_meta": {"io.modelcontextprotocol/subscriptionId": "a\"b"},
                "notifications": {"toolsListChanged": true}})
        );
        let message = read(changed(&Change::Tools, Some(&RequestId::Integer(1))));
        assert_eq!(message["method"], "notifications/tools/list_changed");
        assert_eq!(message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 1);
        let updated = changed(&Change::Resource("a:b".into()), None);
        assert_eq!(read(updated)["params"], json!({"uri": "a:b"}));
        assert_eq!(
            read(cancelled(&id, Some("why")))["params"],
            json!({"requestId": "a\"b", "reason": "why"})
        );
    }
}
