//! The headers of a request, as the engine and handlers ask for them.

use http::HeaderMap;

use crate::call::headers::Headers;

/// The headers as they came.
pub(super) struct RequestHeaders(pub HeaderMap);

impl Headers for RequestHeaders {
    fn value(&self, name: &str, nth: usize) -> Option<&[u8]> {
        self.0.get_all(name).into_iter().nth(nth).map(|value| value.as_bytes().trim_ascii())
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn finds_values_by_name_in_any_case_and_in_order() {
        let mut headers = HeaderMap::new();
        let name = HeaderName::from_static("mcp-param-region");
        headers.append(name.clone(), HeaderValue::from_static("  a "));
        headers.append(name, HeaderValue::from_static("b"));
        let headers = RequestHeaders(headers);
        for (name, nth, value) in [
            ("mcp-param-region", 0, Some("a")),
            ("Mcp-Param-Region", 1, Some("b")),
            ("mcp-param-region", 2, None),
            ("mcp-name", 0, None),
            ("not a name", 0, None),
        ] {
            assert_eq!(headers.value(name, nth), value.map(str::as_bytes), "{name} {nth}");
        }
    }
}
