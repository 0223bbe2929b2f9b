//! Clients of the transport of 2024-11-05, over bodies in memory.
#![allow(clippy::unwrap_used)]

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};

use crate::host_error::HostError;
use crate::protocol::content::ContentBlock;
use crate::transport::http::principal::Principal;
use crate::transport::http::test_server::{BOUND, TestServer, wait_until};
use crate::transport::http::{HttpConfig, HttpService, ReplyBody};

struct Fixture {
    test: TestServer,
    service: HttpService,
    runtime: tokio::runtime::Runtime,
}

impl Fixture {
    fn new() -> Self {
        let test = TestServer::new();
        let mut config = HttpConfig::default();
        config.set("sse_path", "/sse").unwrap();
        config.set("max_sessions", "2").unwrap();
        let service = HttpService::new(&test.server, &config).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Fixture { test, service, runtime }
    }

    fn send(&self, method: &str, uri: &str, body: &str, who: Option<&str>) -> Response<ReplyBody> {
        let mut request = Request::builder().method(method).uri(uri).header("host", "localhost");
        if method == "POST" {
            request = request.header("content-type", "application/json");
        }
        let mut request = request.body(Full::new(Bytes::from(body.to_owned()))).unwrap();
        if let Some(who) = who {
            request.extensions_mut().insert(Principal(who.into()));
        }
        self.runtime.block_on(self.service.call(request))
    }

    /// Opens a stream; the stream and the address to post to.
    fn open(&self, who: Option<&str>) -> (Response<ReplyBody>, String) {
        let mut stream = self.send("GET", "/sse", "", who);
        assert_eq!(stream.status(), StatusCode::OK);
        assert_eq!(stream.headers()[CONTENT_TYPE], "text/event-stream");
        let first = self.piece(&mut stream);
        let address =
            first.strip_prefix("event: endpoint\ndata: ").and_then(|rest| rest.strip_suffix("\n\n"));
        let address = address.unwrap().to_owned();
        (stream, address)
    }

    fn piece(&self, stream: &mut Response<ReplyBody>) -> String {
        let next = async { tokio::time::timeout(BOUND, stream.body_mut().frame()).await.unwrap() };
        let frame = self.runtime.block_on(next).unwrap().unwrap();
        String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
    }

    fn rest(&self, stream: Response<ReplyBody>) -> String {
        let whole = async { tokio::time::timeout(BOUND, stream.into_body().collect()).await.unwrap() };
        String::from_utf8(self.runtime.block_on(whole).unwrap().to_bytes().to_vec()).unwrap()
    }
}

fn initialize(id: u32) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"2024-11-05","capabilities":{{}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    )
}

fn call(id: u32, name: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{name}","arguments":{{}}}}}}"#
    )
}

