//! Which version of the library runs.

use std::ffi::{CStr, c_char};

/// The version of the library that runs: `MCP_VERSION_NUMBER` of its header, `major << 16 | minor << 8 |
/// patch`.
///
/// Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_version_number() -> u32 {
    NUMBER
}

/// The version of the library that runs, as "0.1.0".
///
/// Never NULL. The text is static. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_version_string() -> *const c_char {
    TEXT.as_ptr()
}

const NUMBER: u32 = part(env!("CARGO_PKG_VERSION_MAJOR")) << 16
    | part(env!("CARGO_PKG_VERSION_MINOR")) << 8
    | part(env!("CARGO_PKG_VERSION_PATCH"));

const TEXT: &CStr = match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
    Ok(text) => text,
    Err(_) => c"",
};

const fn part(digits: &str) -> u32 {
    match u32::from_str_radix(digits, 10) {
        Ok(number) => number,
        Err(_) => 0,
    }
}
