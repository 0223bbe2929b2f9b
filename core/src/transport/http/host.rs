//! Which names the server answers to: the `Host` of HTTP/1.1, the `:authority` of HTTP/2.
//!
//! A page that reaches this machine by DNS rebinding still sends the name of its own site, so the name is
//! checked where only this machine can connect, and wherever a list of names is set.

use http::header::{HOST, HeaderMap};
use http::{StatusCode, Uri};

use super::authority::Authority;
use super::refusal::Refusal;
use crate::host_error::HostError;

/// The setting's name.
const SETTING: &str = "allowed_hosts";

/// The names that the server answers to.
#[derive(Debug)]
pub(super) struct Hosts {
    allowed: Vec<Allowed>,
    loopback_bind: bool,
}

#[derive(Debug)]
struct Allowed {
    host: String,
    port: Option<u16>,
}

impl Hosts {
    /// Checks the settings: each host is `host`, which matches any port, or `host:port`.
    pub fn new(allowed: &[String], loopback_bind: bool) -> Result<Self, HostError> {
        let read = |text: &String| match Authority::parse(text) {
            Some(Authority { host, port }) => Ok(Allowed { host: host.to_owned(), port }),
            None => {
                let problem = format!(
                    "{SETTING}: \"{text}\" is not a host; write it as api.example.com, or api.example.com:8443 for one port alone"
                );
                Err(HostError::InvalidArgument(problem))
            }
        };
        Ok(Hosts { allowed: allowed.iter().map(read).collect::<Result<_, _>>()?, loopback_bind })
    }

    /// Refuses a request to another name. Every name that the request carries must be allowed.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Refusal> {
        if !self.loopback_bind && self.allowed.is_empty() {
            return Ok(());
        }
        let named = uri.authority().map(|authority| authority.as_str().as_bytes());
        let names = named.into_iter().chain(headers.get_all(HOST).iter().map(|value| value.as_bytes()));
        let mut seen = false;
        for name in names {
            seen = true;
            if !std::str::from_utf8(name).is_ok_and(|name| self.allows(name)) {
                return Err(refusal(&format!("the host {:?}", String::from_utf8_lossy(name))));
            }
        }
        if seen { Ok(()) } else { Err(refusal("a request without host")) }
    }

    fn allows(&self, name: &str) -> bool {
        Authority::parse(name).is_some_and(|authority| {
            self.loopback_bind && authority.is_loopback()
                || self.allowed.iter().any(|allowed| allowed.matches(authority))
        })
    }
}

impl Allowed {
    fn matches(&self, authority: Authority<'_>) -> bool {
        let port = match (self.port, authority.port) {
            (None, _) => true,
            (Some(mine), Some(theirs)) => mine == theirs,
            // Clients leave out the usual port of a scheme, and behind a proxy the scheme is not known.
            (Some(mine), None) => matches!(mine, 80 | 443),
        };
        port && authority.is_host(&self.host)
    }
}

fn refusal(what: &str) -> Refusal {
    let message =
        format!("{what} is not served here; to serve it, allow it in the HTTP configuration ({SETTING})");
    Refusal::new(StatusCode::FORBIDDEN, message)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use http::HeaderValue;

    use super::*;

    fn check(allowed: &[&str], loopback_bind: bool, uri: &str, hosts: &[&str]) -> Result<(), Refusal> {
        let allowed: Vec<String> = allowed.iter().map(|&text| text.to_owned()).collect();
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(HOST, HeaderValue::from_bytes(host.as_bytes()).unwrap());
        }
        Hosts::new(&allowed, loopback_bind).unwrap().check(&uri.parse().unwrap(), &headers)
    }

    #[test]
    fn answers_to_this_machine_on_a_loopback_bind() {
        for host in ["localhost", "localhost:9999", "LOCALHOST", "127.0.0.1", "127.0.0.1:80", "[::1]:3000"] {
            assert!(check(&[], true, "/mcp", &[host]).is_ok(), "{host}");
        }
        for host in ["evil.example.com", "localhost.evil.example", "user@localhost", "", "192.168.0.1"] {
            assert!(check(&[], true, "/mcp", &[host]).is_err(), "{host}");
        }
        assert!(check(&[], true, "/mcp", &[]).is_err());
    }

    #[test]
    fn answers_to_any_name_elsewhere_until_names_are_set() {
        assert!(check(&[], false, "/mcp", &["anything.test:1"]).is_ok());
        assert!(check(&[], false, "/mcp", &[]).is_ok());
        assert!(check(&["api.example.test"], false, "/mcp", &["anything.test"]).is_err());
        assert!(check(&["api.example.test"], false, "/mcp", &["localhost"]).is_err());
        assert!(check(&["api.example.test"], true, "/mcp", &["localhost"]).is_ok());
    }

    #[test]
    fn matches_any_port_of_a_name_without_port() {
        let allowed = ["api.example.test", "one.test:8443", "tls.test:443"];
        for host in ["api.example.test", "API.example.test:8443", "one.test:8443", "tls.test"] {
            assert!(check(&allowed, false, "/mcp", &[host]).is_ok(), "{host}");
        }
        for host in ["one.test", "one.test:80", "other.test", "xapi.example.test", "tls.test:8443"] {
            assert!(check(&allowed, false, "/mcp", &[host]).is_err(), "{host}");
        }
    }

    #[test]
    fn reads_the_authority_of_http2_and_of_an_absolute_target() {
        assert!(check(&["api.test"], false, "http://api.test:8080/mcp", &[]).is_ok());
        assert!(check(&["api.test"], false, "http://other.test/mcp", &[]).is_err());
        assert!(check(&["api.test"], false, "http://other.test/mcp", &["api.test"]).is_err());
        assert!(check(&["api.test"], false, "http://api.test/mcp", &["other.test"]).is_err());
        assert!(check(&["api.test"], false, "/mcp", &["api.test", "other.test"]).is_err());
    }

    #[test]
    fn names_the_option_that_would_let_the_host_in() {
        let refusal = check(&["api.test"], true, "/mcp", &["other.test"]).unwrap_err();
        assert_eq!(refusal.status, StatusCode::FORBIDDEN);
        assert_eq!(
            refusal.message,
            "the host \"other.test\" is not served here; to serve it, allow it in the HTTP configuration (allowed_hosts)"
        );
    }

    #[test]
    fn names_a_setting_that_is_no_host() {
        for text in ["https://api.test", "", "api.test/mcp", "*"] {
            let error = Hosts::new(&[text.to_owned()], false).unwrap_err().to_string();
            assert!(error.starts_with("allowed_hosts: "), "{error}");
        }
    }
}
