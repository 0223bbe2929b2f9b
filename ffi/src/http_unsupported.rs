//! What the functions of HTTP do in a library that was built without it. `http_config` and `listener` say
//! what they do otherwise.

#![allow(missing_docs, clippy::missing_safety_doc, reason = "no argument is looked at")]

use std::ffi::{c_char, c_int};

use crate::boundary;
use crate::server::Server;
use crate::status::{Fault, Status};

/// There is none.
pub enum HttpConfig {}

/// There is none.
pub enum Listener {}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_new(_out: *mut *mut HttpConfig) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_free(_config: *mut HttpConfig) {}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_set_bind(_config: *mut HttpConfig, _address: *const c_char) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_set_port(_config: *mut HttpConfig, _port: u16) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_set_path(_config: *mut HttpConfig, _path: *const c_char) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_allow_origin(_config: *mut HttpConfig, _origin: *const c_char) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_allow_host(_config: *mut HttpConfig, _host: *const c_char) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_set_option(
    _config: *mut HttpConfig,
    _key: *const c_char,
    _value: *const c_char,
) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_server_start_http(
    _server: *mut Server,
    _config: *const HttpConfig,
    _out: *mut *mut Listener,
) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_listener_port(_listener: *const Listener) -> u16 {
    0
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_listener_shutdown(_listener: *mut Listener, _drain_ms: u32) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_listener_free(_listener: *mut Listener) {}

fn unsupported() -> c_int {
    let message = "this build of libmcp has no HTTP; build it with the feature \"http\"";
    boundary::fallible(|| Err(Fault::new(Status::ErrUnsupported, message)))
}
