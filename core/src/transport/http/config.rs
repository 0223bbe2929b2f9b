//! What can be set about serving HTTP, by the keys of `docs/limits.md` too. Each default, and what it means, stands in
//! the file of its rule.

use std::net::IpAddr;
use std::time::Duration;

use super::legacy::{self, Load, SessionOptions};
#[cfg(feature = "tls")]
use super::tls::{self, TlsFiles};
use super::{accept_loop, bind, event_stream, path, patience};
use crate::host_error::HostError;
use crate::protocol::nearest_name::did_you_mean;

/// How to serve HTTP. `HttpConfig::default()` serves this machine alone, at `/mcp`, on any free port.
///
/// Bodies are bounded by the server's own limit on the size of a message.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// The address to listen on; see [`bind::parse_address`] to read one from text.
    pub address: IpAddr,
    /// The port to listen on; 0 takes any that is free.
    pub port: u16,
    /// The path of the MCP endpoint.
    pub path: String,
    /// The origins of web pages that may use the server, as `https://app.example.com`. On an address that only this
    /// machine can reach, pages of this machine may use it as well.
    pub allowed_origins: Vec<String>,
    /// The host names that the server answers to, as `api.example.com` or `api.example.com:8443`. Without any it
    /// answers to all, but on an address that only this machine can reach to that machine's own names.
    pub allowed_hosts: Vec<String>,
    /// The silence on a response after which a client gets a sign of life.
    pub keep_alive: Duration,
    /// How many connections may be open. More wait in the system's queue until one closes.
    pub max_connections: usize,
    /// The files of the certificate and its key: HTTPS is served. `None` serves plain HTTP.
    #[cfg(feature = "tls")]
    pub tls: Option<TlsFiles>,
    /// How often it is looked whether those files have changed; zero is never.
    #[cfg(feature = "tls")]
    pub tls_check: Duration,
    /// How long a client may take to send the head of a request, from opening the connection or from its first byte.
    /// Over TLS the handshake is part of that time.
    pub head_timeout: Duration,
    /// How long a connection may stay open without a request.
    pub idle_timeout: Duration,
    /// How sessions of the older revisions are kept.
    pub sessions: SessionOptions,
    /// The path of the deprecated transport of revision 2024-11-05; `None`: it is not served.
    pub sse_path: Option<String>,
}

impl Default for HttpConfig {
    fn default() -> Self {
        HttpConfig {
            address: bind::DEFAULT_ADDRESS,
            port: 0,
            path: path::DEFAULT_PATH.to_owned(),
            allowed_origins: Vec::new(),
            allowed_hosts: Vec::new(),
            keep_alive: event_stream::DEFAULT_KEEP_ALIVE,
            max_connections: accept_loop::DEFAULT_MAX_CONNECTIONS,
            #[cfg(feature = "tls")]
            tls: None,
            #[cfg(feature = "tls")]
            tls_check: tls::DEFAULT_CHECK,
            head_timeout: patience::DEFAULT_HEAD_TIMEOUT,
            idle_timeout: patience::DEFAULT_IDLE_TIMEOUT,
            sessions: SessionOptions {
                most: legacy::DEFAULT_MAX_SESSIONS,
                idle: legacy::DEFAULT_IDLE,
                store: Load { events: legacy::DEFAULT_EVENTS, bytes: legacy::DEFAULT_BYTES },
                retry: legacy::DEFAULT_RETRY,
            },
            sse_path: None,
        }
    }
}

impl HttpConfig {
    /// Sets the option called `key`. An unknown key or a value out of its range is refused, by name.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), HostError> {
        let Some((_, takes)) = OPTIONS.iter().find(|(name, _)| *name == key) else {
            let hint = did_you_mean(key, Self::option_names());
            return Err(HostError::InvalidArgument(format!("there is no option \"{key}\" of HTTP{hint}")));
        };
        match takes {
            Takes::Number(least, set) => {
                let number = value.parse().ok().filter(|number| number >= least).ok_or_else(|| {
                    let takes = format!("a whole number from {least} to {}", u32::MAX);
                    HostError::InvalidArgument(format!("option \"{key}\" takes {takes}, not \"{value}\""))
                })?;
                set(self, number);
            }
            Takes::Path(set) => {
                path::Endpoint::new(key, value)?;
                set(self, value.to_owned());
            }
        }
        Ok(())
    }

    /// The names of all options.
    pub fn option_names() -> impl Iterator<Item = &'static str> {
        OPTIONS.iter().map(|(name, ..)| *name)
    }
}

