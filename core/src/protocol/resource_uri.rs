//! What makes the URI of a resource.

use super::document::{Document, DocumentFault, cut};

/// Says why `uri` cannot name a resource; `None` where it can. It must begin with a scheme: a relative reference
/// says nothing to a client.
pub fn fault(uri: &str) -> Option<String> {
    let scheme = uri.split_once(':').map_or("", |(scheme, _)| scheme);
    let good = scheme.bytes().next().is_some_and(|b| b.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'));
    let message = || format!("\"{}\" is no URI: it must begin with a scheme, as in \"file:///a\"", cut(uri));
    (!good).then(message)
}

/// Checks the member `uri` of `document`, which must have one.
pub fn check(document: &Document<'_>) -> Result<(), DocumentFault> {
    let uri = document.required_string("uri")?;
    fault(&uri).map_or(Ok(()), |message| Err(document.fault("uri", message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_a_scheme() {
        for uri in ["file:///a", "ui://x", "x:1", "a+b-c.d:", "HTTP://example.com"] {
            assert_eq!(fault(uri), None, "{uri}");
        }
        for uri in ["", "a", "/a", "//host/a", ":x", "1a:b", "a b:c", "{scheme}://x", "é:x"] {
            assert!(fault(uri).is_some(), "{uri}");
        }
    }
}
