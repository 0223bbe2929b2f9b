//! A host name and its port, as they stand in a `Host` header, an `:authority` and an origin.

use std::net::{Ipv4Addr, Ipv6Addr};

/// `host` or `host:port`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Authority<'a> {
    /// The name or address as it was written; an IPv6 address keeps its brackets.
    pub host: &'a str,
    /// The port, where one was written.
    pub port: Option<u16>,
}

impl<'a> Authority<'a> {
    /// Reads `text`; `None` for anything but one plain host and perhaps a port.
    ///
    /// Credentials, white space and percent signs are refused rather than read around: what is compared with
    /// a list must be what the client resolved.
    pub fn parse(text: &'a str) -> Option<Self> {
        let end = match text.strip_prefix('[') {
            Some(rest) => {
                let length = rest.find(']')?;
                rest[..length].parse::<Ipv6Addr>().ok()?;
                length + 2
            }
            None => text.find(':').unwrap_or(text.len()),
        };
        let (host, rest) = text.split_at(end);
        let port = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            None => return None,
            Some("") => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            Some(_) => return None,
        };
        let plain = host.starts_with('[') || host.bytes().all(is_name_byte);
        (!host.is_empty() && plain).then_some(Authority { host, port })
    }

    /// Whether both name the same host. Names are compared without regard to case.
    pub fn is_host(&self, other: &str) -> bool {
        match (self.address(), bracketed(other)) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => self.host.eq_ignore_ascii_case(other),
        }
    }

    /// Whether this is the machine itself: `localhost`, an address in 127.0.0.0/8, or `[::1]`.
    pub fn is_loopback(&self) -> bool {
        self.host.eq_ignore_ascii_case("localhost")
            || self.host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            || self.address().is_some_and(|address| address.is_loopback())
    }

    fn address(&self) -> Option<Ipv6Addr> {
        bracketed(self.host)
    }
}

fn bracketed(host: &str) -> Option<Ipv6Addr> {
    host.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn reads_hosts_with_and_without_port() {
        let cases = [
            ("localhost", "localhost", None),
            ("localhost:80", "localhost", Some(80)),
            ("API.example.test:8443", "API.example.test", Some(8443)),
            ("127.0.0.1:0", "127.0.0.1", Some(0)),
            ("[::1]", "[::1]", None),
            ("[::1]:3000", "[::1]", Some(3000)),
            ("localhost:", "localhost", None),
            ("my_host-1", "my_host-1", None),
        ];
        for (text, host, port) in cases {
            assert_eq!(Authority::parse(text), Some(Authority { host, port }), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_one_plain_host() {
        let texts = [
            "",
            ":80",
            "a b",
            "user@localhost",
            "localhost:80:80",
            "localhost:x",
            "localhost:+80",
            "localhost:65536",
            "localhost/",
            "::1",
            "[::1",
            "[::1]x",
            "[localhost]",
            "local%68ost",
            "h\u{f6}st",
            "localhost,evil",
        ];
        for text in texts {
            assert_eq!(Authority::parse(text), None, "{text}");
        }
    }

    #[test]
    fn knows_the_machine_itself_by_name_and_address() {
        let loopback = |text| Authority::parse(text).unwrap().is_loopback();
        for text in ["localhost", "LocalHost:1", "127.0.0.1", "127.8.9.1:2", "[::1]", "[0:0:0:0:0:0:0:1]:3"] {
            assert!(loopback(text), "{text}");
        }
        for text in
            ["localhost.evil.example", "127.0.0.1.evil.example", "127.1", "0.0.0.0", "[::]", "10.0.0.1"]
        {
            assert!(!loopback(text), "{text}");
        }
    }

    #[test]
    fn compares_names_by_letters_and_ipv6_by_value() {
        let same = |a, b| Authority::parse(a).unwrap().is_host(b);
        assert!(same("Example.TEST:1", "example.test"));
        assert!(same("[2001:DB8:0::1]", "[2001:db8::1]"));
        assert!(!same("example.test", "example.test.evil"));
        assert!(!same("[::1]", "[::2]"));
    }
}
