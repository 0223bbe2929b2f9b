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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::HashMap;

    use bytes::Bytes;
    use serde_json::{Value, json};

    use super::*;
    use crate::protocol::frame::{DEFAULT_MAX_DEPTH, Frame};
    use crate::server::conversation::FixedHeaders;

    const VERSION: &str = "io.modelcontextprotocol/protocolVersion";

    fn request(method: &str, params: Value) -> Request {
        let text = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
        match Frame::scan(Bytes::from(text), DEFAULT_MAX_DEPTH).unwrap() {
            Frame::Request(request) => request,
            _ => panic!("not a request"),
        }
    }

    #[test]
    fn over_http_body_and_header_tell_the_era() {
        for (meta, header, era) in [
            (json!({VERSION: "2026-07-28"}), None, Era::Modern),
            (json!({VERSION: "2026-07-28"}), Some("2025-06-18"), Era::Modern),
            (json!({VERSION: "2099-01-01"}), None, Era::Modern),
            (json!({VERSION: 5}), None, Era::Modern),
            (json!({VERSION: null}), None, Era::Legacy),
            (json!({}), Some("2026-07-28"), Era::Modern),
            (json!({}), Some("2099-01-01"), Era::Modern),
            (json!({}), Some(""), Era::Modern),
            (json!({}), Some("2025-11-25"), Era::Legacy),
            (json!({}), Some("2024-11-05"), Era::Legacy),
            (json!({}), None, Era::Legacy),
            (Value::Null, None, Era::Legacy),
            (json!("odd"), None, Era::Legacy),
        ] {
            let request = request("tools/list", json!({"_meta": meta}));
            let named = header.map(|value: &str| ("mcp-protocol-version", value.to_owned()));
            let headers = FixedHeaders(named.into_iter().collect::<HashMap<_, _>>());
            assert_eq!(Era::over_http(&request, &headers), era, "{meta} {header:?}");
        }
    }

    #[test]
    fn over_http_a_session_is_opened_whatever_the_header_says() {
        for header in ["2026-07-28", "2099-01-01", "2025-06-18"] {
            let headers = FixedHeaders([("mcp-protocol-version", header.to_owned())].into());
            let plain = request("initialize", json!({"protocolVersion": header}));
            assert_eq!(Era::over_http(&plain, &headers), Era::Legacy);
            let modern = request("initialize", json!({"_meta": {VERSION: "2026-07-28"}}));
            assert_eq!(Era::over_http(&modern, &headers), Era::Modern);
        }
    }

    #[test]
    fn over_a_channel_what_names_no_revision_is_of_the_session() {
        let modern = json!({VERSION: "2026-07-28"});
        for (method, meta, without_session, with_session) in [
            ("tools/list", &modern, Era::Modern, Era::Modern),
            ("initialize", &modern, Era::Modern, Era::Modern),
            ("tools/list", &Value::Null, Era::Modern, Era::Legacy),
            ("ping", &Value::Null, Era::Modern, Era::Legacy),
            ("tools/list", &json!({"progressToken": 1}), Era::Modern, Era::Legacy),
            ("initialize", &Value::Null, Era::Legacy, Era::Legacy),
            ("server/discover", &Value::Null, Era::Modern, Era::Modern),
            ("subscriptions/listen", &Value::Null, Era::Modern, Era::Modern),
        ] {
            let request = request(method, json!({"_meta": meta}));
            let eras = [false, true].map(|has_session| Era::over_channel(&request, has_session));
            assert_eq!(eras, [without_session, with_session], "{method} {meta}");
        }
    }
}
