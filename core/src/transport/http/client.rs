//! Who sends a message, as the head of the request tells.

use std::sync::Arc;

use http::request::Parts;

use super::accept::Accepted;
use super::principal::Principal;
use super::request_headers::RequestHeaders;

/// The sender of a message.
pub(super) struct Client {
    /// The headers.
    pub headers: Arc<RequestHeaders>,
    /// On whose behalf the message comes.
    pub principal: Option<Arc<str>>,
    /// What is accepted as an answer.
    pub accepted: Accepted,
}

impl Client {
    /// The sender of a request with the head `parts`, which accepts `accepted`.
    pub fn new(mut parts: Parts, accepted: Accepted) -> Self {
        let principal = Principal::take(&mut parts.extensions);
        let headers = RequestHeaders::take(&mut parts);
        Client { headers: Arc::new(headers), principal, accepted }
    }
}
