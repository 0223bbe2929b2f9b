//! Listens on a port.

use std::sync::Arc;
use std::time::Duration;

use mcp_core::host_error::HostError;
use mcp_core::server::engine::Server;
use mcp_core::transport::http::{HttpConfig, Listener, TlsFiles, bind, serve_http};
use napi_derive::napi;

use crate::environment::Shared;
use crate::fault::{Result, fault, invalid};
use crate::server::{NativeServer, wait_aside};

/// How HTTP is served.
#[napi(object)]
pub struct HttpOptions {
    /// The address to listen on.
    pub address: Option<String>,
    /// The port, 0 for any that is free.
    pub port: Option<u32>,
    /// The path of the endpoint.
    pub path: Option<String>,
    /// The web pages that may use the server.
    pub allowed_origins: Vec<String>,
    /// The names that the server answers to.
    pub allowed_hosts: Vec<String>,
    /// The file of a certificate chain.
    pub certificate: Option<String>,
    /// The file of its key.
    pub key: Option<String>,
    /// Options by their keys in `docs/limits.md`: keys and values by turns.
    pub options: Vec<String>,
}

impl HttpOptions {
    /// The same for the core.
    pub fn config(self) -> Result<HttpConfig> {
        let mut config = HttpConfig::default();
        if let Some(address) = self.address {
            config.address = bind::parse_address(&address).map_err(|error| fault(&error))?;
        }
        if let Some(port) = self.port {
            config.port = u16::try_from(port).map_err(|_| invalid(format!("port: {port} is above 65535")))?;
        }
        if let Some(path) = self.path {
            config.path = path;
        }
        config.allowed_origins = self.allowed_origins;
        config.allowed_hosts = self.allowed_hosts;
        if let (Some(certificate), Some(key)) = (self.certificate, self.key) {
            config.tls = Some(TlsFiles { certificate: certificate.into(), key: key.into() });
        }
        for pair in self.options.chunks_exact(2) {
            config.set(&pair[0], &pair[1]).map_err(|error| fault(&error))?;
        }
        Ok(config)
    }
}

/// An open port.
#[napi]
pub struct NativeListener {
    shared: Arc<Shared>,
    server: Arc<Server>,
    listener: Arc<Listener>,
}

#[napi]
impl NativeServer {
    /// Opens a port and serves what connects there.
    #[napi]
    pub fn listen(&self, options: HttpOptions) -> Result<NativeListener> {
        let listener = serve_http(&self.core, &options.config()?).map_err(|error| fault(&error))?;
        let (shared, server) = (self.shared.clone(), self.core.clone());
        Ok(NativeListener { shared, server, listener: Arc::new(listener) })
    }
}

#[napi]
impl NativeListener {
    /// The port.
    #[napi(getter)]
    pub fn port(&self) -> u32 {
        self.listener.port().into()
    }

    /// The address with its port, as a URL has them.
    #[napi(getter)]
    pub fn address(&self) -> String {
        self.listener.address().to_string()
    }

    /// Begins to close the port; `promise` is settled when nothing runs on it any more.
    #[napi]
    pub fn close(&self, drain_ms: Option<u32>, promise: u32) -> Result<()> {
        let drain =
            drain_ms.map_or_else(|| self.server.settings().drain, |ms| Duration::from_millis(ms.into()));
        let listener = self.listener.clone();
        wait_aside(&self.shared, "mcp-close", promise, move || -> Result<(), HostError> {
            listener.shutdown(drain)
        })
    }
}
