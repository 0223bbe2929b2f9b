//! A listener over real sockets, spoken to by hand.
#![allow(clippy::unwrap_used)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::config::HttpConfig;
use super::listener::{Listener, serve_http};
use super::patience::{DEFAULT_HEAD_TIMEOUT, DEFAULT_IDLE_TIMEOUT, Patience};
use super::test_server::{BOUND, TestServer, call, request, wait_until};
use crate::host_error::HostError;
use crate::protocol::content::ContentBlock;

fn listen(test: &TestServer, config: HttpConfig) -> Listener {
    serve_http(&test.server, &config).unwrap()
}

/// A connection, and what is read from it.
struct Client(BufReader<TcpStream>);

struct Answer {
    head: String,
    body: String,
}

impl Client {
    fn connect(listener: &Listener) -> Self {
        let stream = TcpStream::connect(listener.address()).unwrap();
        stream.set_read_timeout(Some(BOUND)).unwrap();
        stream.set_nodelay(true).unwrap();
        Client(BufReader::new(stream))
    }

    fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.0.get_mut().write_all(bytes.as_ref()).unwrap();
    }

    fn post(&mut self, body: &str) {
        self.send(head(body, &format!("Content-Length: {}\r\n", body.len())) + body);
    }

    /// Reads a whole response.
    fn answer(&mut self) -> Answer {
        let head = self.head();
        let lower = head.to_ascii_lowercase();
        let body = match lower.split("content-length: ").nth(1) {
            Some(rest) => {
                let mut body = vec![0; rest.lines().next().unwrap().parse().unwrap()];
                self.0.read_exact(&mut body).unwrap();
                String::from_utf8(body).unwrap()
            }
            None if lower.contains("transfer-encoding: chunked") => {
                std::iter::from_fn(|| Some(self.chunk()).filter(|chunk| !chunk.is_empty())).collect()
            }
            None => String::new(),
        };
        Answer { head, body }
    }

    fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.0.read_line(&mut head).unwrap() > 0, "closed within a head: {head:?}");
        }
        head
    }

    /// Reads one chunk; the last one is empty.
    fn chunk(&mut self) -> String {
        let mut size = String::new();
        self.0.read_line(&mut size).unwrap();
        let mut chunk = vec![0; usize::from_str_radix(size.trim(), 16).unwrap() + 2];
        self.0.read_exact(&mut chunk).unwrap();
        chunk.truncate(chunk.len() - 2);
        String::from_utf8(chunk).unwrap()
    }

    /// Waits for the server to close, and returns what came before.
    fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        // A reset is an end as well.
        let _ = self.0.read_to_end(&mut rest);
        String::from_utf8(rest).unwrap()
    }

    /// Whether the server has closed; waits for it.
    fn is_closed(&mut self) -> bool {
        match self.0.read(&mut [0]) {
            Ok(count) => count == 0,
            Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
        }
    }
}

/// The head of a request as a client should send it.
fn head(body: &str, length: &str) -> String {
    let method = body.split("\"method\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("none");
    let name = body.split("\"name\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("none");
    format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
         Mcp-Method: {method}\r\nMcp-Name: {name}\r\n{length}\r\n"
    )
}

const LISTEN: &str = r#""notifications":{"toolsListChanged":true},"#;

#[test]
fn serves_many_requests_on_one_connection() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let mut client = Client::connect(&listener);
    for id in 1..=3 {
        client.post(&call(id, "add"));
        let answer = client.answer();
        assert!(answer.head.starts_with("HTTP/1.1 200 OK\r\n"), "{}", answer.head);
        assert!(answer.head.to_ascii_lowercase().contains("content-type: application/json\r\n"));
        assert!(answer.body.contains(&format!("\"id\":{id},")));
    }
    // Two at once, and one a byte at a time.
    let both: String = [4, 5]
        .map(|id| {
            let body = call(id, "add");
            head(&body, &format!("Content-Length: {}\r\n", body.len())) + &body
        })
        .concat();
    client.send(&both);
    for id in [4, 5] {
        assert!(client.answer().body.contains(&format!("\"id\":{id},")));
    }
    let body = call(6, "add");
    for byte in (head(&body, &format!("Content-Length: {}\r\n", body.len())) + &body).bytes() {
        client.send([byte]);
    }
    assert!(client.answer().body.contains("\"id\":6,"));
}

