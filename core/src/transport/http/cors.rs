//! What a browser must be told before a web page may use the server. The list of allowed origins decides;
//! there is no second one.
//!
//! The origin is echoed rather than answered with `*`, and every header that the page asks for is allowed:
//! `Mcp-Param-*` names come from tools and cannot be listed.

use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS, ALLOW, HeaderMap, HeaderValue, ORIGIN, VARY,
};
use http::{Response, StatusCode};

use super::method;
use super::reply_body::ReplyBody;

/// How long, in seconds, a browser may keep the answer to a preflight: two hours, the most that browsers take.
const MAX_AGE: &str = "7200";

/// Answers OPTIONS, which a browser sends before the first POST of a page (a preflight). `request` holds the
/// headers of a request whose origin, if it has one, is allowed.
pub(super) fn preflight(request: &HeaderMap) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(ALLOW, HeaderValue::from_static(method::ALLOWED));
    if !request.contains_key(ORIGIN) {
        return response;
    }
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static("POST"));
    headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(MAX_AGE));
    for names in request.get_all(ACCESS_CONTROL_REQUEST_HEADERS) {
        headers.append(ACCESS_CONTROL_ALLOW_HEADERS, names.clone());
    }
    response
}

/// Lets the page at `origin`, which is allowed, read the response.
pub(super) fn allow(response: &mut HeaderMap, origin: HeaderValue) {
    response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
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
        let response = preflight(&request);
        assert_eq!(response.status(), StatusCode::NO_CONTENT);
        assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_HEADERS], asked);
        assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_METHODS], "POST");
        assert_eq!(response.headers()[ACCESS_CONTROL_MAX_AGE], "7200");
    }

    #[test]
    fn tells_other_clients_the_methods_alone() {
        let response = preflight(&HeaderMap::new());
        assert_eq!(response.headers()[ALLOW], "POST, OPTIONS");
        assert!(!response.headers().contains_key(ACCESS_CONTROL_ALLOW_METHODS));
    }

    #[test]
    fn echoes_the_origin_and_keeps_caches_apart() {
        let mut headers = HeaderMap::new();
        allow(&mut headers, HeaderValue::from_static("https://app.test"));
        assert_eq!(headers[ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.test");
        assert_eq!(headers[VARY], "Origin");
    }
}
