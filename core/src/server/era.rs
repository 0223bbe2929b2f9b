//! Which door a request takes.

use crate::call::headers::Headers;
use crate::protocol::frame::{Params, Request};
use crate::protocol::revision::Revision;

/// The two ways in which a client and the server know one another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// Each request says its revision and what its client can (2026-07-28).
    Modern,
    /// A client says so once, in `initialize`, and keeps a session.
    Legacy,
}

impl Era {
    /// The era of a request that came by HTTP: modern if its `_meta` names a revision, or if the header names
    /// 2026-07-28 or one that is not known; but `initialize` without such a `_meta` opens a session whatever the
    /// header says.
    pub fn over_http(request: &Request, headers: &dyn Headers) -> Era {
        if names_a_revision(&request.params) {
            return Era::Modern;
        }
        if request.method.as_str() == "initialize" {
            return Era::Legacy;
        }
        let header =
            headers.value("mcp-protocol-version", 0).and_then(|bytes| std::str::from_utf8(bytes).ok());
        match header {
            Some(name) if Revision::named_for_negotiation(name).is_none() => Era::Modern,
            _ => Era::Legacy,
        }
    }

    /// The era of a request that came by a channel of one client's: modern if its `_meta` names a revision, or if no
    /// other has its method. What is neither is of the session, if there is one, or opens it; the rest is taken for a
    /// modern request that lacks its `_meta`.
    pub fn over_channel(request: &Request, has_session: bool) -> Era {
        let method = request.method.as_str();
        let is_modern = names_a_revision(&request.params)
            || matches!(method, "server/discover" | "subscriptions/listen")
            || !has_session && method != "initialize";
        if is_modern { Era::Modern } else { Era::Legacy }
    }
}

fn names_a_revision(params: &Params) -> bool {
    params.meta.as_ref().is_some_and(|meta| meta.protocol_version.is_some())
}
