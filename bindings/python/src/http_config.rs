//! How to serve HTTP, from the keyword arguments of `serve_http` and its like.

use mcp_core::host_error::HostError;
use mcp_core::protocol::nearest_name::did_you_mean;
use mcp_core::transport::http::{HttpConfig, bind};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};

use crate::fault;

/// The arguments that are no options of the core.
const OWN: [&str; 7] =
    ["host", "port", "path", "allowed_hosts", "allowed_origins", "certificate_file", "key_file"];

/// Reads `arguments`, of which `None` is like one that was not given. What is none is refused, by name.
pub fn read(arguments: &Bound<'_, PyDict>) -> PyResult<HttpConfig> {
    let py = arguments.py();
    let mut config = HttpConfig::default();
    for (name, value) in arguments {
        let name: String = name.extract()?;
        if value.is_none() {
            continue;
        }
        match name.as_str() {
            "host" => {
                let host: String = value.extract()?;
                config.address = bind::parse_address(&host).map_err(|fault| fault::exception(py, &fault))?;
            }
            "port" => {
                config.port = value.extract().map_err(|_| {
                    PyValueError::new_err(format!(
                        "port is {value}; it must be a whole number from 0 to 65535"
                    ))
                })?;
            }
            "path" => config.path = value.extract()?,
            "allowed_hosts" => config.allowed_hosts = texts(&name, &value)?,
            "allowed_origins" => config.allowed_origins = texts(&name, &value)?,
            "certificate_file" | "key_file" => {}
            option => set(&mut config, option, &value)?,
        }
    }
    set_tls(&mut config, arguments)?;
    Ok(config)
}

/// A list of texts; one text alone is a likely mistake, as it has the shape of a list of its letters.
fn texts(name: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err(format!("{name}: give a list of texts, as [{}]", value.repr()?)));
    }
    value.try_iter()?.map(|text| text?.extract()).collect()
}

fn set(config: &mut HttpConfig, option: &str, value: &Bound<'_, PyAny>) -> PyResult<()> {
    if !HttpConfig::option_names().any(|name| name == option) {
        let hint = did_you_mean(option, OWN.into_iter().chain(HttpConfig::option_names()));
        return Err(PyTypeError::new_err(format!("there is no option {option:?} of HTTP{hint}")));
    }
    let value = value.str()?;
    config.set(option, value.to_str()?).map_err(|fault| fault::exception(value.py(), &fault))
}

#[cfg(feature = "tls")]
fn set_tls(config: &mut HttpConfig, arguments: &Bound<'_, PyDict>) -> PyResult<()> {
    use mcp_core::transport::http::TlsFiles;

    let file = |name| arguments.get_item(name).map(|file| file.filter(|file| !file.is_none()));
    config.tls = match (file("certificate_file")?, file("key_file")?) {
        (None, None) => None,
        (Some(certificate), Some(key)) => {
            Some(TlsFiles { certificate: certificate.extract()?, key: key.extract()? })
        }
        (certificate, _) => {
            let missing = if certificate.is_none() { "certificate_file" } else { "key_file" };
            let message = format!("{missing} is missing: HTTPS needs both files, which may be the same one");
            return Err(fault::exception(arguments.py(), &HostError::InvalidArgument(message)));
        }
    };
    Ok(())
}

#[cfg(not(feature = "tls"))]
fn set_tls(_: &mut HttpConfig, arguments: &Bound<'_, PyDict>) -> PyResult<()> {
    for name in ["certificate_file", "key_file"] {
        if arguments.get_item(name)?.is_some_and(|file| !file.is_none()) {
            let message = format!("{name}: this build has no TLS");
            return Err(fault::exception(arguments.py(), &HostError::InvalidArgument(message)));
        }
    }
    Ok(())
}
