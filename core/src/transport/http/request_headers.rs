//! The headers of a request, as the engine and handlers ask for them.

use http::HeaderMap;
use http::request::Parts;

use crate::call::headers::{Attachment, Headers};

/// The headers as they came, and what the host's own web server attached.
pub(super) struct RequestHeaders {
    headers: HeaderMap,
    attachment: Option<Attachment>,
}

/// Put among the extensions of a request by whoever hands it to `HttpService`.
#[derive(Clone)]
pub(super) struct Attached(pub Attachment);

impl RequestHeaders {
    /// Takes both out of the head of a request.
    pub fn take(parts: &mut Parts) -> Self {
        let attached = parts.extensions.remove::<Attached>();
        RequestHeaders {
            headers: std::mem::take(&mut parts.headers),
            attachment: attached.map(|Attached(attachment)| attachment),
        }
    }

    /// The headers.
    pub fn map(&self) -> &HeaderMap {
        &self.headers
    }
}

impl Headers for RequestHeaders {
    fn value(&self, name: &str, nth: usize) -> Option<&[u8]> {
        self.headers.get_all(name).into_iter().nth(nth).map(|value| value.as_bytes().trim_ascii())
    }

    fn each(&self, tell: &mut dyn FnMut(&str, &[u8])) {
        self.headers.iter().for_each(|(name, value)| tell(name.as_str(), value.as_bytes().trim_ascii()));
    }

    fn attachment(&self) -> Option<&Attachment> {
        self.attachment.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderName, HeaderValue};

    use super::*;

    #[test]
    fn finds_values_by_name_in_any_case_and_in_order() {
        let mut headers = HeaderMap::new();
        let name = HeaderName::from_static("mcp-param-region");
        headers.append(name.clone(), HeaderValue::from_static("  a "));
        headers.append(name, HeaderValue::from_static("b"));
        let headers = RequestHeaders { headers, attachment: None };
        let mut lines = Vec::new();
        headers.each(&mut |name, value| lines.push((name.to_owned(), value.to_vec())));
        assert_eq!(lines, ["a", "b"].map(|value| ("mcp-param-region".to_owned(), value.as_bytes().to_vec())));
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
