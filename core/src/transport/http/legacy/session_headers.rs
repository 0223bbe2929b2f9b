//! The headers of the older revisions, by which a request names its session, the session's revision, and where a
//! stream broke off.
//!
//! Specification: 2025-11-25, Streamable HTTP, "Session Management" and "Protocol Version Header".

use http::StatusCode;
use http::header::{HeaderMap, HeaderName};

use super::event_id::EventId;
use crate::protocol::revision::Revision;
use crate::transport::http::refusal::Refusal;

/// The session that a request belongs to, and that the answer to `initialize` opened.
pub const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");

const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The session that a request names. A request that names two is refused.
pub fn session_id(headers: &HeaderMap) -> Result<Option<&str>, Refusal> {
    once(headers, SESSION_ID, "Mcp-Session-Id")
}

/// Whether a request names a session.
pub fn names_session(headers: &HeaderMap) -> bool {
    headers.contains_key(SESSION_ID)
}

/// Whether a message that is no request is one of the older revisions, modern ones having no use for it: it names a
/// session, or its header no revision of the modern era.
pub fn is_legacy(headers: &HeaderMap) -> bool {
    let modern = |name: &str| match names_session(headers) {
        // With a session, an unknown revision is a mistake that its client is told.
        true => Revision::named_per_request(name).is_some(),
        false => Revision::named_for_negotiation(name).is_none(),
    };
    !named(headers, PROTOCOL_VERSION).is_some_and(modern)
}

/// Refuses a request whose header names another revision than `agreed`, that of its session. Up to 2025-03-26 there
/// was no such header, and clients that send one may mean the newest they know.
pub fn check_revision(headers: &HeaderMap, agreed: Revision) -> Result<(), Refusal> {
    let Some(name) = named(headers, PROTOCOL_VERSION) else { return Ok(()) };
    match Revision::named_for_negotiation(name) {
        Some(revision) if revision == agreed || agreed < Revision::V2025_06_18 => Ok(()),
        _ => {
            let agreed = agreed.name();
            let message = format!(
                "the header MCP-Protocol-Version is \"{name}\", but this session speaks {agreed}; send {agreed}"
            );
            Err(Refusal::new(StatusCode::BAD_REQUEST, message))
        }
    }
}

/// The last event that a client has of the stream that it wants the rest of; `None` if it asks for none.
pub fn last_event(headers: &HeaderMap) -> Result<Option<EventId>, Refusal> {
    let text = once(headers, LAST_EVENT_ID, "Last-Event-ID")?;
    let Some(text) = text.filter(|text| !text.is_empty()) else { return Ok(None) };
    let message = "the header Last-Event-ID is none of this server's; send the id of an event as it came";
    EventId::parse(text).map(Some).ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, message))
}

/// The value of a header that stands there once at most.
fn once<'a>(headers: &'a HeaderMap, name: HeaderName, written: &str) -> Result<Option<&'a str>, Refusal> {
    if headers.get_all(&name).iter().count() > 1 {
        let message = format!("the header {written} is there more than once; send it once");
        return Err(Refusal::new(StatusCode::BAD_REQUEST, message));
    }
    Ok(named(headers, name))
}

/// The value of a header. One that is not ASCII is none of those that are asked for.
fn named(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    headers.get(name).map(|value| value.to_str().unwrap_or("?").trim())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(HeaderName, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.clone(), HeaderValue::from_static(value))).collect()
    }

    #[test]
    fn tells_the_era_of_a_message_by_its_headers() {
        for (session, version, legacy) in [
            (None, None, true),
            (None, Some("2025-06-18"), true),
            (None, Some("2026-07-28"), false),
            (None, Some("2099-01-01"), false),
            (Some("s"), None, true),
            (Some("s"), Some("2025-06-18"), true),
            (Some("s"), Some("2026-07-28"), false),
            (Some("s"), Some("2099-01-01"), true),
        ] {
            let mut pairs = Vec::new();
            pairs.extend(session.map(|id| (SESSION_ID, id)));
            pairs.extend(version.map(|name| (PROTOCOL_VERSION, name)));
            assert_eq!(is_legacy(&headers(&pairs)), legacy, "{session:?} {version:?}");
        }
    }

    #[test]
    fn holds_a_session_to_its_revision_since_there_is_a_header_for_it() {
        for (agreed, version, good) in [
            (Revision::V2025_11_25, "2025-11-25", true),
            (Revision::V2025_11_25, "2025-06-18", false),
            (Revision::V2025_06_18, "2025-11-25", false),
            (Revision::V2025_03_26, "2025-11-25", true),
            (Revision::V2024_11_05, "2025-03-26", true),
            (Revision::V2025_03_26, "2099-01-01", false),
            (Revision::V2025_03_26, "", false),
        ] {
            let checked = check_revision(&headers(&[(PROTOCOL_VERSION, version)]), agreed);
            assert_eq!(checked.is_ok(), good, "{agreed:?} {version}");
        }
        assert!(check_revision(&HeaderMap::new(), Revision::V2025_11_25).is_ok());
    }

    #[test]
    fn reads_where_a_stream_broke_off() {
        let read = |text| last_event(&headers(&[(LAST_EVENT_ID, text)]));
        assert_eq!(read("r3-7").unwrap().unwrap().to_string(), "r3-7");
        assert!(read("").unwrap().is_none());
        assert_eq!(read("7").unwrap_err().status, StatusCode::BAD_REQUEST);
        assert!(last_event(&HeaderMap::new()).unwrap().is_none());
    }
}
