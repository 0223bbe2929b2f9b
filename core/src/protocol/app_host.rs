//! MCP Apps (SEP-1865): which clients show user interfaces.

use serde_json::Value;

use super::app_ui;
use super::client_capability::ClientCapabilities;

/// The identifier of the extension, under which a client declares it.
pub const EXTENSION: &str = "io.modelcontextprotocol/ui";

/// Whether a client shows user interfaces: it declares the extension, and the media type of this library's
/// interfaces in it ("Capability Negotiation").
pub fn is_app_host(capabilities: &ClientCapabilities) -> bool {
    let declared: Value = serde_json::from_slice(capabilities.json()).unwrap_or_default();
    let types = &declared["extensions"][EXTENSION]["mimeTypes"];
    types.as_array().is_some_and(|types| types.iter().any(|name| name == app_ui::MIME_TYPE))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    #[test]
    fn an_app_host_declares_the_extension_and_its_media_type() {
        for (extension, host) in [
            (r#"{"mimeTypes":["text/html;profile=mcp-app"]}"#, true),
            (r#"{"mimeTypes":["a/b","text/html;profile=mcp-app"]}"#, true),
            (r#"{"mimeTypes":["text/html"]}"#, false),
            (r#"{"mimeTypes":"text/html;profile=mcp-app"}"#, false),
            ("{}", false),
            ("[]", false),
        ] {
            let capabilities = format!(r#"{{"extensions":{{"{EXTENSION}":{extension}}}}}"#);
            assert_eq!(is_app_host(&ClientCapabilities::new(Bytes::from(capabilities))), host, "{extension}");
        }
        assert!(!is_app_host(&ClientCapabilities::new(Bytes::from("{}"))));
    }
}
