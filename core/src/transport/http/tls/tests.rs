//! A listener over TLS, spoken to over real sockets.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::io::{BufRead, BufReader, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, Version};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::crypto::CryptoProvider;
use rustls::version::{TLS12, TLS13};
use rustls::{ClientConfig, ClientConnection, HandshakeKind, StreamOwned};
use tempfile::TempDir;
use tokio_rustls::TlsConnector;

use super::super::config::HttpConfig;
use super::super::listener::{Listener, serve_http};
use super::super::test_server::{BOUND, TestServer, call, request, wait_until};
use super::test_certificates::{Authority, Pair, write};
use crate::host_error::HostError;
use crate::protocol::content::ContentBlock;

/// A listener with a certificate, and what its clients trust.
struct Setting {
    test: TestServer,
    listener: Listener,
    authority: Authority,
    folder: TempDir,
}

impl Setting {
    fn new() -> Self {
        Self::with(HttpConfig::default())
    }

    fn with(config: HttpConfig) -> Self {
        let test = TestServer::new();
        let authority = Authority::new();
        let folder = tempfile::tempdir().unwrap();
        let Pair { certificate, key } = authority.issue();
        let tls = Some(write(folder.path(), &certificate, &key));
        let listener = serve_http(&test.server, &HttpConfig { tls, ..config }).unwrap();
        Setting { test, listener, authority, folder }
    }

    fn tcp(&self) -> TcpStream {
        let stream = TcpStream::connect(self.listener.address()).unwrap();
        stream.set_read_timeout(Some(BOUND)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    fn trust(&self) -> Arc<ClientConfig> {
        self.authority.client(&[&TLS13, &TLS12], &[])
    }

    fn client(&self) -> Client {
        Client::connect(self.tcp(), self.trust())
    }
}

/// A connection over TLS.
struct Client(BufReader<StreamOwned<ClientConnection, TcpStream>>);

impl Client {
    fn connect(mut stream: TcpStream, config: Arc<ClientConfig>) -> Self {
        let mut session = ClientConnection::new(config, "localhost".try_into().unwrap()).unwrap();
        while session.is_handshaking() {
            session.complete_io(&mut stream).unwrap();
        }
        Client(BufReader::new(StreamOwned::new(session, stream)))
    }

    fn session(&self) -> &ClientConnection {
        &self.0.get_ref().conn
    }

    fn send(&mut self, text: &str) {
        self.0.get_mut().write_all(text.as_bytes()).unwrap();
    }

    fn post(&mut self, body: &str) {
        let head = head(body.len());
        self.send(&(head + body));
    }

    /// Reads a whole response that says its length; head and body.
    fn answer(&mut self) -> String {
        let mut text = String::new();
        while !text.ends_with("\r\n\r\n") {
            assert!(self.0.read_line(&mut text).unwrap() > 0, "closed within a head: {text:?}");
        }
        let lower = text.to_ascii_lowercase();
        let length = lower.split("content-length: ").nth(1).unwrap().lines().next().unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        self.0.read_exact(&mut body).unwrap();
        text + std::str::from_utf8(&body).unwrap()
    }

    /// Waits until the server closes; whether it said so by a `close_notify`.
    fn is_closed_in_order(&mut self) -> bool {
        match self.0.read_to_end(&mut Vec::new()) {
            Ok(_) => true,
            Err(error) => {
                assert!(
                    matches!(error.kind(), ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset),
                    "{error}"
                );
                false
            }
        }
    }
}

fn head(length: usize) -> String {
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: tools/call\r\nMcp-Name: add\r\nContent-Length: {length}\r\n\r\n"
    )
}

/// A call of `hold`, and its headers.
fn hold(id: u32) -> String {
    let body = call(id, "hold");
    head(body.len()).replace("Mcp-Name: add", "Mcp-Name: hold") + &body
}

#[test]
fn serves_tls_12_and_13() {
    let setting = Setting::new();
    for version in [&TLS12, &TLS13] {
        for alpn in [&["http/1.1"][..], &[]] {
            let config = setting.authority.client(&[version], alpn);
            let mut client = Client::connect(setting.tcp(), config);
            assert_eq!(client.session().protocol_version().unwrap(), version.version);
            assert_eq!(client.session().alpn_protocol(), alpn.first().map(|name| name.as_bytes()));
            for id in [1, 2] {
                client.post(&call(id, "add"));
                let answer = client.answer();
                assert!(answer.starts_with("HTTP/1.1 200 ") && answer.contains(&format!("\"id\":{id},")));
            }
        }
    }
    assert!(CryptoProvider::get_default().is_none(), "the process's own choice is the host's");
}

#[test]
fn speaks_http2_with_clients_that_prefer_it() {
    let setting = Setting::new();
    setting.test.server.configure(|settings| settings.set("max_message_bytes", "100000")).unwrap();
    let config = setting.authority.client(&[&TLS13, &TLS12], &["h2", "http/1.1"]);
    let post = |body: String| {
        Request::post("https://localhost/mcp")
            .version(Version::HTTP_2)
            .header("content-type", "application/json")
            .header("mcp-protocol-version", "2026-07-28")
            .header("mcp-method", "tools/call")
            .header("mcp-name", "add")
            .body(Full::<Bytes>::new(body.into()))
            .unwrap()
    };
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let stream = tokio::net::TcpStream::connect(setting.listener.address()).await.unwrap();
        let name = "localhost".try_into().unwrap();
        let stream = TlsConnector::from(config).connect(name, stream).await.unwrap();
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
        let (mut client, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        let running = tokio::spawn(connection);
        for (body, status, wanted) in [
            (call(1, "add"), StatusCode::OK, "\"id\":1,"),
            ("x".repeat(4 << 20), StatusCode::PAYLOAD_TOO_LARGE, "100000 bytes"),
            (call(2, "add"), StatusCode::OK, "\"id\":2,"),
        ] {
            let response = client.send_request(post(body)).await.unwrap();
            assert_eq!((response.version(), response.status()), (Version::HTTP_2, status));
            let text = response.into_body().collect().await.unwrap().to_bytes();
            assert!(std::str::from_utf8(&text).unwrap().contains(wanted));
        }
        let listener = setting.listener;
        let shutdown = std::thread::spawn(move || listener.shutdown(BOUND).unwrap());
        running.await.unwrap().unwrap();
        shutdown.join().unwrap();
    });
}

