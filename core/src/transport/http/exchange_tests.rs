//! An endpoint in a web server that the tests play.
#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;

use bytes::Bytes;

use super::config::HttpConfig;
use super::endpoint::HttpEndpoint;
use super::exchange::{Abort, ResponseWriter};
use super::exchange_request::ExchangeRequest;
use super::test_server::{BOUND, TestServer, call, request};
use crate::host_error::HostError;

type Headers = HashMap<String, String>;

#[derive(Debug, PartialEq)]
enum Told {
    Head(u16, Headers),
    Body(String),
    End,
    Dropped,
}

struct Teller {
    tell: Sender<Told>,
    each: Box<dyn FnMut() + Send>,
}

impl Teller {
    fn tell(&mut self, told: Told) {
        self.tell.send(told).unwrap();
        (self.each)();
    }
}

impl ResponseWriter for Teller {
    fn head(&mut self, status: u16, headers: &[(&str, &[u8])]) {
        let text =
            |(name, value): &(&str, &[u8])| (name.to_string(), String::from_utf8(value.to_vec()).unwrap());
        self.tell(Told::Head(status, headers.iter().map(text).collect()));
    }

    fn body(&mut self, piece: &[u8]) {
        self.tell(Told::Body(String::from_utf8(piece.to_vec()).unwrap()));
    }

    fn end(&mut self) {
        self.tell(Told::End);
    }
}

impl Drop for Teller {
    fn drop(&mut self) {
        self.tell.send(Told::Dropped).ok();
    }
}

fn post(body: &str, headers: &[(&str, &str)]) -> (ExchangeRequest, Bytes) {
    post_to("/mcp", body, headers)
}

