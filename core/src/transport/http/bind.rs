//! The address to listen on: this machine alone, unless told otherwise.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use tokio::net::{TcpListener, TcpSocket};

use crate::host_error::HostError;

/// The address that is listened on unless set otherwise: reachable from this machine only.
///
/// Specification: Streamable HTTP, "Security & Endpoint".
pub const DEFAULT_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// How many connections the system may hold until they are taken in.
const BACKLOG: u32 = 1024;

/// Reads the setting `address`: an IP address, with or without the brackets of IPv6, or `localhost`.
pub fn parse_address(text: &str) -> Result<IpAddr, HostError> {
    if text.eq_ignore_ascii_case("localhost") {
        return Ok(DEFAULT_ADDRESS);
    }
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    bare.parse().map_err(|_| {
        let problem = format!(
            "\"{text}\" is not an IP address; use 127.0.0.1 or ::1 for this machine alone, 0.0.0.0 or :: for every interface"
        );
        HostError::InvalidArgument(format!("address: {problem}"))
    })
}

/// Opens `address`, on the runtime that is entered, and says what it became: port 0 takes any that is free.
pub(super) fn open(address: SocketAddr) -> Result<(TcpListener, SocketAddr), HostError> {
    let opened = || {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // Connections of a listener that closed a moment ago do not keep the port. (Another listener does.)
        socket.set_reuseaddr(true)?;
        // Inherited by connections: the system finds out about clients that vanished.
        socket.set_keepalive(true)?;
        socket.bind(address)?;
        let listener = socket.listen(BACKLOG)?;
        let address = listener.local_addr()?;
        Ok((listener, address))
    };
    opened().map_err(|error| HostError::Io(format!("cannot listen on {address}: {}", reason(&error))))
}

fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::AddrInUse => {
            "the port is in use; choose another one, or 0 for any that is free".to_owned()
        }
        io::ErrorKind::PermissionDenied => {
            "not permitted; ports below 1024 are reserved, choose a higher one".to_owned()
        }
        io::ErrorKind::AddrNotAvailable => "this machine has no such address".to_owned(),
        _ => error.to_string(),
    }
}

/// Whether only this machine can connect to `address`.
pub(super) fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn reads_addresses_and_localhost() {
        for (text, address) in [
            ("127.0.0.1", "127.0.0.1"),
            ("localhost", "127.0.0.1"),
            ("0.0.0.0", "0.0.0.0"),
            ("::1", "::1"),
            ("[::1]", "::1"),
        ] {
            assert_eq!(parse_address(text).unwrap(), address.parse::<IpAddr>().unwrap());
        }
        let error = parse_address("example.test").unwrap_err().to_string();
        assert!(error.starts_with("address: \"example.test\" is not an IP address"), "{error}");
    }

    #[test]
    fn names_the_address_and_the_way_out() {
        for (kind, words) in [
            (io::ErrorKind::AddrInUse, "0 for any that is free"),
            (io::ErrorKind::PermissionDenied, "ports below 1024"),
            (io::ErrorKind::AddrNotAvailable, "no such address"),
        ] {
            assert!(reason(&kind.into()).contains(words));
        }
    }

    #[test]
    fn tells_which_addresses_stay_on_this_machine() {
        for (text, loopback) in [
            ("127.0.0.1", true),
            ("127.9.9.9", true),
            ("::1", true),
            ("::ffff:127.0.0.1", true),
            ("0.0.0.0", false),
            ("::", false),
            ("192.168.0.1", false),
        ] {
            assert_eq!(is_loopback(text.parse().unwrap()), loopback, "{text}");
        }
    }
}
