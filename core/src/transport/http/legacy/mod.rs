//! Clients of the older revisions over Streamable HTTP: sessions, streams on which a client listens, and streams that
//! can be taken up again where they broke off.
//!
//! `session_requests` takes each message to its session and is where to begin reading. What is said in a session waits
//! in its `store` until a connection takes it, and is kept there for a while, in case the connection breaks.

mod batch;
mod event_id;
mod http_session;
mod session_headers;
mod session_requests;
mod sessions;
mod store;
mod store_bounds;
mod stream;
mod stream_reader;
mod stream_reply;
mod streams;

#[cfg(test)]
mod session_tests;
#[cfg(test)]
mod store_tests;
#[cfg(test)]
mod stream_tests;
#[cfg(test)]
mod test_client;

pub use session_headers::{SESSION_ID, is_legacy, names_session};
pub use session_requests::{Batched, Introduced};
pub use sessions::{DEFAULT_IDLE, DEFAULT_MAX_SESSIONS, SessionOptions, Sessions};
pub use store_bounds::{DEFAULT_BYTES, DEFAULT_EVENTS, Load};
pub use stream_reader::StreamReader;
pub use streams::{DEFAULT_RETRY, Start};