#[test]
fn answers_a_notification_with_202_and_nothing_else() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let mut client = Client::connect(&listener);
    client.post(r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#);
    let answer = client.answer();
    assert!(answer.head.starts_with("HTTP/1.1 202 Accepted\r\n"));
    let head = answer.head.to_ascii_lowercase();
    assert!(head.contains("content-length: 0\r\n") && !head.contains("content-type"), "{head}");
}

#[test]
fn names_the_port_that_is_in_use() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let config = HttpConfig { port: listener.port(), ..HttpConfig::default() };
    let error = serve_http(&test.server, &config).err().unwrap();
    assert!(matches!(&error, HostError::Io(text) if text.contains("the port is in use")), "{error}");
    assert!(error.to_string().contains(&format!("127.0.0.1:{}", listener.port())));
}

#[test]
fn says_that_its_server_was_shut_down_and_not_that_the_port_is_in_use() {
    let test = TestServer::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    test.server.services().shut_down(Duration::ZERO);
    let config = HttpConfig { port, ..HttpConfig::default() };
    assert!(matches!(serve_http(&test.server, &config), Err(HostError::ShutDown)));
}

#[test]
fn leaves_nothing_behind_when_it_cannot_begin() {
    let test = TestServer::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let config = HttpConfig { port, ..HttpConfig::default() };
    assert!(matches!(serve_http(&test.server, &config), Err(HostError::Io(_))));
    assert!(test.server.services().wait(Some(Duration::ZERO)), "it counts as a service");
    test.server.services().shut_down(Duration::ZERO);
    assert!(matches!(serve_http(&test.server, &HttpConfig::default()), Err(HostError::ShutDown)));
    let tasks = test.server.runtime().handle().unwrap();
    wait_until("the end of its tasks", || tasks.metrics().num_alive_tasks() == 0);
}

#[test]
fn closes_the_connection_of_a_refused_request_whose_body_it_does_not_read() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let whole = head("", "Content-Length: 99999999999\r\n");
    for (status, head) in [
        (403, whole.replace("Host: localhost", "Host: elsewhere.test")),
        (403, whole.replace("Host: localhost", "Host: localhost\r\nOrigin: https://elsewhere.test")),
        (404, whole.replace("/mcp", "/other")),
        (405, whole.replace("POST", "PUT")),
        (406, whole.replace("application/json, text/event-stream", "text/html")),
        (415, whole.replace("Content-Type: application/json", "Content-Type: text/plain")),
    ] {
        let mut client = Client::connect(&listener);
        client.send(head);
        let answer = client.answer();
        assert!(answer.head.starts_with(&format!("HTTP/1.1 {status} ")), "{}", answer.head);
        assert!(answer.head.to_ascii_lowercase().contains("connection: close\r\n"), "{}", answer.head);
        assert!(client.is_closed());
    }
    let mut client = Client::connect(&listener);
    for _ in 0..2 {
        client.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assert!(client.answer().head.starts_with("HTTP/1.1 405 "), "one without a body leaves it open");
    }
}

#[test]
fn refuses_a_large_body_so_that_its_sender_can_read_why() {
    let test = TestServer::new();
    test.server.configure(|settings| settings.set("max_message_bytes", "100000")).unwrap();
    let listener = listen(&test, HttpConfig::default());
    let size = 8 << 20;

    let mut declared = Client::connect(&listener);
    declared.send(head("", &format!("Content-Length: {size}\r\n")));
    // The whole body before a look at the answer, as simple clients do.
    declared.send(vec![b' '; size]);
    let mut chunked = Client::connect(&listener);
    chunked.send(head("", "Transfer-Encoding: chunked\r\n"));
    for _ in 0..size >> 16 {
        chunked.send("10000\r\n");
        chunked.send(vec![b' '; 1 << 16]);
        chunked.send("\r\n");
    }
    let mut unsent = Client::connect(&listener);
    unsent.send(head("", "Content-Length: 99999999999\r\n"));
    for mut client in [declared, chunked, unsent] {
        let answer = client.answer();
        assert!(answer.head.starts_with("HTTP/1.1 413 "), "{}", answer.head);
        assert!(answer.head.to_ascii_lowercase().contains("connection: close\r\n"));
        assert!(answer.body.contains("100000 bytes that max_message_bytes allows"));
        assert!(client.is_closed());
    }
}

