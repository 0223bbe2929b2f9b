//! What can be set about serving HTTP. Each default, and what it means, stands in the file of its rule.

use std::net::IpAddr;
use std::time::Duration;

use super::{bind, event_stream, incoming, path, patience};

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
    /// How long a client may take to send the head of a request, from opening the connection or from its first byte.
    pub head_timeout: Duration,
    /// How long a connection may stay open without a request.
    pub idle_timeout: Duration,
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
            max_connections: incoming::DEFAULT_MAX_CONNECTIONS,
            head_timeout: patience::DEFAULT_HEAD_TIMEOUT,
            idle_timeout: patience::DEFAULT_IDLE_TIMEOUT,
        }
    }
}
