//! A server and clients of its sessions, over bodies in memory, for the tests of sessions.
#![allow(clippy::unwrap_used)]

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::call::invocation::Call;
use crate::transport::http::test_server::{BOUND, TestServer};
use crate::transport::http::{HttpConfig, HttpService, ReplyBody};

pub const BOTH: (&str, &str) = ("accept", "application/json, text/event-stream");
pub const JSON: (&str, &str) = ("accept", "application/json");
pub const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
pub const ROOTS: &[u8] = br#"{"method":"roots/list"}"#;

pub struct Fixture {
    pub test: TestServer,
    pub service: HttpService,
    pub runtime: tokio::runtime::Runtime,
}

/// A response that is not there yet.
pub type Waiting<'a> = Pin<Box<dyn Future<Output = Response<ReplyBody>> + 'a>>;

/// A client of one session.
pub struct Client<'a> {
    pub fixture: &'a Fixture,
    pub session: String,
}

impl Fixture {
    pub fn new(options: &[(&str, &str)]) -> Self {
        let test = TestServer::new();
        let mut config = HttpConfig::default();
        for (key, value) in options {
            config.set(key, value).unwrap();
        }
        let service = HttpService::new(&test.server, &config).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Fixture { test, service, runtime }
    }

    pub fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Response<ReplyBody> {
        self.runtime.block_on(self.service.call(request(method, headers, body)))
    }

    pub fn initialize(&self, revision: &str) -> Client<'_> {
        let response = self.send("POST", &[BOTH], &initialize(revision));
        assert_eq!(response.status(), StatusCode::OK);
        let session = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let client = Client { fixture: self, session };
        assert_eq!(client.post(INITIALIZED).status(), StatusCode::ACCEPTED);
        client
    }

    /// A request that is not answered at once.
    pub fn waiting(&self, headers: &[(&str, &str)], body: &str) -> Waiting<'_> {
        let mut response = Box::pin(self.service.call(request("POST", headers, body)));
        let poll = std::future::poll_fn(|cx| Poll::Ready(response.as_mut().poll(cx).is_pending()));
        assert!(self.runtime.block_on(poll), "{body} is answered at once");
        response
    }

    pub fn text(&self, response: Response<ReplyBody>) -> String {
        let whole = async { tokio::time::timeout(BOUND, response.into_body().collect()).await.unwrap() };
        String::from_utf8(self.runtime.block_on(whole).unwrap().to_bytes().to_vec()).unwrap()
    }

    /// Reads a stream to its end, in a task that goes on when it is woken and not before.
    pub fn reading(&self, response: Response<ReplyBody>) -> JoinHandle<String> {
        let reading = self.runtime.spawn(async {
            let whole = response.into_body().collect().await.unwrap().to_bytes();
            String::from_utf8(whole.to_vec()).unwrap()
        });
        self.runtime.block_on(tokio::task::yield_now());
        assert!(!reading.is_finished());
        reading
    }

    pub fn read(&self, reading: JoinHandle<String>) -> String {
        self.runtime.block_on(async { tokio::time::timeout(BOUND, reading).await.unwrap().unwrap() })
    }

    pub fn json(&self, response: Response<ReplyBody>) -> Value {
        assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
        serde_json::from_str(&self.text(response)).unwrap()
    }

    /// The next message of a stream.
    pub fn message(&self, stream: &mut Response<ReplyBody>) -> Value {
        loop {
            let mut found = messages(&self.piece(stream));
            assert!(found.len() < 2, "{found:?}");
            if let Some(message) = found.pop() {
                return message;
            }
        }
    }

    /// The next piece of a stream.
    pub fn piece(&self, stream: &mut Response<ReplyBody>) -> String {
        let next = async { tokio::time::timeout(BOUND, stream.body_mut().frame()).await.unwrap() };
        let frame = self.runtime.block_on(next).unwrap().unwrap();
        String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
    }
}

impl Client<'_> {
    pub fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Response<ReplyBody> {
        let mut all = vec![("mcp-session-id", self.session.as_str())];
        all.extend(headers);
        if !headers.iter().any(|(name, _)| *name == "accept") {
            all.push(BOTH);
        }
        self.fixture.send(method, &all, body)
    }

    pub fn post(&self, body: &str) -> Response<ReplyBody> {
        self.send("POST", &[], body)
    }

    /// A request that is not answered at once.
    pub fn waiting(&self, accept: (&str, &str), body: &str) -> Waiting<'_> {
        self.fixture.waiting(&[accept, ("mcp-session-id", &self.session)], body)
    }

    /// A call of `hold` whose response has become a stream.
    pub fn begun(&self, id: u32) -> (Response<ReplyBody>, Arc<Call>) {
        let response = self.waiting(BOTH, &call(id, "hold"));
        let held = self.fixture.test.held();
        held.progress(1.0, None, None).unwrap();
        let response = self.fixture.runtime.block_on(response);
        assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
        (response, held)
    }

    pub fn listen(&self) -> Response<ReplyBody> {
        let stream = self.send("GET", &[], "");
        assert_eq!(stream.status(), StatusCode::OK);
        assert_eq!(stream.headers()[CONTENT_TYPE], "text/event-stream");
        stream
    }

    pub fn resume(&self, last: &str) -> Response<ReplyBody> {
        self.send("GET", &[("last-event-id", last)], "")
    }
}

pub fn request(method: &str, headers: &[(&str, &str)], body: &str) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
    if method == "POST" {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::new(Bytes::from(body.to_owned()))).unwrap()
}

pub fn initialize(revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"roots":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    )
}

pub fn call(id: u32, name: &str) -> String {
    let params = format!(r#"{{"name":"{name}","arguments":{{}},"_meta":{{"progressToken":"p"}}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
}

pub fn ping(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

/// The ids of the events in `text`.
pub fn ids(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("id: ")).collect()
}

/// The messages of the events in `text`.
pub fn messages(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(data).unwrap()).collect()
}
