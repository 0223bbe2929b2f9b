//! How to serve HTTP.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::nearest_name::did_you_mean;
use mcp_core::server::settings::Settings;
use mcp_core::transport::http;

use crate::boundary;
use crate::handle::{self, Output};
use crate::status::{Fault, Status};
use crate::text;

/// How to serve HTTP, to be built and then given to `mcp_server_start_http` or `mcp_endpoint_new`, which copy it.
///
/// It has one owner: no two threads may use it at the same time.
pub struct HttpConfig {
    /// What is built.
    pub config: http::HttpConfig,
}

/// Makes the default configuration: this machine alone (127.0.0.1), any free port, the path "/mcp".
///
/// `*out` is yours; free it with `mcp_http_config_free`. Any thread.
///
/// # Safety
/// `out` is NULL or may be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_new(out: *mut *mut HttpConfig) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let out = unsafe { Output::new(out, "out")? };
        out.give(HttpConfig { config: http::HttpConfig::default() });
        Ok(())
    })
}

/// Frees a configuration. NULL is fine.
///
/// # Safety
/// `config` is NULL or a live handle, which nobody uses any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_free(config: *mut HttpConfig) {
    // SAFETY: as promised by the caller.
    boundary::infallible((), || unsafe { handle::free(config) });
}

/// Sets the address to listen on: "127.0.0.1" or "::1" for this machine alone, "0.0.0.0" or "::" for every
/// interface.
///
/// Where other machines can connect, set allowed hosts and `mcp_http_config_set_tls_files` too, and see to
/// authorization in front of it. Errors: INVALID_ARG for what is neither an IP address nor "localhost".
///
/// # Safety
/// `config` is NULL or a live handle; `address` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_set_bind(config: *mut HttpConfig, address: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe {
        set(config, address, "address", |config, address| {
            let read = http::bind::parse_address(address);
            config.address =
                read.map_err(|fault| if has_port(address) { port_apart(address) } else { fault.into() })?;
            Ok(())
        })
    }
}

/// Sets the port to listen on; 0, the default, takes any that is free, which `mcp_listener_port` tells.
///
/// # Safety
/// `config` is NULL or a live handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_set_port(config: *mut HttpConfig, port: u16) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        unsafe { handle::exclusive(config, "config")? }.config.port = port;
        Ok(())
    })
}

/// Sets the path of the endpoint, "/mcp" by default. It is checked by `mcp_server_start_http`.
///
/// # Safety
/// `config` is NULL or a live handle; `path` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_set_path(config: *mut HttpConfig, path: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe {
        set(config, path, "path", |config, path| {
            config.path = path.into();
            Ok(())
        })
    }
}

/// Allows web pages of an origin, as "https://app.example.com", to use the server: it answers them with the
/// headers of CORS. Pages of other origins are refused, except those of this machine on a loopback address.
///
/// May be called several times. It is checked by `mcp_server_start_http`. (Specification:
/// basic/transports/streamable-http, "Security & Endpoint".)
///
/// # Safety
/// `config` is NULL or a live handle; `origin` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_allow_origin(
    config: *mut HttpConfig,
    origin: *const c_char,
) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe {
        set(config, origin, "origin", |config, origin| {
            config.allowed_origins.push(origin.into());
            Ok(())
        })
    }
}

/// Allows a host name, as "api.example.com" or "api.example.com:8443", in the `Host` of requests. Other names
/// are refused then, but for this machine's own on a loopback address. Without any allowed name, a loopback
/// address answers to this machine's own names only, another address to every name.
///
/// May be called several times. It is checked by `mcp_server_start_http`.
///
/// # Safety
/// `config` is NULL or a live handle; `host` is NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_allow_host(config: *mut HttpConfig, host: *const c_char) -> c_int {
    // SAFETY: as promised by the caller.
    unsafe {
        set(config, host, "host", |config, host| {
            config.allowed_hosts.push(host.into());
            Ok(())
        })
    }
}

