//! What a call is asked: of what, with which arguments, by whom, and what earlier rounds brought.

use std::sync::Arc;

use bytes::Bytes;

use super::arguments::Arguments;
use super::headers::{Attachment, Headers};
use super::rounds::Carried;
use super::subject::Subject;
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::json_members;
use crate::protocol::revision::Revision;

/// Where a request of the modern era says which program its client is.
///
/// Specification: basic, "Per-request protocol fields".
const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";

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
    /// What its client said of itself when its session began, an `Implementation` object: in the legacy era.
    pub introduction: Option<Bytes>,
    /// Its HTTP headers, where it came by HTTP.
    pub headers: Option<Arc<dyn Headers>>,
    /// On whose behalf the request comes, as the host says.
    pub principal: Option<Arc<str>>,
}

impl RequestContext {
    /// Which program the client is, as it says itself: an `Implementation` object.
    pub fn client_info(&self) -> Option<Bytes> {
        if self.introduction.is_some() {
            return self.introduction.clone();
        }
        let info = json_members::get(&self.meta, CLIENT_INFO)?;
        info.starts_with(b"{").then(|| self.meta.slice_ref(info))
    }

    /// What the host's own web server attached to the request.
    pub fn attachment(&self) -> Option<&Attachment> {
        self.headers.as_ref()?.attachment()
    }
}