fn post_to(target: &str, body: &str, headers: &[(&str, &str)]) -> (ExchangeRequest, Bytes) {
    let method = body.split("\"method\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("none");
    let name = body.split("\"name\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let mut request = ExchangeRequest::new("POST", target).unwrap();
    let usual = [
        ("Host", "localhost"),
        ("Content-Type", "application/json"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    let named = name.map(|name| ("Mcp-Name", name));
    for (name, value) in usual.iter().chain(&named).filter(|usual| headers.iter().all(|own| own.0 != usual.0))
    {
        request.add_header(name, value.as_bytes()).unwrap();
    }
    for (name, value) in headers {
        request.add_header(name, value.as_bytes()).unwrap();
    }
    (request, Bytes::from(body.to_owned()))
}

struct Running {
    told: Receiver<Told>,
    abort: Abort,
}

impl Running {
    fn next(&self) -> Told {
        self.told.recv_timeout(BOUND).unwrap()
    }

    fn head(&self) -> (u16, Headers) {
        match self.next() {
            Told::Head(status, headers) => (status, headers),
            other => panic!("{other:?} in place of a head"),
        }
    }

    /// What came until the end, which comes once, with nothing behind it.
    fn body(&self) -> String {
        let mut whole = String::new();
        loop {
            match self.next() {
                Told::Body(piece) => whole.push_str(&piece),
                Told::End => break,
                other => panic!("{other:?} in a body"),
            }
        }
        assert_eq!(self.next(), Told::Dropped);
        whole
    }
}

struct Fixture {
    test: TestServer,
    endpoint: Arc<HttpEndpoint>,
}

impl Fixture {
    fn new(config: &HttpConfig) -> Self {
        let test = TestServer::new();
        let endpoint = Arc::new(HttpEndpoint::open(&test.server, config).unwrap());
        Fixture { test, endpoint }
    }

    fn start(&self, request: (ExchangeRequest, Bytes)) -> Running {
        self.start_with(request, Abort::default(), Box::new(|| ())).unwrap()
    }

    fn start_with(
        &self,
        (request, body): (ExchangeRequest, Bytes),
        abort: Abort,
        each: Box<dyn FnMut() + Send>,
    ) -> Result<Running, HostError> {
        let (tell, told) = mpsc::channel();
        self.endpoint.start(request, body, Box::new(Teller { tell, each }), &abort)?;
        Ok(Running { told, abort })
    }
}

#[test]
fn an_answer_comes_whole_with_its_length() {
    let fixture = Fixture::new(&HttpConfig::default());
    let running = fixture.start(post(&call(1, "add"), &[]));
    let (status, headers) = running.head();
    let body = running.body();
    assert_eq!((status, &*headers["content-type"]), (200, "application/json"));
    assert_eq!(headers["content-length"], body.len().to_string());
    assert!(body.contains("\"text\":\"sum\""), "{body}");
}

#[test]
fn a_stream_comes_as_it_is_made() {
    let fixture = Fixture::new(&HttpConfig::default());
    let running = fixture.start(post(&call(1, "hold"), &[]));
    let held = fixture.test.held();
    held.progress(1.0, None, None).unwrap();
    let (status, headers) = running.head();
    assert_eq!((status, &*headers["content-type"]), (200, "text/event-stream"));
    assert!(!headers.contains_key("content-length"));
    let Told::Body(event) = running.next() else { panic!("no event") };
    assert!(event.starts_with("data: ") && event.contains("notifications/progress"), "{event}");
    held.finish().unwrap();
    assert!(running.body().ends_with("\n\n"));
}

#[test]
fn asks_of_a_request_what_a_listener_asks() {
    let config = HttpConfig { path: "/api/mcp".into(), ..HttpConfig::default() };
    let fixture = Fixture::new(&config);
    fixture.test.server.configure(|settings| settings.set("max_message_bytes", "1024")).unwrap();
    let elsewhere = |path: &str, body: &str, headers: &[(&str, &str)]| {
        let running = fixture.start(post_to(path, body, headers));
        let (status, headers) = running.head();
        assert!(!headers.contains_key("connection"), "that is the host's affair");
        running.body();
        status
    };
    let add = call(1, "add");
    assert_eq!(elsewhere("/api/mcp?x=1", &add, &[]), 200);
    assert_eq!(elsewhere("/mcp", &add, &[]), 404);
    assert_eq!(elsewhere("/api/mcp", &add, &[("Origin", "https://evil.example")]), 403);
    assert_eq!(elsewhere("/api/mcp", &add, &[("Host", "evil.example")]), 403);
    assert_eq!(elsewhere("/api/mcp", &" ".repeat(1025), &[]), 413);
    let mut put = ExchangeRequest::new("PUT", "/api/mcp").unwrap();
    put.add_header("host", b"localhost").unwrap();
    let running = fixture.start((put, Bytes::new()));
    let (status, headers) = running.head();
    assert!(status == 405 && headers.contains_key("allow"));
    running.body();
}

#[test]
fn says_on_whose_behalf_a_request_comes() {
    let fixture = Fixture::new(&HttpConfig::default());
    for principal in [Some("ann"), None] {
        let mut request = post(&call(1, "hold"), &[]);
        request.0.set_principal(principal);
        let running = fixture.start(request);
        let held = fixture.test.held();
        assert_eq!(held.context().principal.as_deref(), principal);
        held.finish().unwrap();
        running.head();
        running.body();
    }
}

#[test]
fn what_the_host_attached_to_a_request_reaches_its_handler() {
    let fixture = Fixture::new(&HttpConfig::default());
    for attached in [Some("mine"), None] {
        let mut request = post(&call(1, "hold"), &[]);
        if let Some(text) = attached {
            request.0.attach(Arc::new(text));
        }
        let running = fixture.start(request);
        let held = fixture.test.held();
        let found = held.context().attachment().and_then(|any| any.downcast_ref::<&str>());
        assert_eq!(found.copied(), attached);
        held.finish().unwrap();
        running.head();
        running.body();
    }
}

#[test]
fn an_exchange_that_is_broken_off_cancels_its_call_and_ends() {
    let fixture = Fixture::new(&HttpConfig::default());
    for streams in [false, true] {
        let running = fixture.start(post(&call(1, "hold"), &[]));
        let held = fixture.test.held();
        if streams {
            held.progress(1.0, None, None).unwrap();
            running.head();
            running.next();
        }
        running.abort.abort();
        running.abort.abort();
        assert_eq!(running.body(), "");
        assert!(held.is_cancelled());
    }
}

#[test]
fn an_exchange_broken_off_before_it_begins_is_not_even_called() {
    let fixture = Fixture::new(&HttpConfig::default());
    let abort = Abort::default();
    abort.abort();
    let running = fixture.start_with(post(&call(1, "add"), &[]), abort, Box::new(|| ())).unwrap();
    assert_eq!(running.body(), "");
    assert_eq!(fixture.test.ran(), 0);
}

#[test]
fn nothing_but_the_end_follows_an_abort_by_the_writer_itself() {
    let fixture = Fixture::new(&HttpConfig::default());
    let abort = Abort::default();
    let inside = abort.clone();
    let each = Box::new(move || inside.abort());
    let running = fixture.start_with(post(&call(1, "add"), &[]), abort, each).unwrap();
    running.head();
    assert_eq!(running.body(), "");
}

#[test]
fn a_writer_cannot_wait_for_the_endpoint() {
    let fixture = Fixture::new(&HttpConfig::default());
    let endpoint = fixture.endpoint.clone();
    let (tell, told) = mpsc::channel();
    let each = Box::new(move || tell.send(endpoint.shutdown(Duration::ZERO)).unwrap());
    let running = fixture.start_with(post(&call(1, "add"), &[]), Abort::default(), each).unwrap();
    running.head();
    running.body();
    for refused in told.iter().take(3) {
        assert!(matches!(refused, Err(HostError::Deadlock(_))), "{refused:?}");
    }
}

#[test]
fn a_shutdown_ends_subscriptions_and_gives_calls_their_time() {
    let fixture = Fixture::new(&HttpConfig::default());
    let listen = request(1, "subscriptions/listen", r#""notifications":{"toolsListChanged":true},"#);
    let subscription = fixture.start(post(&listen, &[]));
    subscription.head();
    subscription.next();
    let running = fixture.start(post(&call(2, "hold"), &[]));
    let held = fixture.test.held();
    fixture.test.server.services().shut_down(BOUND);
    assert!(subscription.body().contains("\"id\":1"));
    let refused = fixture.start_with(post(&call(3, "add"), &[]), Abort::default(), Box::new(|| ()));
    assert!(matches!(refused.map(drop), Err(HostError::ShutDown)));
    assert!(!fixture.test.server.services().wait(Some(Duration::ZERO)));
    held.finish_text("in time").unwrap();
    running.head();
    assert!(running.body().contains("in time"));
    assert!(fixture.test.server.services().wait(Some(BOUND)));
    fixture.endpoint.shutdown(Duration::ZERO).unwrap();
}

#[test]
fn a_shutdown_breaks_off_what_has_not_ended_in_time() {
    let fixture = Fixture::new(&HttpConfig::default());
    let running = fixture.start(post(&call(1, "hold"), &[]));
    let held = fixture.test.held();
    fixture.endpoint.shutdown(Duration::from_millis(20)).unwrap();
    assert!(held.is_cancelled());
    assert_eq!(running.body(), "");
    assert!(fixture.test.server.services().wait(Some(Duration::ZERO)));
}

#[test]
fn an_endpoint_that_is_dropped_ends_what_runs() {
    let fixture = Fixture::new(&HttpConfig::default());
    let running = fixture.start(post(&call(1, "hold"), &[]));
    let held = fixture.test.held();
    drop(fixture.endpoint);
    assert_eq!(running.body(), "");
    assert!(held.is_cancelled());
}

#[test]
fn a_server_that_was_shut_down_opens_none() {
    let test = TestServer::new();
    test.server.services().shut_down(Duration::ZERO);
    let opened = HttpEndpoint::open(&test.server, &HttpConfig::default());
    assert!(matches!(opened.map(drop), Err(HostError::ShutDown)));
    let config = HttpConfig { path: "no slash".into(), ..HttpConfig::default() };
    let opened = HttpEndpoint::open(&test.server, &config);
    assert!(matches!(opened.map(drop), Err(HostError::InvalidArgument(_))));
}

/// A request of revision 2025-11-25, in a session once there is one.
fn legacy(method: &str, session: Option<&str>, body: &str) -> (ExchangeRequest, Bytes) {
    let mut request = ExchangeRequest::new(method, "/mcp").unwrap();
    let usual = [("Host", "localhost"), ("Content-Type", "application/json")];
    let accept = [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];
    let session = session.map(|id| ("Mcp-Session-Id", id));
    for (name, value) in usual.iter().chain(&accept).chain(&session) {
        request.add_header(name, value.as_bytes()).unwrap();
    }
    request.set_principal(Some("ann"));
    (request, Bytes::from(body.to_owned()))
}

#[test]
fn a_session_of_the_older_revisions_outlives_its_exchanges() {
    let fixture = Fixture::new(&HttpConfig::default());
    let hello = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}"#;
    let running = fixture.start(legacy("POST", None, hello));
    let (status, headers) = running.head();
    running.body();
    let session = &headers["mcp-session-id"];
    assert_eq!(status, 200);

    let ready = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
    let running = fixture.start(legacy("POST", Some(session), ready));
    assert_eq!(running.head().0, 202);
    assert_eq!(running.body(), "");

    // A client that goes away may come back for the answer: its call goes on.
    let call = r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hold"}}"#;
    let running = fixture.start(legacy("POST", Some(session), call));
    let held = fixture.test.held();
    running.abort.abort();
    running.body();
    assert!(!held.is_cancelled());
    held.finish_text("in vain").unwrap();

    // What belongs to no request comes on a stream of its own, which ends with the endpoint.
    let listening = fixture.start(legacy("GET", Some(session), ""));
    assert_eq!(listening.head().1["content-type"], "text/event-stream");
    fixture.endpoint.shutdown(BOUND).unwrap();
    listening.body();
}