#[test]
fn answers_posts_on_the_stream_that_named_their_address() {
    let fixture = Fixture::new();
    let (mut stream, address) = fixture.open(None);
    assert!(address.starts_with("/sse?sessionId="), "{address}");
    let (mut other, other_address) = fixture.open(None);
    for (body, said) in [
        (initialize(1), r#"event: message"#),
        (r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.into(), ""),
        (call(2, "add"), r#""id":2"#),
        ("{".into(), ""),
        (call(3, "add"), r#""id":3"#),
    ] {
        let response = fixture.send("POST", &address, &body, None);
        assert_eq!(response.status(), StatusCode::ACCEPTED, "{body}");
        assert_eq!(fixture.rest(response), "");
        if !said.is_empty() {
            let text = fixture.piece(&mut stream);
            assert!(text.starts_with("event: message\ndata: {") && text.contains(said), "{text}");
        }
    }
    fixture.test.change_tools();
    assert!(fixture.piece(&mut stream).contains("notifications/tools/list_changed"));
    fixture.send("POST", &other_address, &initialize(7), None);
    assert!(fixture.piece(&mut other).contains("\"id\":7"), "each client has its own stream");
}

#[test]
fn takes_messages_from_nobody_but_its_clients() {
    let fixture = Fixture::new();
    let (stream, address) = fixture.open(Some("ann"));
    for (method, uri, who, status) in [
        ("POST", "/sse", Some("ann"), 400),
        ("POST", "/sse?sessionId=guess", Some("ann"), 404),
        ("POST", address.as_str(), Some("bob"), 404),
        ("POST", &address, None, 404),
        ("POST", &address, Some("ann"), 202),
        ("DELETE", &address, Some("ann"), 405),
        ("OPTIONS", &address, None, 204),
        ("GET", "/sse/x", Some("ann"), 404),
    ] {
        let response = fixture.send(method, uri, &initialize(1), who);
        assert_eq!(response.status(), status, "{method} {uri} {who:?}");
    }
    let _second = fixture.open(None);
    assert_eq!(fixture.send("GET", "/sse", "", None).status(), StatusCode::SERVICE_UNAVAILABLE);
    drop(stream);
    fixture.open(None);
    assert_eq!(fixture.send("POST", &address, &initialize(1), Some("ann")).status(), StatusCode::NOT_FOUND);
}

#[test]
fn cancels_what_runs_for_a_client_whose_stream_ends() {
    let fixture = Fixture::new();
    let (stream, address) = fixture.open(None);
    for body in [initialize(1), call(2, "hold")] {
        fixture.send("POST", &address, &body, None);
    }
    let held = fixture.test.held();
    assert_eq!(fixture.test.server.sessions().count(), 1);
    drop(stream);
    assert!(held.is_cancelled());
    drop(held);
    wait_until("the end of the session", || fixture.test.server.sessions().count() == 0);
}

#[test]
fn ends_the_streams_of_a_listener_that_stops_when_all_is_answered() {
    let fixture = Fixture::new();
    let (idle, _) = fixture.open(None);
    let (mut working, address) = fixture.open(None);
    for body in [initialize(1), call(2, "hold")] {
        fixture.send("POST", &address, &body, None);
    }
    fixture.piece(&mut working);
    fixture.service.stop();
    assert_eq!(fixture.rest(idle), "");
    fixture.test.held().finish().unwrap();
    assert!(fixture.rest(working).contains("\"id\":2"));
    assert_eq!(fixture.send("GET", "/sse", "", None).status(), StatusCode::SERVICE_UNAVAILABLE);
}

#[test]
fn is_there_only_where_a_path_is_set_and_the_older_revisions_are_served() {
    let fixture = Fixture::new();
    fixture.test.server.configure(|settings| settings.set("legacy", "false")).unwrap();
    assert_eq!(fixture.send("GET", "/sse", "", None).status(), StatusCode::NOT_FOUND);
    let mut config = HttpConfig::default();
    let service = HttpService::new(&fixture.test.server, &config).unwrap();
    let request = Request::get("/sse").header("host", "localhost").body(Full::<Bytes>::default()).unwrap();
    assert_eq!(fixture.runtime.block_on(service.call(request)).status(), StatusCode::NOT_FOUND);
    config.set("sse_path", "/mcp/").unwrap();
    let fault = HttpService::new(&fixture.test.server, &config).err().unwrap();
    assert!(matches!(&fault, HostError::InvalidArgument(text) if text.contains("sse_path")), "{fault}");
}

#[test]
fn refuses_messages_of_a_client_that_does_not_read() {
    let fixture = Fixture::new();
    let (mut stream, address) = fixture.open(None);
    fixture.send("POST", &address, &initialize(0), None);
    let text = "x".repeat(1 << 20);
    let refused = (1..20).find(|id| {
        if fixture.send("POST", &address, &call(*id, "hold"), None).status() != StatusCode::ACCEPTED {
            return true;
        }
        let held = fixture.test.held();
        held.add_content(ContentBlock::Text { text: &text }).unwrap();
        held.finish().unwrap();
        false
    });
    assert_eq!(refused, Some(9), "8 MiB wait");
    fixture.piece(&mut stream);
    assert_eq!(fixture.send("POST", &address, &call(20, "add"), None).status(), StatusCode::ACCEPTED);
}
