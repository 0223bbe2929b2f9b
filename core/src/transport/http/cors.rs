//! What a browser must be told before a web page may use the server. The list of allowed origins decides;
//! there is no second one.
//!
//! The origin is echoed rather than answered with `*`, and every header that the page asks for is allowed:
//! `Mcp-Param-*` names come from tools and cannot be listed.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, HeaderMap,
    HeaderValue, ORIGIN, VARY,
};
use http::{Response, StatusCode};

use super::method;
use super::reply_body::ReplyBody;

/// How long, in seconds, a browser may keep the answer to a preflight: two hours, the most that browsers take.
const MAX_AGE: &str = "7200";

/// The headers of a response that a page may read, besides those that any may.
const READABLE: &str = "Mcp-Session-Id";

/// Answers OPTIONS, which a browser sends before the first POST of a page (a preflight). `request` holds the
/// headers of a request whose origin, if it has one, is allowed. Where `sessions` of the older revisions are served,
/// there are more methods.
pub(super) fn preflight(request: &HeaderMap, sessions: bool) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, method::allowed(sessions));
    if !request.contains_key(ORIGIN) {
        return response;
    }
    let methods = if sessions { "GET, POST, DELETE" } else { "POST" };
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(methods));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
    for names in request.get_all(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.append(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    response
}

/// Lets the page at `origin`, which is allowed, read the response.
pub(super) fn allow(response: &mut HeaderMap, origin: HeaderValue) {
    response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    response.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(READABLE));
    response.append(VARY, HeaderValue::from_static("Origin"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allows_every_header_that_a_page_asks_for() {
        let asked = "authorization,content-type,mcp-protocol-version,mcp-method,mcp-name,mcp-param-region";
        let mut request = HeaderMap::new();
        request.insert(ORIGIN, HeaderValue::from_static("https://app.test"));
        request.insert(ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue::from_static(asked));
        let response = preflight(&request, false);
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_HEADERS], asked);
        assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_METHODS], "POST");
        assert_eq!(response.headers()[ACCESS_CONTROL_MAX_AGE], "7200");
        let response = preflight(&request, true);
        assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_METHODS], "GET, POST, DELETE");
    }

    #[test]
    fn tells_other_clients_the_methods_alone() {
        for (sessions, methods) in [(false, "POST, OPTIONS"), (true, "GET, POST, DELETE, OPTIONS")] {
            assert_eq!(preflight(&HeaderMap::new(), sessions).headers()[ALLOW], methods);
        }
        let response = preflight(&HeaderMap::new(), true);
        assert!(!response.headers().contains_key(ACCESS_CONTROL_ALLOW_METHODS));
    }

    #[test]
    fn echoes_the_origin_and_keeps_caches_apart() {
        let mut headers = HeaderMap::new();
        allow(&mut headers, HeaderValue::from_static("https://app.test"));
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.test");
        assert_eq!(headers[VARY], "Origin");
        assert_eq!(headers[ACCESS_CONTROL_EXPOSE_HEADERS], "Mcp-Session-Id");
    }
}
