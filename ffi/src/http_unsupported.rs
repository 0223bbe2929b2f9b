//! What the functions of HTTP do in a library that was built without it. `http_config`, `listener`,
//! `endpoint` and `exchange` say what they do otherwise.

#![allow(missing_docs, clippy::missing_safety_doc, reason = "no argument is looked at")]

use std::ffi::{c_char, c_int, c_void};

use crate::boundary;
use crate::server::Server;
use crate::status::{Fault, Status};
use crate::user_data::{FreeFunction, UserData};

/// There is none.
pub enum HttpConfig {}

/// There is none.
pub enum Listener {}

/// There is none.
pub enum Endpoint {}

/// There is none.
pub enum Exchange {}

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

#[unsafe(no_mangle)]
pub extern "C" fn mcp_endpoint_new(
    _server: *mut Server,
    _config: *const HttpConfig,
    _out: *mut *mut Endpoint,
) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_endpoint_free(_endpoint: *mut Endpoint) {}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_exchange_new(
    _endpoint: *mut Endpoint,
    _method: *const c_char,
    _path: *const c_char,
    _out: *mut *mut Exchange,
) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_exchange_add_header(
    _exchange: *mut Exchange,
    _name: *const c_char,
    _value: *const c_char,
) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_exchange_set_principal(_exchange: *mut Exchange, _principal: *const c_char) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_exchange_start(
    _exchange: *mut Exchange,
    _body: *const c_void,
    _body_len: usize,
    _on_head: *const c_void,
    _on_body: *const c_void,
    _on_end: *const c_void,
    user_data: *mut c_void,
    user_data_free: FreeFunction,
) -> c_int {
    // As in every failure, the destructor runs.
    drop(UserData::new(user_data, user_data_free));
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_exchange_abort(_exchange: *mut Exchange) -> c_int {
    unsupported()
}

#[unsafe(no_mangle)]
pub extern "C" fn mcp_exchange_free(_exchange: *mut Exchange) {}

fn unsupported() -> c_int {
    let message = "this build of libmcp has no HTTP; build it with the feature \"http\"";
    boundary::fallible(|| Err(Fault::new(Status::ErrUnsupported, message)))
}
