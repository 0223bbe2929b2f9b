//! A request as a web server hands it over: texts and bytes, checked one by one.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Uri};

use super::principal::Principal;
use super::request_headers::Attached;
use crate::call::headers::Attachment;
use crate::host_error::HostError;

/// A request without its body. What is wrong with its parts is the client's doing: status 400 says so.
pub struct ExchangeRequest {
    method: Method,
    target: Uri,
    headers: HeaderMap,
    principal: Option<Principal>,
    attachment: Option<Attached>,
}

impl ExchangeRequest {
    /// A request without headers. `target` is what stands in the request's first line, with or without a query.
    pub fn new(method: &str, target: &str) -> Result<Self, HostError> {
        let method = Method::from_bytes(method.as_bytes())
            .map_err(|_| invalid(format!("method: {method:?} is no method of HTTP")))?;
        let target = target.parse().map_err(|_| {
            invalid(format!("path: {target:?} is no target of a request; write it as /mcp or /mcp?query"))
        })?;
        Ok(ExchangeRequest { method, target, headers: HeaderMap::new(), principal: None, attachment: None })
    }

    /// Adds a header. Several of one name are several lines.
    pub fn add_header(&mut self, name: &str, value: &[u8]) -> Result<(), HostError> {
        let header = HeaderName::from_bytes(name.as_bytes())
            .map_err(|_| invalid(format!("name: {name:?} is no name of a header")))?;
        let value = HeaderValue::from_bytes(value)
            .map_err(|_| invalid(format!("value: that of {name:?} has a character that HTTP forbids")))?;
        let added = self.headers.try_append(header, value);
        added.map(drop).map_err(|_| invalid(format!("name: {name:?} is one header too many")))
    }

    /// Says on whose behalf the request comes.
    pub fn set_principal(&mut self, principal: Option<&str>) {
        self.principal = principal.map(|name| Principal(name.into()));
    }

    /// Attaches something of the host's, which handlers find in the context of their call.
    pub fn attach(&mut self, attachment: Attachment) {
        self.attachment = Some(Attached(attachment));
    }

    /// The request with its body.
    pub(super) fn with_body(self, body: Bytes) -> Request<Bytes> {
        let mut request = Request::new(body);
        *request.method_mut() = self.method;
        *request.uri_mut() = self.target;
        *request.headers_mut() = self.headers;
        if let Some(principal) = self.principal {
            request.extensions_mut().insert(principal);
        }
        if let Some(attachment) = self.attachment {
            request.extensions_mut().insert(attachment);
        }
        request
    }
}

fn invalid(message: String) -> HostError {
    HostError::InvalidArgument(message)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn takes_what_http_allows() {
        for (method, target) in [("POST", "/mcp"), ("GET", "/a/b?c=%20"), ("OPTIONS", "*"), ("X-OWN", "/")] {
            assert!(ExchangeRequest::new(method, target).is_ok(), "{method} {target}");
        }
        let mut request = ExchangeRequest::new("POST", "/mcp?x=1").unwrap();
        request.add_header("Mcp-Name", b"a\xffb").unwrap();
        request.add_header("mcp-name", b"").unwrap();
        request.set_principal(Some("ann"));
        let mut request = request.with_body(Bytes::from_static(b"{}"));
        assert_eq!(request.uri().path(), "/mcp");
        assert_eq!(request.headers().get_all("mcp-name").iter().count(), 2);
        assert_eq!(Principal::take(request.extensions_mut()).as_deref(), Some("ann"));
    }

    #[test]
    fn refuses_what_is_no_http_and_says_where() {
        for (method, target, named) in
            [("P T", "/mcp", "method"), ("", "/mcp", "method"), ("GET", "/a b", "path")]
        {
            let fault = ExchangeRequest::new(method, target).err().unwrap().to_string();
            assert!(fault.starts_with(named), "{fault}");
        }
        let mut request = ExchangeRequest::new("POST", "/mcp").unwrap();
        for (name, value, named) in [("a b", "c", "name"), ("", "c", "name"), ("a", "b\r\nc: d", "value")] {
            let fault = request.add_header(name, value.as_bytes()).unwrap_err().to_string();
            assert!(fault.starts_with(named), "{fault}");
        }
    }
}