#[test]
fn gives_new_connections_a_renewed_certificate_and_keeps_the_open_ones() {
    let setting = Setting::with(HttpConfig { tls_check: Duration::from_millis(10), ..HttpConfig::default() });
    let trust = setting.trust();
    let seen = |client: &Client| client.session().peer_certificates().unwrap()[0].clone();
    let mut old = Client::connect(setting.tcp(), trust.clone());
    let first = seen(&old);
    old.post(&call(1, "add"));
    old.answer();
    let mut again = Client::connect(setting.tcp(), trust.clone());
    assert_eq!(again.session().handshake_kind(), Some(HandshakeKind::Resumed));

    let Pair { certificate, key } = setting.authority.issue();
    write(setting.folder.path(), &certificate, &key);
    wait_until("the new certificate", || seen(&setting.client()) != first);
    let renewed = Client::connect(setting.tcp(), trust.clone());
    assert_eq!(
        renewed.session().handshake_kind(),
        Some(HandshakeKind::Full),
        "not what was agreed on before"
    );
    for (id, client) in [(2, &mut old), (3, &mut again)] {
        client.post(&call(id, "add"));
        assert!(client.answer().contains(&format!("\"id\":{id},")));
    }
}

#[test]
fn follows_links_that_are_turned() {
    let test = TestServer::new();
    let authority = Authority::new();
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for version in ["1", "2"] {
        fs::create_dir(at(version)).unwrap();
        let Pair { certificate, key } = authority.issue();
        write(&at(version), &certificate, &key);
    }
    symlink("1", at("data")).unwrap();
    for name in ["cert.pem", "key.pem"] {
        symlink(format!("data/{name}"), at(name)).unwrap();
    }
    let tls = Some(super::TlsFiles { certificate: at("cert.pem"), key: at("key.pem") });
    let config = HttpConfig { tls, tls_check: Duration::from_millis(10), ..HttpConfig::default() };
    let listener = serve_http(&test.server, &config).unwrap();
    let setting = Setting { test, listener, authority, folder };
    let seen = || setting.client().session().peer_certificates().unwrap()[0].clone();
    let first = seen();
    symlink("2", setting.folder.path().join("new")).unwrap();
    fs::rename(setting.folder.path().join("new"), setting.folder.path().join("data")).unwrap();
    wait_until("the new certificate", || seen() != first);
}

#[test]
fn tells_a_client_of_plain_http_that_it_speaks_https() {
    let setting = Setting::new();
    let mut client = setting.tcp();
    let large = head(8 << 20).into_bytes();
    client.write_all(&large).unwrap();
    // The whole body before a look at the answer, as simple clients do.
    client.write_all(&vec![b' '; 8 << 20]).unwrap();
    let mut answer = String::new();
    client.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nThis port speaks HTTPS: begin the address with https, not http.\n"));
    assert_eq!(setting.test.ran(), 0);
}

#[test]
fn survives_clients_that_make_no_handshake() {
    let setting = Setting::new();
    drop(setting.tcp());
    for garbage in [&b"\x16\x03\x01\x00\x05hello"[..], b"\x16nonsense", b"\x80\x2e\x01\x00\x02", &[0; 4096]] {
        let mut client = setting.tcp();
        client.write_all(garbage).unwrap();
        client.shutdown(Shutdown::Write).unwrap();
        // An alert, or nothing.
        let mut answer = Vec::new();
        client.read_to_end(&mut answer).unwrap();
        assert!(answer.is_empty() || answer[0] == 21, "{answer:?}");
    }
    let stranger = Authority::new().client(&[&TLS13], &[]);
    let mut session = ClientConnection::new(stranger, "localhost".try_into().unwrap()).unwrap();
    let mut stream = setting.tcp();
    assert!(session.complete_io(&mut stream).and_then(|_| session.complete_io(&mut stream)).is_err());
    let mut client = setting.client();
    client.post(&call(1, "add"));
    assert!(client.answer().contains("\"id\":1,"));
}

