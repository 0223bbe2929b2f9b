//! What is agreed on with a client. What the TLS library would decide for us is set here, by name.

use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::server::ServerSessionMemoryCache;
use rustls::sign::{CertifiedKey, SingleCertAndKey};
use rustls::version::{TLS12, TLS13};
use rustls::{ServerConfig, SupportedProtocolVersion};

use crate::host_error::HostError;

/// The versions of TLS.
const VERSIONS: &[&SupportedProtocolVersion] = &[&TLS13, &TLS12];

/// The protocols within it, the better one first. A client that names none of its own begins as it likes.
const ALPN: [&str; 2] = ["h2", "http/1.1"];

/// How many sessions are remembered, for clients that come back to take up without the whole handshake.
const MAX_SESSIONS: usize = 1024;

/// How a server begins that has this certificate. Sessions are remembered by this configuration alone: who comes back
/// after a change of certificate gets the new one.
pub(super) fn server_config(
    certificate: CertifiedKey,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<ServerConfig>, HostError> {
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(VERSIONS)
        .map_err(|error| HostError::InvalidArgument(format!("TLS: {error}")))?
        .with_no_client_auth()
        .with_cert_resolver(Arc::new(SingleCertAndKey::from(certificate)));
    config.alpn_protocols = ALPN.map(|name| name.as_bytes().to_vec()).into();
    config.session_storage = ServerSessionMemoryCache::new(MAX_SESSIONS);
    // Requests that came before the handshake is complete could be played back by anyone.
    config.max_early_data_size = 0;
    Ok(Arc::new(config))
}