/// Sets an option by its key: "keep_alive_ms", "max_connections", "head_timeout_ms", "idle_timeout_ms",
/// "tls_check_ms"; for sessions of the older revisions "max_sessions", "session_idle_ms", "event_store_events",
/// "event_store_bytes", "retry_ms", and "sse_path" for the transport of 2024-11-05, which is not served without.
/// docs/limits.md says what they mean.
///
/// Errors: INVALID_ARG for an unknown key or a value out of range.
///
/// # Safety
/// `config` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_set_option(
    config: *mut HttpConfig,
    key: *const c_char,
    value: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (config, key, value) = unsafe {
            let config = handle::exclusive(config, "config")?;
            (config, text::required(key, "key")?, text::required(value, "value")?)
        };
        config.config.set(key, value).map_err(|fault| option_fault(fault.into(), key))
    })
}

impl HttpConfig {
    /// The configuration behind a handle; the default one for NULL.
    ///
    /// # Safety
    /// `config` is NULL or a live handle.
    pub unsafe fn read(config: *const HttpConfig) -> http::HttpConfig {
        // SAFETY: as promised by the caller.
        unsafe { config.as_ref() }.map(|config| config.config.clone()).unwrap_or_default()
    }
}

/// # Safety
/// `config` is NULL or a live handle without another user; `value` is NULL or NUL-terminated.
unsafe fn set(
    config: *mut HttpConfig,
    value: *const c_char,
    what: &str,
    change: impl FnOnce(&mut http::HttpConfig, &str) -> Result<(), Fault>,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (config, value) = unsafe { (handle::exclusive(config, "config")?, text::required(value, what)?) };
        change(&mut config.config, value)
    })
}

/// Whether HTTP has an option of this name.
pub fn is_option(key: &str) -> bool {
    http::HttpConfig::option_names().any(|name| name == key)
}

/// The fault of setting the option `key`; where it is none of HTTP, with the way to find it.
fn option_fault(mut fault: Fault, key: &str) -> Fault {
    if is_option(key) {
        return fault;
    }
    if Settings::option_names().any(|name| name == key) {
        fault.message = format!("\"{key}\" is no option of HTTP; mcp_server_set_option sets it");
    } else if did_you_mean(key, http::HttpConfig::option_names()).is_empty() {
        fault.message.push_str("; docs/limits.md lists them");
    }
    fault
}

/// Whether the text is an address with a port, as "127.0.0.1:8080".
fn has_port(text: &str) -> bool {
    let Some((address, port)) = text.rsplit_once(':') else { return false };
    port.parse::<u16>().is_ok() && http::bind::parse_address(address).is_ok()
}

fn port_apart(address: &str) -> Fault {
    let message = format!(
        "address: \"{address}\" has a port; give the address alone: the port has mcp_http_config_set_port"
    );
    Fault::new(Status::ErrInvalidArg, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_to_an_option_that_is_none_of_http() {
        for (key, wanted) in [
            ("drain_ms", "\"drain_ms\" is no option of HTTP; mcp_server_set_option sets it"),
            ("colour", "there is no option \"colour\" of HTTP; docs/limits.md lists them"),
            ("keepalive_ms", "there is no option \"keepalive_ms\" of HTTP; did you mean \"keep_alive_ms\"?"),
        ] {
            let refused = http::HttpConfig::default().set(key, "1").err();
            let said = refused.map(|fault| option_fault(fault.into(), key).message);
            assert_eq!(said.as_deref(), Some(wanted));
        }
    }

    #[test]
    fn knows_an_address_with_a_port() {
        for text in ["127.0.0.1:80", "localhost:8080", "[::1]:65535"] {
            assert!(has_port(text), "{text}");
        }
        for text in ["127.0.0.1", "::1", "example.test:80", "127.0.0.1:", "127.0.0.1:65536"] {
            assert!(!has_port(text), "{text}");
        }
    }
}
