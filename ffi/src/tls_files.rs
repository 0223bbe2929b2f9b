//! HTTPS: which certificate a listener has.

use std::ffi::{c_char, c_int};

use mcp_core::transport::http::TlsFiles;

use crate::boundary;
use crate::handle;
use crate::http_config::HttpConfig;
use crate::status::{Fault, Status};
use crate::text;

/// Serves HTTPS with the certificate and the private key in these files: TLS 1.2 and 1.3, and HTTP/2 for
/// clients that ask for it by ALPN.
///
/// Both files are PEM, and may be one. The certificate is the server's own, with those of its issuers behind
/// it. The key is PKCS#8, PKCS#1 or SEC1, without a passphrase: RSA of 2048 to 4096 bits, ECDSA on P-256 or
/// P-384, or Ed25519. The files are read by `mcp_server_start_http`, whose errors name the file and what is
/// wrong: IO where it cannot be read, INVALID_ARG for what is in it, and for a key that does not belong to
/// the certificate. While the listener serves, it looks at them every few seconds (option "tls_check_ms"):
/// connections that begin after a change get the new certificate; where the new files are no good, the log
/// says so and the old one stays.
///
/// May be called again; the last call holds. Errors: INVALID_ARG for an empty name; UNSUPPORTED in a build
/// without TLS.
///
/// # Safety
/// `config` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_http_config_set_tls_files(
    config: *mut HttpConfig,
    certificate_file: *const c_char,
    key_file: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (config, certificate, key) = unsafe {
            let config = handle::exclusive(config, "config")?;
            (config, file(certificate_file, "certificate_file")?, file(key_file, "key_file")?)
        };
        config.config.tls = Some(TlsFiles { certificate: certificate.into(), key: key.into() });
        Ok(())
    })
}

/// # Safety
/// `name` is NULL or NUL-terminated, and lives as long as the result is used.
unsafe fn file<'a>(name: *const c_char, what: &str) -> Result<&'a str, Fault> {
    // SAFETY: as promised by the caller.
    let name = unsafe { text::required(name, what)? };
    if name.is_empty() {
        return Err(Fault::new(
            Status::ErrInvalidArg,
            format!("{what} is empty; give the path of a PEM file"),
        ));
    }
    Ok(name)
}
