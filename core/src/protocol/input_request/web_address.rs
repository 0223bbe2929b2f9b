//! The address of a page that a user is asked to visit.

use super::super::document::cut;

/// Says why `url` cannot be visited; `None` for a good address. It is absolute, of http or https, in ASCII, and
/// carries no credentials (specification, client/elicitation, "Safe URL Handling").
pub fn fault(url: &str) -> Option<String> {
    let shown = cut(url);
    let after = |scheme: &str| {
        let start = url.get(..scheme.len())?;
        start.eq_ignore_ascii_case(scheme).then(|| &url[scheme.len()..])
    };
    let Some(rest) = after("https://").or_else(|| after("http://")) else {
        return Some(format!("\"{shown}\" is no web address: it begins with https:// (or http://)"));
    };
    if let Some(other) = url.chars().find(|c| !c.is_ascii_graphic() || r#""<>\^`{|}"#.contains(*c)) {
        return Some(format!("{other:?} must not stand in an address; percent-encode it"));
    }
    let escapes = url.split('%').skip(1);
    if escapes
        .clone()
        .any(|rest| !rest.get(..2).is_some_and(|hex| hex.bytes().all(|b| b.is_ascii_hexdigit())))
    {
        return Some("a '%' must be followed by two hexadecimal digits; a '%' itself is %25".into());
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return Some(
            "an address for the user must not hold a user name or password ('@' before the path)".into(),
        );
    }
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|b| b.is_ascii_digit()) => host,
        _ => authority,
    };
    let in_brackets = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let good = match in_brackets {
        Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
        None => !host.is_empty() && !host.contains([':', '[', ']']),
    };
    (!good).then(|| format!("\"{shown}\" names no host"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn knows_pages_that_can_be_visited() {
        for url in [
            "https://mcp.example.com/ui/set_api_key",
            "HTTPS://example.com",
            "http://localhost:8080/?a=b%20c#d",
            "http://[::1]:80/",
            "https://example.com:/x",
            "https://example.com/@me",
            "https://xn--e1afmkfd.example/~a/b;c=(d)!$&'*+,",
        ] {
            assert_eq!(fault(url), None, "{url}");
        }
    }

    #[test]
    fn says_what_is_wrong_with_an_address() {
        for (url, part) in [
            ("", "is no web address"),
            ("example.com/x", "is no web address"),
            ("/connect", "is no web address"),
            ("javascript:alert(1)", "is no web address"),
            ("file:///etc/passwd", "is no web address"),
            ("https:/example.com", "is no web address"),
            ("https://", "names no host"),
            ("https:///x", "names no host"),
            ("https://:80/x", "names no host"),
            ("https://a:b/x", "names no host"),
            ("http://[::1/x", "names no host"),
            ("http://[a]/x", "names no host"),
            ("https://a b/", "' ' must not stand"),
            ("https://example.com/\u{7}", "must not stand"),
            ("https://exämple.com", "'ä' must not stand"),
            ("https://example.com/{id}", "'{' must not stand"),
            ("https://example.com/100%", "two hexadecimal digits"),
            ("https://example.com/%zz", "two hexadecimal digits"),
            ("https://bank.example@evil.example/", "user name or password"),
        ] {
            let said = fault(url).unwrap_or_default();
            assert!(said.contains(part), "{url}: {said}");
        }
    }
}