#[test]
fn bounds_the_time_of_a_handshake() {
    let setting =
        Setting::with(HttpConfig { head_timeout: Duration::from_millis(200), ..HttpConfig::default() });
    let mut silent = setting.tcp();
    let mut slow = setting.tcp();
    slow.write_all(b"\x16\x03\x01\x02\x00\x01").unwrap();
    let mut unused = setting.client();
    wait_until("the connections", || setting.listener.connections().count() == 3);
    for stream in [&mut silent, &mut slow] {
        assert!(!matches!(stream.read(&mut [0]), Ok(1..)));
    }
    assert!(unused.is_closed_in_order());
    wait_until("the end", || setting.listener.connections().count() == 0);
}

#[test]
fn says_that_it_closes_a_connection_at_rest() {
    for (idle, drain) in
        [(Duration::from_millis(200), None), (BOUND, Some(BOUND)), (BOUND, Some(Duration::ZERO))]
    {
        let setting = Setting::with(HttpConfig { idle_timeout: idle, ..HttpConfig::default() });
        let mut client = setting.client();
        client.post(&call(1, "add"));
        client.answer();
        // In TLS 1.2 the server has the last word of the handshake, so that both sides know it for complete.
        let config = setting.authority.client(&[&TLS12], &[]);
        let mut unused = drain.map(|_| Client::connect(setting.tcp(), config));
        if let Some(drain) = drain {
            setting.listener.shutdown(drain).unwrap();
        }
        assert!(client.is_closed_in_order());
        assert!(unused.as_mut().is_none_or(Client::is_closed_in_order));
    }
}

#[test]
fn does_not_end_half_a_response_as_if_it_were_whole() {
    let setting = Setting::new();
    let mut client = setting.client();
    client.send(&hold(1));
    let held = setting.test.held();
    held.progress(1.0, None, None).unwrap();
    let mut unread = setting.client();
    unread.send(&hold(2));
    let large = setting.test.held();
    large.add_content(ContentBlock::Text { text: &"x".repeat(64 << 20) }).unwrap();
    large.finish().unwrap();
    unread.0.fill_buf().unwrap();
    drop(setting.listener);
    assert!(!client.is_closed_in_order());
    assert!(!unread.is_closed_in_order());
}

#[test]
fn cancels_a_call_when_its_client_goes_away() {
    let setting = Setting::new();
    for in_order in [true, false] {
        let mut client = setting.client();
        client.send(&hold(1));
        let held = setting.test.held();
        assert!(!held.is_cancelled());
        if in_order {
            let stream = client.0.get_mut();
            stream.conn.send_close_notify();
            stream.flush().unwrap();
            wait_until("the cancellation", || held.is_cancelled());
        } else {
            drop(client);
            wait_until("the cancellation", || held.is_cancelled());
        }
    }
}

#[test]
fn refuses_a_large_body_so_that_its_sender_can_read_why() {
    let setting = Setting::new();
    setting.test.server.configure(|settings| settings.set("max_message_bytes", "100000")).unwrap();
    let mut client = setting.client();
    client.send(&head(8 << 20));
    client.send(&" ".repeat(8 << 20));
    let answer = client.answer();
    assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("100000 bytes"), "{answer}");
    assert!(client.is_closed_in_order());
}

#[test]
fn streams_a_large_answer_and_takes_a_large_body() {
    let setting = Setting::new();
    let mut client = setting.client();
    client.post(&request(1, "tools/call", &format!(r#""name":"add","pad":"{}","#, "x".repeat(5 << 20))));
    assert!(client.answer().contains("\"id\":1,"));
    client.send(&hold(2));
    let held = setting.test.held();
    held.add_content(ContentBlock::Text { text: &"y".repeat(20 << 20) }).unwrap();
    held.finish().unwrap();
    assert!(client.answer().len() > 20 << 20);
}

#[test]
fn does_not_begin_without_a_good_certificate_and_leaves_nothing_behind() {
    let test = TestServer::new();
    let folder = tempfile::tempdir().unwrap();
    let tls = Some(write(folder.path(), "nothing", "nothing"));
    let config = HttpConfig { tls, ..HttpConfig::default() };
    let told = serve_http(&test.server, &config).err().unwrap();
    assert!(matches!(&told, HostError::InvalidArgument(text) if text.contains("cert.pem")), "{told}");
    fs::remove_file(folder.path().join("cert.pem")).unwrap();
    let told = serve_http(&test.server, &config).err().unwrap();
    assert!(matches!(&told, HostError::Io(text) if text.contains("there is no such file")), "{told}");
    assert!(test.server.services().wait(Some(Duration::ZERO)), "it counts as a service");
}
