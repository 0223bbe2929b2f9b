//! The HTTP methods of the endpoint: POST carries every message, OPTIONS asks for permission.
//!
//! Specification: Streamable HTTP, "Earlier Streamable HTTP Revisions".

use http::{Method, StatusCode};

use super::refusal::Refusal;

/// What the endpoint's `Allow` header says.
pub(super) const ALLOWED: &str = "POST, OPTIONS";

/// Refuses everything but POST. (OPTIONS is answered before.)
pub(super) fn check(method: &Method) -> Result<(), Refusal> {
    if *method == Method::POST {
        return Ok(());
    }
    let message = format!("{method} is not served here; every message to the server is a POST");
    // Not a JSON-RPC error: clients that try the older transports read the status alone.
    Err(Refusal::text(StatusCode::METHOD_NOT_ALLOWED, message).with_allow(ALLOWED))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn serves_post_alone() {
        assert!(check(&Method::POST).is_ok());
        for method in ["GET", "DELETE", "HEAD", "PUT", "PATCH", "TRACE", "post", "PROPFIND"] {
            let refusal = check(&method.parse().unwrap()).unwrap_err();
            assert_eq!(refusal.status, StatusCode::METHOD_NOT_ALLOWED, "{method}");
            assert!(refusal.message.starts_with(method));
        }
    }
}