/// What an option takes, and what it sets.
enum Takes {
    /// A whole number, and the least.
    Number(u32, fn(&mut HttpConfig, u32)),
    /// A path.
    Path(fn(&mut HttpConfig, String)),
}

/// The options.
const OPTIONS: &[(&str, Takes)] = &[
    ("keep_alive_ms", Takes::Number(1, |config, ms| config.keep_alive = milliseconds(ms))),
    ("max_connections", Takes::Number(1, |config, most| config.max_connections = most as usize)),
    ("head_timeout_ms", Takes::Number(1, |config, ms| config.head_timeout = milliseconds(ms))),
    ("idle_timeout_ms", Takes::Number(1, |config, ms| config.idle_timeout = milliseconds(ms))),
    #[cfg(feature = "tls")]
    ("tls_check_ms", Takes::Number(0, |config, ms| config.tls_check = milliseconds(ms))),
    ("max_sessions", Takes::Number(1, |config, most| config.sessions.most = most as usize)),
    ("session_idle_ms", Takes::Number(1, |config, ms| config.sessions.idle = milliseconds(ms))),
    ("event_store_events", Takes::Number(0, |config, most| config.sessions.store.events = most as usize)),
    ("event_store_bytes", Takes::Number(0, |config, most| config.sessions.store.bytes = most as usize)),
    ("retry_ms", Takes::Number(0, |config, ms| config.sessions.retry = milliseconds(ms))),
    ("sse_path", Takes::Path(|config, path| config.sse_path = Some(path))),
];

fn milliseconds(number: u32) -> Duration {
    Duration::from_millis(number.into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn sets_options_by_name_and_says_what_they_take() {
        let mut config = HttpConfig::default();
        config.set("keep_alive_ms", "250").unwrap();
        config.set("max_connections", "7").unwrap();
        assert_eq!((config.keep_alive, config.max_connections), (milliseconds(250), 7));
        for (key, value, wanted) in [
            ("keepalive_ms", "1", "did you mean \"keep_alive_ms\"?"),
            ("max_connections", "0", "from 1 to"),
            ("idle_timeout_ms", "soon", "not \"soon\""),
            ("sse_path", "sse", "sse_path: \"sse\" is not a path"),
        ] {
            let fault = config.set(key, value).unwrap_err().to_string();
            assert!(fault.contains(wanted), "{fault}");
        }
    }

    #[test]
    fn the_page_of_limits_tells_each_option_with_its_default_and_range() {
        let page = include_str!("../../../../docs/limits.md");
        let unset = format!("{:?}", HttpConfig::default());
        for (key, takes) in OPTIONS {
            let row = page.lines().find_map(|line| line.strip_prefix(&format!("| `{key}` | ")));
            let (default, rest) = row.and_then(|row| row.split_once(" | ")).unwrap();
            let Takes::Number(least, _) = takes else {
                assert!(
                    default == "none" && rest.starts_with("a path without query | "),
                    "{key}: {default} {rest}"
                );
                continue;
            };
            assert!(rest.starts_with(&format!("{least} to {} | ", u32::MAX)), "{key}: {rest}");
            let mut config = HttpConfig::default();
            config.set(key, default.split(' ').next().unwrap()).unwrap();
            assert_eq!(format!("{config:?}"), unset, "{key}: {default} is not the default");
        }
        for (function, default) in [
            ("set_bind", bind::DEFAULT_ADDRESS.to_string()),
            ("set_port", HttpConfig::default().port.to_string()),
            ("set_path", path::DEFAULT_PATH.to_owned()),
        ] {
            let row = format!("| `mcp_http_config_{function}` | {default} | ");
            assert!(page.contains(&row), "the page has no {row}");
        }
    }
}
