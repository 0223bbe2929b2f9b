//! The path of the MCP endpoint, with and without a slash behind it: a redirect would lose the body.

use http::StatusCode;

use super::refusal::Refusal;
use crate::host_error::HostError;

/// The endpoint's path unless set otherwise.
pub const DEFAULT_PATH: &str = "/mcp";

/// The endpoint's path.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Endpoint {
    /// Without a slash at the end; empty for the root.
    path: String,
}

impl Endpoint {
    /// Checks the setting `name`, which is `path`.
    pub fn new(name: &str, path: &str) -> Result<Self, HostError> {
        let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'?' | b'#');
        if !path.starts_with('/') || !path.bytes().all(plain) {
            let problem =
                format!("{name}: \"{path}\" is not a path; write it as {DEFAULT_PATH}, without query");
            return Err(HostError::InvalidArgument(problem));
        }
        Ok(Endpoint { path: path.trim_end_matches('/').to_owned() })
    }

    /// Whether the endpoint is at `path`.
    pub fn is_at(&self, path: &str) -> bool {
        matches!(path.strip_prefix(self.path.as_str()), Some("" | "/"))
    }

    /// Refuses another path than the endpoint's.
    pub fn check(&self, path: &str) -> Result<(), Refusal> {
        if self.is_at(path) {
            return Ok(());
        }
        let message = format!("nothing is here; the MCP endpoint of this server is {}", self.shown());
        // Not a JSON-RPC error: clients take one with 404 for an unknown method of this endpoint.
        Err(Refusal::text(StatusCode::NOT_FOUND, message))
    }

    fn shown(&self) -> &str {
        if self.path.is_empty() { "/" } else { &self.path }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn accepts_the_path_with_and_without_a_slash_behind_it() {
        for (endpoint, good, bad) in [
            ("/mcp", vec!["/mcp", "/mcp/"], vec!["/", "", "/mcp//", "/mcpx", "/MCP", "/a/mcp", "/mcp/x"]),
            ("/mcp/", vec!["/mcp", "/mcp/"], vec!["/mc"]),
            ("/a/b", vec!["/a/b", "/a/b/"], vec!["/a"]),
            ("/", vec!["/", ""], vec!["/mcp", "//"]),
        ] {
            let endpoint = Endpoint::new("path", endpoint).unwrap();
            for path in good {
                assert!(endpoint.check(path).is_ok(), "{endpoint:?} {path}");
            }
            for path in bad {
                assert!(endpoint.check(path).is_err(), "{endpoint:?} {path}");
            }
        }
    }

    #[test]
    fn names_the_right_path_to_a_lost_client() {
        let refusal = Endpoint::new("path", "/mcp").unwrap().check("/").unwrap_err();
        assert_eq!(refusal.status, StatusCode::NOT_FOUND);
        assert_eq!(refusal.message, "nothing is here; the MCP endpoint of this server is /mcp");
    }

    #[test]
    fn refuses_a_setting_that_is_no_path() {
        for text in ["mcp", "", "/mcp?x", "/a b", "/\u{e9}", "/mcp#x"] {
            assert!(Endpoint::new("path", text).is_err(), "{text}");
        }
    }
}
