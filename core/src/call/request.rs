//! What a call is asked: of what, with which arguments, by whom, and what earlier rounds brought.

use std::sync::Arc;

use bytes::Bytes;

use super::arguments::Arguments;
use super::headers::{Attachment, Headers};
use super::rounds::Carried;
use super::subject::Subject;
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::revision::Revision;

/// A request that a handler answers.
pub struct CallRequest {
    /// What is called.
    pub subject: Subject,
    /// With what.
    pub arguments: Arguments,
    /// By whom.
    pub context: RequestContext,
    /// What earlier rounds of it brought; none in a first round without answers.
    pub carried: Option<Box<Carried>>,
}

/// What a request says besides its arguments.
#[derive(Clone)]
pub struct RequestContext {
    /// The request's `_meta`, a JSON object.
    pub meta: Bytes,
    /// The revision that its client speaks.
    pub revision: Revision,
    /// What its client declared.
    pub capabilities: ClientCapabilities,
    /// Its HTTP headers, where it came by HTTP.
    pub headers: Option<Arc<dyn Headers>>,
    /// On whose behalf the request comes, as the host says.
    pub principal: Option<Arc<str>>,
}

impl RequestContext {
    /// What the host's own web server attached to the request.
    pub fn attachment(&self) -> Option<&Attachment> {
        self.headers.as_ref()?.attachment()
    }
}
