//! What the function of TLS does in a library that was built without it. `tls_files` says what it does otherwise.

#![allow(missing_docs, clippy::missing_safety_doc, reason = "no argument is looked at")]

use std::ffi::{c_char, c_int};

use crate::boundary;
#[cfg(feature = "http")]
use crate::http_config::HttpConfig;
#[cfg(not(feature = "http"))]
use crate::http_unsupported::HttpConfig;
use crate::status::{Fault, Status};

#[unsafe(no_mangle)]
pub extern "C" fn mcp_http_config_set_tls_files(
    _config: *mut HttpConfig,
    _certificate_file: *const c_char,
    _key_file: *const c_char,
) -> c_int {
    let message = "this build of libmcp has no TLS; build it with the feature \"tls\"";
    boundary::fallible(|| Err(Fault::new(Status::ErrUnsupported, message)))
}
