//! Which web pages may talk to the server: the `Origin` that a browser sends with a page's requests.
//!
//! A request without `Origin` does not come from a page and is let through. One that is present must be in
//! the list of allowed origins or, where only this machine can connect, be a page of this machine. Comparing
//! it with `Host` instead would let DNS rebinding through, where the two agree.
//!
//! Specification: Streamable HTTP, "Security & Endpoint".

use http::StatusCode;
use http::header::{HeaderMap, HeaderValue, ORIGIN};

use super::authority::Authority;
use super::refusal::Refusal;
use crate::host_error::HostError;

/// The setting's name.
const SETTING: &str = "allowed_origins";

/// The origins that may talk to the server.
#[derive(Debug)]
pub(super) struct Origins {
    allowed: Vec<Origin>,
    loopback_bind: bool,
}

impl Origins {
    /// Checks the settings: each origin is `scheme://host` or `scheme://host:port`.
    pub fn new(allowed: &[String], loopback_bind: bool) -> Result<Self, HostError> {
        let read = |text: &String| {
            Origin::parse(text.strip_suffix('/').unwrap_or(text)).ok_or_else(|| {
                let problem = format!("{SETTING}: \"{text}\" is not an origin; write it as https://app.example.com, with a port where it has one");
                HostError::InvalidArgument(problem)
            })
        };
        Ok(Origins { allowed: allowed.iter().map(read).collect::<Result<_, _>>()?, loopback_bind })
    }

    /// The request's origin, where it has one and it is allowed.
    pub fn check<'a>(&self, headers: &'a HeaderMap) -> Result<Option<&'a HeaderValue>, Refusal> {
        let mut origins = headers.get_all(ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(None) };
        if origins.next().is_none() && origin.to_str().is_ok_and(|text| self.allows(text)) {
            return Ok(Some(origin));
        }
        let message = format!(
            "the origin {:?} may not use this server; to let it in, allow it in the HTTP configuration ({SETTING})",
            String::from_utf8_lossy(origin.as_bytes())
        );
        Err(Refusal::new(StatusCode::FORBIDDEN, message))
    }

    fn allows(&self, text: &str) -> bool {
        Origin::parse(text)
            .is_some_and(|origin| self.loopback_bind && origin.is_loopback || self.allowed.contains(&origin))
    }
}

/// An origin in one form: lower case, its port always written.
#[derive(Debug, PartialEq, Eq)]
struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
    is_loopback: bool,
}

impl Origin {
    fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let scheme = scheme.to_ascii_lowercase();
        let authority = Authority::parse(rest)?;
        let usual_port = match scheme.as_str() {
            "http" => Some(80),
            "https" => Some(443),
            "" => return None,
            _ => None,
        };
        Some(Origin {
            host: authority.host.to_ascii_lowercase(),
            port: authority.port.or(usual_port),
            is_loopback: usual_port.is_some() && authority.is_loopback(),
            scheme,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn allows(allowed: &[&str], loopback_bind: bool, origin: &str) -> bool {
        let allowed: Vec<String> = allowed.iter().map(|&text| text.to_owned()).collect();
        let mut headers = HeaderMap::new();
        headers.insert(ORIGIN, HeaderValue::from_bytes(origin.as_bytes()).unwrap());
        Origins::new(&allowed, loopback_bind).unwrap().check(&headers).is_ok()
    }

    #[test]
    fn lets_requests_without_origin_through() {
        let origins = Origins::new(&[], false).unwrap();
        assert_eq!(origins.check(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn lets_pages_of_this_machine_in_on_a_loopback_bind_only() {
        for origin in [
            "http://localhost",
            "http://localhost:6274",
            "https://LOCALHOST:1",
            "http://127.0.0.1:3000",
            "http://127.1.2.3",
            "https://[::1]:9",
        ] {
            assert!(allows(&[], true, origin), "{origin}");
            assert!(!allows(&[], false, origin), "{origin}");
        }
    }

    #[test]
    fn refuses_foreign_origins() {
        for origin in [
            "https://evil.example",
            "null",
            "",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://localhost@evil.example",
            "http://evil.example#localhost",
            "http://localhost/path",
            "file://localhost",
            "chrome-extension://localhost",
            "localhost",
            "http://localhost http://evil.example",
            "http://localh\u{f6}st",
        ] {
            assert!(!allows(&[], true, origin), "{origin}");
        }
    }

    #[test]
    fn compares_configured_origins_by_scheme_host_and_port() {
        let allowed = ["https://app.test", "http://dev.test:8080/", "app-scheme://main"];
        for origin in
            ["https://app.test", "https://APP.test:443", "http://dev.test:8080", "app-scheme://main"]
        {
            assert!(allows(&allowed, false, origin), "{origin}");
        }
        for origin in [
            "http://app.test",
            "https://app.test:444",
            "https://sub.app.test",
            "http://dev.test",
            "https://app.test.",
        ] {
            assert!(!allows(&allowed, false, origin), "{origin}");
        }
    }

    #[test]
    fn refuses_two_origins_in_one_request() {
        let mut headers = HeaderMap::new();
        headers.append(ORIGIN, HeaderValue::from_static("http://localhost"));
        headers.append(ORIGIN, HeaderValue::from_static("https://evil.example"));
        assert!(Origins::new(&[], true).unwrap().check(&headers).is_err());
    }

    #[test]
    fn names_a_setting_that_is_no_origin() {
        for text in ["app.test", "*", "https://", "https://a b", "://x", "https://app.test/path"] {
            let error = Origins::new(&[text.to_owned()], false).unwrap_err().to_string();
            assert!(error.starts_with("allowed_origins: "), "{error}");
            assert!(error.contains(text), "{error}");
        }
    }
}