#[test]
fn takes_a_large_body_in_any_pieces() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let body = request(1, "tools/call", &format!(r#""name":"add","pad":"{}","#, "x".repeat(5 << 20)));
    let mut client = Client::connect(&listener);
    client.post(&body);
    assert!(client.answer().body.contains("\"id\":1,"));
    client.send(head(&body, "Transfer-Encoding: chunked\r\n"));
    for piece in body.as_bytes().chunks(100_000) {
        client.send(format!("{:x}\r\n", piece.len()));
        client.send(piece);
        client.send("\r\n");
    }
    client.send("0\r\n\r\n");
    assert!(client.answer().body.contains("\"id\":1,"));
}

#[test]
fn cancels_a_call_when_its_client_goes_away() {
    let test = TestServer::new();
    let config = HttpConfig { keep_alive: Duration::from_millis(50), ..HttpConfig::default() };
    let listener = listen(&test, config);
    for (streams, half) in [(false, false), (false, true), (true, false), (true, true)] {
        let mut client = Client::connect(&listener);
        let body = call(1, "hold");
        let json =
            head(&body, &format!("Content-Length: {}\r\n", body.len())).replace(", text/event-stream", "");
        if streams {
            client.post(&body);
            assert!(client.head().contains("text/event-stream"));
        } else {
            client.send(json + &body);
        }
        let held = test.held();
        assert!(!held.is_cancelled());
        if half {
            client.0.get_ref().shutdown(Shutdown::Write).unwrap();
        } else {
            drop(client);
        }
        wait_until("the cancellation", || held.is_cancelled());
    }
    let mut client = Client::connect(&listener);
    client.post(&call(2, "add"));
    assert!(client.answer().body.contains("\"id\":2,"));
}

#[test]
fn sends_each_event_at_once() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let mut client = Client::connect(&listener);
    client.post(&call(1, "hold"));
    let held = test.held();
    held.progress(1.0, None, None).unwrap();
    let head = client.head().to_ascii_lowercase();
    assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
    assert!(head.contains("x-accel-buffering: no\r\n") && head.contains("cache-control: no-cache\r\n"));
    assert!(client.chunk().contains("notifications/progress"));
    held.finish().unwrap();
    assert!(client.chunk().contains("\"id\":1,"));
    assert_eq!(client.chunk(), "");
    // The connection lives on.
    client.post(&call(2, "add"));
    assert!(client.answer().body.contains("\"id\":2,"));
}

#[test]
fn finishes_what_it_can_when_it_is_shut_down() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let address = listener.address();
    let mut idle = Client::connect(&listener);
    idle.post(&call(1, "add"));
    idle.answer();
    let mut unused = Client::connect(&listener);
    let mut subscriber = Client::connect(&listener);
    subscriber.post(&request(2, "subscriptions/listen", LISTEN));
    subscriber.head();
    assert!(subscriber.chunk().contains("acknowledged"));
    let mut short = Client::connect(&listener);
    short.post(&call(3, "hold"));
    let short_call = test.held();
    let mut endless = Client::connect(&listener);
    endless.post(&call(4, "hold"));
    let endless_call = test.held();

    let begun = Instant::now();
    let drain = Duration::from_secs(2);
    let shutdown = thread::spawn(move || listener.shutdown(drain).unwrap());
    assert!(idle.is_closed());
    assert!(unused.is_closed());
    let last = subscriber.rest();
    assert!(last.contains("\"id\":2,\"result\"") && last.ends_with("0\r\n\r\n"), "{last}");
    wait_until("the port", || TcpStream::connect(address).is_err());
    let config = HttpConfig { port: address.port(), ..HttpConfig::default() };
    let second = listen(&test, config);
    assert!(begun.elapsed() < drain, "only the endless call waits for the bound");
    short_call.finish().unwrap();
    let answer = short.answer();
    assert!(answer.body.contains("\"id\":3,"));
    assert!(answer.head.to_ascii_lowercase().contains("connection: close\r\n"));
    assert!(!endless_call.is_cancelled());
    shutdown.join().unwrap();
    assert!(endless_call.is_cancelled());
    assert_eq!(endless.rest(), "");
    assert!(begun.elapsed() >= drain);

    let mut client = Client::connect(&second);
    client.post(&call(5, "add"));
    assert!(client.answer().body.contains("\"id\":5,"));
}

