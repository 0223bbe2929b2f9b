//! TLS on a listener: rustls with ring, TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1 by ALPN.
//!
//! The provider is given by name. The process has a default one for whoever wants it; that is the host's to choose.

mod certificate_files;
mod file_stamp;
mod handshake;
mod pem_file;
mod plain_http;
mod renewal;
mod server_config;
mod wire;

#[cfg(test)]
mod test_certificates;
#[cfg(test)]
mod tests;

pub use certificate_files::TlsFiles;
pub(super) use handshake::begin;
pub(super) use renewal::{DEFAULT_CHECK, Tls, keep_current};
