//! Streamable HTTP: what the transport demands of a request, one rule a file, and a listener.
//!
//! `service` applies the rules in their order and is where to begin reading.

mod accept;
mod authority;
pub mod bind;
mod body;
pub mod config;
mod connection;
mod connections;
mod content_type;
mod cors;
pub mod event_stream;
mod host;
pub mod incoming;
mod linger;
pub mod listener;
mod method;
mod open_call;
mod origin;
pub mod path;
pub mod patience;
mod protocols;
mod refusal;
mod reply;
mod reply_body;
mod request_headers;
pub mod service;
mod subscriptions;

#[cfg(test)]
mod http2_tests;
#[cfg(test)]
mod listener_tests;
#[cfg(test)]
mod service_tests;
#[cfg(test)]
mod test_server;

pub use config::HttpConfig;
pub use listener::{Listener, serve_http};
pub use reply_body::ReplyBody;
pub use service::HttpService;
