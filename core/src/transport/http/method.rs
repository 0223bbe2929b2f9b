//! The HTTP methods of the endpoint: POST carries every message, OPTIONS asks for permission. Clients of the older
//! revisions listen by GET, and end their session by DELETE.
//!
//! Specification: Streamable HTTP, "Earlier Streamable HTTP Revisions"; 2025-11-25, "Listening for Messages from the
//! Server" and "Session Management".

use http::header::HeaderValue;
use http::{Method, StatusCode};

use super::refusal::Refusal;

/// What the endpoint's `Allow` header says, where sessions of the older revisions are served or not.
pub(super) fn allowed(sessions: bool) -> HeaderValue {
    HeaderValue::from_static(if sessions { "GET, POST, DELETE, OPTIONS" } else { MODERN })
}

/// What it says to clients that have no session.
const MODERN: &str = "POST, OPTIONS";

/// Refuses a method that is not served.
pub(super) fn refuse(method: &Method) -> Refusal {
    let message = match *method {
        Method::GET => {
            "GET without the header Mcp-Session-Id is not served here: a client listens by a POST of \
             subscriptions/listen, or, since initialize, as that session"
                .into()
        }
        _ => format!("{method} is not served here; every message to the server is a POST"),
    };
    // Not a JSON-RPC error: clients that try the older transports read the status alone.
    Refusal::text(StatusCode::METHOD_NOT_ALLOWED, message).with_allow(MODERN)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn says_what_is_served_instead() {
        for method in ["GET", "DELETE", "HEAD", "PUT", "PATCH", "TRACE", "post", "PROPFIND"] {
            let refusal = refuse(&method.parse().unwrap());
            assert_eq!(refusal.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
            assert!(refusal.message.starts_with(method));
        }
        assert_eq!(allowed(false), "POST, OPTIONS");
        assert!(allowed(true).to_str().unwrap().contains("DELETE"));
    }
}
