//! Streamable HTTP: what the transport demands of a request, one rule a file, and a listener.
//!
//! `service` applies the rules in their order and is where to begin reading.

mod accept;
mod accept_loop;
mod authority;
mod backlog;
pub mod bind;
mod body;
mod client;
mod config;
mod content_type;
mod cors;
mod endpoint;
mod event_stream;
mod exchange;
mod exchange_request;
mod host;
mod http_reply;
mod http_sse;
mod legacy;
mod linger;
mod listener;
mod method;
mod open_call;
mod open_connections;
mod open_streams;
mod origin;
mod path;
mod patience;
mod principal;
mod protocols;
mod refusal;
mod reply_body;
mod request_headers;
mod response;
mod running_exchanges;
mod serve_connection;
mod service;
mod socket;
#[cfg(feature = "tls")]
mod tls;

#[cfg(test)]
mod exchange_tests;
#[cfg(test)]
mod http2_tests;
#[cfg(test)]
mod listener_tests;
#[cfg(test)]
mod service_tests;
#[cfg(test)]
mod test_server;

pub use config::HttpConfig;
pub use endpoint::HttpEndpoint;
pub use exchange::{Abort, ResponseWriter};
pub use exchange_request::ExchangeRequest;
pub use legacy::SessionOptions;
pub use listener::{Listener, serve_http};
pub use principal::Principal;
pub use reply_body::ReplyBody;
pub use service::HttpService;
#[cfg(feature = "tls")]
pub use tls::TlsFiles;