#[test]
fn stops_with_its_server() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let mut client = Client::connect(&listener);
    client.post(&call(1, "add"));
    client.answer();
    test.server.close().unwrap();
    assert!(client.is_closed());
    assert!(TcpStream::connect(listener.address()).is_err());
    assert!(matches!(serve_http(&test.server, &HttpConfig::default()), Err(HostError::ShutDown)));
    listener.shutdown(Duration::ZERO).unwrap();
}

#[test]
fn closes_everything_when_it_is_dropped() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let mut client = Client::connect(&listener);
    client.post(&call(1, "hold"));
    let held = test.held();
    drop(listener);
    assert_eq!(client.rest(), "");
    wait_until("the cancellation", || held.is_cancelled());
    assert!(test.server.services().wait(Some(BOUND)));
}

#[test]
fn closes_connections_that_keep_it_waiting() {
    let test = TestServer::new();
    let config = HttpConfig {
        head_timeout: Duration::from_millis(500),
        idle_timeout: Duration::from_millis(500),
        ..HttpConfig::default()
    };
    let listener = listen(&test, config);
    let mut working = Client::connect(&listener);
    working.post(&call(1, "hold"));
    let held = test.held();
    let mut silent = Client::connect(&listener);
    let mut slow = Client::connect(&listener);
    slow.send("POST /mcp HTTP/1.1\r\nHost:");
    let mut idle = Client::connect(&listener);
    idle.post(&call(2, "add"));
    idle.answer();
    for client in [&mut silent, &mut slow, &mut idle] {
        assert!(client.is_closed());
    }
    thread::sleep(Duration::from_millis(700));
    held.finish().unwrap();
    assert!(working.answer().body.contains("\"id\":1,"));
}

#[test]
fn closes_the_connection_of_a_client_that_does_not_read_and_not_of_one_with_nothing_to_read() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig::default());
    let mut quiet = Client::connect(&listener);
    quiet.post(&call(1, "hold"));
    let quiet_call = test.held();
    quiet_call.progress(1.0, None, None).unwrap();
    quiet.head();
    quiet.chunk();
    let mut unread = Client::connect(&listener);
    unread.post(&call(2, "hold"));
    let unread_call = test.held();
    unread_call.add_content(ContentBlock::Text { text: &"x".repeat(64 << 20) }).unwrap();
    unread_call.finish().unwrap();
    // Many minutes pass at once.
    let patience = Patience::new(DEFAULT_HEAD_TIMEOUT, DEFAULT_IDLE_TIMEOUT);
    wait_until("the close", || {
        for _ in 0..1000 {
            listener.connections().tick(&patience);
        }
        listener.connections().count() == 1
    });
    assert!(unread.rest().len() < 64 << 20);
    quiet_call.finish().unwrap();
    assert!(quiet.chunk().contains("\"id\":1,"));
}

#[test]
fn leaves_more_connections_than_allowed_waiting() {
    let test = TestServer::new();
    let listener = listen(&test, HttpConfig { max_connections: 2, ..HttpConfig::default() });
    let mut first = Client::connect(&listener);
    let mut second = Client::connect(&listener);
    for client in [&mut first, &mut second] {
        client.post(&call(1, "add"));
        client.answer();
    }
    let mut third = Client::connect(&listener);
    third.post(&call(3, "add"));
    third.0.get_ref().set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(third.0.fill_buf().is_err());
    third.0.get_ref().set_read_timeout(Some(BOUND)).unwrap();
    drop(first);
    assert!(third.answer().body.contains("\"id\":3,"));
}

#[test]
fn refuses_to_wait_for_itself() {
    let test = TestServer::new();
    let listener = std::sync::Arc::new(listen(&test, HttpConfig::default()));
    let (tell, told) = std::sync::mpsc::channel();
    let own = listener.clone();
    test.server.runtime().spawn(async move { tell.send(own.shutdown(BOUND)).unwrap() }).unwrap();
    assert!(matches!(told.recv_timeout(BOUND).unwrap(), Err(HostError::Deadlock(_))));
}
