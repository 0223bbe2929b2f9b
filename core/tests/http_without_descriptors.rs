//! A listener when the process has no descriptor left: it waits, and goes on when there is one again. In a
//! process of its own, for it takes every descriptor.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used)]

use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use mcp_core::server::engine::Server;
use mcp_core::transport::http::{HttpConfig, serve_http};

#[test]
fn goes_on_after_a_time_without_descriptors() {
    let server = Server::new("test", "1").unwrap();
    let listener = serve_http(&server, &HttpConfig::default()).unwrap();
    let limit = libc::rlimit { rlim_cur: 64, rlim_max: 64 };
    // SAFETY: a valid limit, which only this process feels.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_NOFILE, &limit) }, 0);
    let mut taken: Vec<File> = std::iter::from_fn(|| File::open("/dev/null").ok()).collect();
    taken.pop();
    // The system takes this connection in, but has no descriptor to hand it over with.
    let mut client = TcpStream::connect(listener.address()).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    client.write_all(b"OPTIONS /mcp HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").unwrap();

    let before = cpu_time();
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_millis(500) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let spent = cpu_time() - before;
    assert!(spent < Duration::from_millis(100), "spun for {spent:?}");

    drop(taken);
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 204 "), "{answer}");
}

/// The time that this process has kept processors busy.
fn cpu_time() -> Duration {
    let mut usage = std::mem::MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `usage` has room for what is written.
    let usage = unsafe {
        assert_eq!(libc::getrusage(libc::RUSAGE_SELF, usage.as_mut_ptr()), 0);
        usage.assume_init()
    };
    let time = |time: libc::timeval| Duration::new(time.tv_sec as u64, time.tv_usec as u32 * 1000);
    time(usage.ru_utime) + time(usage.ru_stime)
}
