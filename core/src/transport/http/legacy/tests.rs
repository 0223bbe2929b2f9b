//! Sessions, over bodies in memory.
#![allow(clippy::unwrap_used)]

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use serde_json::Value;
use tokio::task::JoinHandle;

use crate::call::invocation::Call;
use crate::host_error::HostError;
use crate::transport::http::principal::Principal;
use crate::transport::http::test_server::{BOUND, TestServer, wait_until};
use crate::transport::http::{HttpConfig, HttpService, ReplyBody};

const BOTH: (&str, &str) = ("accept", "application/json, text/event-stream");
const JSON: (&str, &str) = ("accept", "application/json");
const INITIALIZED: &str = r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const ROOTS: &[u8] = br#"{"method":"roots/list"}"#;

struct Fixture {
    test: TestServer,
    service: HttpService,
    runtime: tokio::runtime::Runtime,
}

/// A response that is not there yet.
type Waiting<'a> = Pin<Box<dyn Future<Output = Response<ReplyBody>> + 'a>>;

/// A client of one session.
struct Client<'a> {
    fixture: &'a Fixture,
    session: String,
}

impl Fixture {
    fn new(options: &[(&str, &str)]) -> Self {
        let test = TestServer::new();
        let mut config = HttpConfig::default();
        for (key, value) in options {
            config.set(key, value).unwrap();
        }
        let service = HttpService::new(&test.server, &config).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Fixture { test, service, runtime }
    }

    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Response<ReplyBody> {
        self.runtime.block_on(self.service.call(request(method, headers, body)))
    }

    fn initialize(&self, revision: &str) -> Client<'_> {
        let response = self.send("POST", &[BOTH], &initialize(revision));
        assert_eq!(response.status(), StatusCode::OK);
        let session = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
        let client = Client { fixture: self, session };
        assert_eq!(client.post(INITIALIZED).status(), StatusCode::ACCEPTED);
        client
    }

    /// A request that is not answered at once.
    fn waiting(&self, headers: &[(&str, &str)], body: &str) -> Waiting<'_> {
        let mut response = Box::pin(self.service.call(request("POST", headers, body)));
        let poll = std::future::poll_fn(|cx| Poll::Ready(response.as_mut().poll(cx).is_pending()));
        assert!(self.runtime.block_on(poll), "{body} is answered at once");
        response
    }

    fn text(&self, response: Response<ReplyBody>) -> String {
        let whole = async { tokio::time::timeout(BOUND, response.into_body().collect()).await.unwrap() };
        String::from_utf8(self.runtime.block_on(whole).unwrap().to_bytes().to_vec()).unwrap()
    }

    /// Reads a stream to its end, in a task that goes on when it is woken and not before.
    fn reading(&self, response: Response<ReplyBody>) -> JoinHandle<String> {
        let reading = self.runtime.spawn(async {
            let whole = response.into_body().collect().await.unwrap().to_bytes();
            String::from_utf8(whole.to_vec()).unwrap()
        });
        self.runtime.block_on(tokio::task::yield_now());
        assert!(!reading.is_finished());
        reading
    }

    fn read(&self, reading: JoinHandle<String>) -> String {
        self.runtime.block_on(async { tokio::time::timeout(BOUND, reading).await.unwrap().unwrap() })
    }

    fn json(&self, response: Response<ReplyBody>) -> Value {
        assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
        serde_json::from_str(&self.text(response)).unwrap()
    }

    /// The next message of a stream.
    fn message(&self, stream: &mut Response<ReplyBody>) -> Value {
        loop {
            let mut found = messages(&self.piece(stream));
            assert!(found.len() < 2, "{found:?}");
            if let Some(message) = found.pop() {
                return message;
            }
        }
    }

    /// The next piece of a stream.
    fn piece(&self, stream: &mut Response<ReplyBody>) -> String {
        let next = async { tokio::time::timeout(BOUND, stream.body_mut().frame()).await.unwrap() };
        let frame = self.runtime.block_on(next).unwrap().unwrap();
        String::from_utf8(frame.into_data().unwrap().to_vec()).unwrap()
    }
}

impl Client<'_> {
    fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Response<ReplyBody> {
        let mut all = vec![("mcp-session-id", self.session.as_str())];
        all.extend(headers);
        if !headers.iter().any(|(name, _)| *name == "accept") {
            all.push(BOTH);
        }
        self.fixture.send(method, &all, body)
    }

    fn post(&self, body: &str) -> Response<ReplyBody> {
        self.send("POST", &[], body)
    }

    /// A request that is not answered at once.
    fn waiting(&self, accept: (&str, &str), body: &str) -> Waiting<'_> {
        self.fixture.waiting(&[accept, ("mcp-session-id", &self.session)], body)
    }

    /// A call of `hold` whose response has become a stream.
    fn begun(&self, id: u32) -> (Response<ReplyBody>, Arc<Call>) {
        let response = self.waiting(BOTH, &call(id, "hold"));
        let held = self.fixture.test.held();
        held.progress(1.0, None, None).unwrap();
        let response = self.fixture.runtime.block_on(response);
        assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
        (response, held)
    }

    fn listen(&self) -> Response<ReplyBody> {
        let stream = self.send("GET", &[], "");
        assert_eq!(stream.status(), StatusCode::OK);
        assert_eq!(stream.headers()[CONTENT_TYPE], "text/event-stream");
        stream
    }

    fn resume(&self, last: &str) -> Response<ReplyBody> {
        self.send("GET", &[("last-event-id", last)], "")
    }
}

fn request(method: &str, headers: &[(&str, &str)], body: &str) -> Request<Full<Bytes>> {
    let mut request = Request::builder().method(method).uri("/mcp").header("host", "localhost");
    if method == "POST" {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(Full::new(Bytes::from(body.to_owned()))).unwrap()
}

fn initialize(revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{"roots":{{}}}},"clientInfo":{{"name":"c","version":"1"}}}}}}"#
    )
}

fn call(id: u32, name: &str) -> String {
    let params = format!(r#"{{"name":"{name}","arguments":{{}},"_meta":{{"progressToken":"p"}}}}"#);
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{params}}}"#)
}

fn ping(id: u32) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#)
}

/// The ids of the events in `text`.
fn ids(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.strip_prefix("id: ")).collect()
}

/// The messages of the events in `text`.
fn messages(text: &str) -> Vec<Value> {
    let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
    data.filter(|data| !data.is_empty()).map(|data| serde_json::from_str(data).unwrap()).collect()
}

#[test]
fn a_session_lives_from_initialize_to_delete() {
    let fixture = Fixture::new(&[]);
    let response = fixture.send("POST", &[BOTH], &initialize("2025-11-25"));
    let id = response.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    assert!(id.len() >= 20 && id.bytes().all(|byte| byte.is_ascii_graphic()));
    assert_eq!(fixture.json(response)["result"]["protocolVersion"], "2025-11-25");
    let client = Client { fixture: &fixture, session: id };
    assert_eq!(client.post(INITIALIZED).status(), StatusCode::ACCEPTED);
    let pong = client.post(&ping(1));
    assert!(!pong.headers().contains_key("mcp-session-id"));
    assert_eq!(fixture.json(pong)["result"], serde_json::json!({}));
    let again = fixture.json(client.post(&initialize("2025-11-25")));
    assert_eq!(again["error"]["code"], -32600);

    let (response, held) = client.begun(1);
    let streams = [fixture.reading(client.listen()), fixture.reading(response)];
    assert_eq!(client.send("DELETE", &[], "").status(), StatusCode::NO_CONTENT);
    assert!(held.is_cancelled());
    for stream in streams {
        assert!(!fixture.read(stream).contains("result"), "it ends with the session");
    }
    for (method, body) in
        [("POST", ping(2)), ("POST", INITIALIZED.into()), ("GET", String::new()), ("DELETE", String::new())]
    {
        let response = client.send(method, &[], &body);
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{method} {body}");
        assert!(fixture.json(response)["error"]["message"].as_str().unwrap().contains("initialize"));
    }
    assert_eq!(fixture.test.server.sessions().count(), 0);
}

#[test]
fn turns_away_what_names_no_session_or_not_its_own() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-06-18");
    let answer = r#"{"jsonrpc":"2.0","id":1,"result":{}}"#;
    for body in [ping(1).as_str(), INITIALIZED, answer] {
        assert_eq!(fixture.send("POST", &[BOTH], body).status(), StatusCode::BAD_REQUEST, "{body}");
        let unknown = fixture.send("POST", &[BOTH, ("mcp-session-id", "guess")], body);
        assert_eq!(unknown.status(), StatusCode::NOT_FOUND, "{body}");
        for (version, status) in
            [("2025-06-18", 200), ("2025-11-25", 400), ("2025-03-26", 400), ("2099-01-01", 400)]
        {
            let status = if status == 200 && body != ping(1) { 202 } else { status };
            let response = client.send("POST", &[("mcp-protocol-version", version)], body);
            assert_eq!(response.status(), status, "{version} {body}");
        }
    }
    assert_eq!(fixture.send("GET", &[BOTH], "").status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(fixture.send("DELETE", &[BOTH], "").status(), StatusCode::BAD_REQUEST);
    assert_eq!(client.send("GET", &[JSON], "").status(), StatusCode::NOT_ACCEPTABLE);
    assert_eq!(client.send("PUT", &[], "").status(), StatusCode::METHOD_NOT_ALLOWED);
    for last in ["x", "r99-1", "5"] {
        assert_eq!(client.resume(last).status(), StatusCode::BAD_REQUEST, "{last}");
    }
}

#[test]
fn opens_a_session_for_initialize_whatever_the_header_says_and_none_where_it_fails() {
    let fixture = Fixture::new(&[]);
    for (version, revision) in
        [("2025-11-25", "2025-03-26"), ("2026-07-28", "2026-07-28"), ("2099-01-01", "x")]
    {
        let response =
            fixture.send("POST", &[BOTH, ("mcp-protocol-version", version)], &initialize(revision));
        assert!(response.headers().contains_key("mcp-session-id"), "{version}");
    }
    let bad = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":5}}"#;
    let response = fixture.send("POST", &[BOTH], bad);
    assert_eq!(response.status(), StatusCode::OK);
    assert!(!response.headers().contains_key("mcp-session-id"));
    assert_eq!(fixture.json(response)["error"]["code"], -32602);
    assert_eq!(fixture.service.sessions().count(), 3);
}

#[test]
fn serves_the_modern_era_alone_where_the_older_revisions_are_switched_off() {
    let fixture = Fixture::new(&[("sse_path", "/sse")]);
    fixture.test.server.configure(|settings| settings.set("legacy", "false")).unwrap();
    let response = fixture.send("POST", &[BOTH], &initialize("2025-11-25"));
    assert!(!response.headers().contains_key("mcp-session-id"));
    assert!(response.status().is_client_error());
    for method in ["GET", "DELETE"] {
        let response = fixture.send(method, &[BOTH, ("mcp-session-id", "x")], "");
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED);
    }
    assert_eq!(fixture.send("OPTIONS", &[], "").headers()["allow"], "POST, OPTIONS");
}

#[test]
fn keeps_sessions_of_different_principals_apart() {
    let fixture = Fixture::new(&[]);
    let send = |who: Option<&str>, headers: &[(&str, &str)], body: &str| {
        let mut request = request("POST", headers, body);
        if let Some(who) = who {
            request.extensions_mut().insert(Principal(who.into()));
        }
        fixture.runtime.block_on(fixture.service.call(request))
    };
    let opened = send(Some("ann"), &[BOTH], &initialize("2025-11-25"));
    let id = opened.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    for (who, status) in [(Some("ann"), 200), (Some("bob"), 404), (None, 404), (Some("ann"), 200)] {
        let response = send(who, &[BOTH, ("mcp-session-id", &id)], &ping(1));
        assert_eq!(response.status(), status, "{who:?}");
    }
}

#[test]
fn forgets_sessions_that_are_idle_and_none_that_are_in_use() {
    let fixture = Fixture::new(&[("session_idle_ms", "300")]);
    let idle = fixture.initialize("2025-11-25");
    let listening = fixture.initialize("2025-11-25");
    let mut stream = listening.listen();
    fixture.piece(&mut stream);
    let calling = fixture.initialize("2025-11-25");
    let response = calling.send("POST", &[("accept", "text/event-stream")], &call(1, "progress"));
    drop(response);
    // A call that goes on without its client is in flight all the same.
    let working = fixture.initialize("2025-11-25");
    drop(working.waiting(BOTH, &call(1, "hold")));
    let held = fixture.test.held();
    wait_until("the end of the idle sessions", || fixture.service.sessions().count() == 2);
    assert_eq!(idle.post(&ping(1)).status(), StatusCode::NOT_FOUND);
    assert_eq!(calling.post(&ping(1)).status(), StatusCode::NOT_FOUND);
    assert_eq!(listening.post(&ping(1)).status(), StatusCode::OK);
    assert_eq!(working.post(&ping(2)).status(), StatusCode::OK);
    assert!(!held.is_cancelled());
    held.finish().unwrap();
    drop(stream);
    wait_until("the end of the others", || fixture.service.sessions().count() == 0);
}

#[test]
fn makes_room_for_a_session_by_ending_the_one_that_was_idle_longest() {
    let fixture = Fixture::new(&[("max_sessions", "2")]);
    let first = fixture.initialize("2025-11-25");
    let second = fixture.initialize("2025-11-25");
    std::thread::sleep(Duration::from_millis(2));
    assert_eq!(first.post(&ping(1)).status(), StatusCode::OK);
    let third = fixture.initialize("2025-11-25");
    assert_eq!(second.post(&ping(1)).status(), StatusCode::NOT_FOUND);
    let streams = [first.listen(), third.listen()];
    let refused = fixture.send("POST", &[BOTH], &initialize("2025-11-25"));
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert!(!refused.headers().contains_key("mcp-session-id"));
    let error = fixture.json(refused);
    assert_eq!(error["error"]["code"], -32603);
    assert!(error["error"]["message"].as_str().unwrap().contains("max_sessions"));
    drop(streams);
    fixture.initialize("2025-11-25");
    assert_eq!(fixture.test.server.sessions().count(), 2);
}

#[test]
fn begins_streams_with_an_id_for_clients_that_know_what_it_is_for() {
    let fixture = Fixture::new(&[("retry_ms", "77")]);
    for (revision, opens) in
        [("2025-11-25", true), ("2025-06-18", false), ("2025-03-26", false), ("2024-11-05", false)]
    {
        let client = fixture.initialize(revision);
        let response = client.post(&call(1, "progress"));
        assert_eq!(response.headers()["cache-control"], "no-cache");
        let text = fixture.text(response);
        assert_eq!(
            text.starts_with(&format!("id: {}\nretry: 77\ndata: \n\n", ids(&text)[0])),
            opens,
            "{text}"
        );
        assert_eq!(text.contains("retry"), opens);
        assert_eq!(ids(&text).len(), messages(&text).len() + usize::from(opens), "{text}");
        assert_eq!(messages(&text).last().unwrap()["id"], 1);
        let mut stream = client.listen();
        let first = fixture.piece(&mut stream);
        assert_eq!(first.contains("data: \n"), opens, "{first}");
        assert_eq!(first == ":\n\n", !opens, "{first}");
    }
}

#[test]
fn answers_each_client_with_what_it_accepts() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    for (accept, tool, kind) in [
        ("*/*", "add", "application/json"),
        ("application/json", "progress", "application/json"),
        ("text/event-stream", "add", "text/event-stream"),
        ("application/json, text/event-stream", "progress", "text/event-stream"),
    ] {
        let response = client.send("POST", &[(ACCEPT.as_str(), accept)], &call(1, tool));
        assert_eq!(response.headers()[CONTENT_TYPE], kind, "{accept} {tool}");
        assert!(fixture.text(response).contains("\"id\":1"));
    }
}

#[test]
fn a_client_that_goes_away_cancels_nothing_and_comes_back_for_the_rest() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    let (mut stream, held) = client.begun(1);
    let text = fixture.piece(&mut stream);
    let seen = ids(&text)[1].to_owned();
    drop(stream);
    held.progress(2.0, None, None).unwrap();
    assert!(!held.is_cancelled());
    let mut stream = client.resume(&seen);
    assert_eq!(stream.headers()[CONTENT_TYPE], "text/event-stream");
    let text = fixture.piece(&mut stream);
    assert_eq!(messages(&text)[0]["params"]["progress"], 2.0);
    assert_eq!(ids(&text).len(), 1, "no id twice: {text}");
    held.finish().unwrap();
    assert_eq!(messages(&fixture.text(stream))[0]["id"], 1);
    // Lost once more, and from the beginning of the stream.
    let text = fixture.text(client.resume(&seen));
    assert_eq!(messages(&text).len(), 2, "{text}");
    let last = ids(&text)[1];
    assert_eq!(client.resume(last).status(), StatusCode::BAD_REQUEST, "nothing follows the answer");
}

#[test]
fn a_second_connection_takes_the_stream_over() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-06-18");
    let (mut first, held) = client.begun(1);
    let text = fixture.piece(&mut first);
    let first = fixture.reading(first);
    let second = fixture.reading(client.resume(ids(&text)[0]));
    assert_eq!(fixture.read(first), "", "it ends");
    held.finish().unwrap();
    assert_eq!(messages(&fixture.read(second))[0]["id"], 1);
}

#[test]
fn a_handler_lets_its_client_go_and_come_back() {
    let fixture = Fixture::new(&[]);
    for (revision, closes) in [("2025-11-25", true), ("2025-06-18", false)] {
        let client = fixture.initialize(revision);
        let (stream, held) = client.begun(1);
        held.close_stream(Some(Duration::from_millis(40))).unwrap();
        if !closes {
            held.finish().unwrap();
            assert_eq!(messages(&fixture.text(stream)).len(), 2);
            continue;
        }
        let text = fixture.text(stream);
        assert!(text.ends_with("\n\nretry: 40\n\n"), "{text}");
        let stream = client.resume(ids(&text).last().unwrap());
        held.finish().unwrap();
        assert_eq!(messages(&fixture.text(stream))[0]["id"], 1);
    }
}

#[test]
fn begins_a_stream_to_close_it_if_the_handler_says_so_first() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    let response = client.waiting(BOTH, &call(1, "hold"));
    let held = fixture.test.held();
    held.close_stream(None).unwrap();
    let text = fixture.text(fixture.runtime.block_on(response));
    assert_eq!(text, format!("id: {}\nretry: 1000\ndata: \n\nretry: 1000\n\n", ids(&text)[0]));
    held.finish().unwrap();
    assert_eq!(messages(&fixture.text(client.resume(ids(&text)[0])))[0]["id"], 1);
}

#[test]
fn cancels_a_request_by_its_id_and_ends_its_response() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    let other = fixture.initialize("2025-11-25");
    let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#;
    let (stream, held) = client.begun(1);
    let stream = fixture.reading(stream);
    assert_eq!(other.post(cancel).status(), StatusCode::ACCEPTED);
    assert!(!held.is_cancelled(), "an id means nothing in another session");
    assert_eq!(client.post(cancel).status(), StatusCode::ACCEPTED);
    assert!(held.is_cancelled());
    assert!(held.finish().is_err());
    let text = fixture.read(stream);
    let last = ids(&text).last().map(|id| (*id).to_owned());
    assert!(messages(&text).iter().all(|message| message.get("id").is_none()), "{text}");
    assert!(last.is_none_or(|id| client.resume(&id).status() == StatusCode::BAD_REQUEST));
    // The id may be used again, and one that has no stream yet is answered with nothing.
    for (accept, status) in [(BOTH, StatusCode::OK), (JSON, StatusCode::ACCEPTED)] {
        let response = client.waiting(accept, &call(1, "hold"));
        assert_eq!(client.post(cancel).status(), StatusCode::ACCEPTED);
        let response = fixture.runtime.block_on(response);
        assert!(fixture.test.held().is_cancelled());
        assert_eq!(response.status(), status);
        assert_eq!(fixture.text(response), "");
    }
}

#[test]
fn refuses_an_id_that_is_in_flight_in_the_session() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    let (stream, held) = client.begun(1);
    let refused = client.post(&call(1, "add"));
    assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    let error = fixture.json(refused);
    assert!(
        error.get("id").is_none() && error["error"]["message"].as_str().unwrap().contains("the id 1"),
        "{error}"
    );
    assert_eq!(fixture.test.ran(), 0);
    let text_id = call(1, "add").replace("\"id\":1", "\"id\":\"1\"");
    assert_eq!(fixture.json(client.post(&text_id))["id"], "1");
    assert_eq!(fixture.initialize("2025-11-25").post(&call(1, "add")).status(), StatusCode::OK);
    held.finish().unwrap();
    fixture.text(stream);
    assert_eq!(fixture.json(client.post(&call(1, "add")))["id"], 1);
}

#[test]
fn takes_batches_in_the_one_revision_that_has_them() {
    let fixture = Fixture::new(&[]);
    let batch = format!("[{},{INITIALIZED},{},5]", ping(1), call(2, "add"));
    for revision in ["2025-11-25", "2025-06-18", "2024-11-05"] {
        assert_eq!(fixture.initialize(revision).post(&batch).status(), StatusCode::BAD_REQUEST, "{revision}");
    }
    assert_eq!(fixture.send("POST", &[BOTH], &batch).status(), StatusCode::BAD_REQUEST);
    let client = fixture.initialize("2025-03-26");
    let answers = fixture.json(client.post(&format!(" {batch}")));
    let ids_of = |answers: &Value| -> Vec<Value> {
        answers.as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect()
    };
    assert_eq!(ids_of(&answers), [Value::from(1), Value::from(2), Value::Null]);
    assert_eq!(answers[2]["error"]["code"], -32600);
    assert_eq!(client.post(&format!("[{INITIALIZED}]")).status(), StatusCode::ACCEPTED);
    assert_eq!(client.post("[]").status(), StatusCode::BAD_REQUEST);
    let twice = fixture.json(client.post(&format!("[{},{}]", ping(1), ping(1))));
    assert_eq!(twice.as_array().unwrap().len(), 2, "the first is answered before the second comes");

    let text = fixture.text(client.post(&format!("[{},{}]", call(1, "progress"), ping(2))));
    let said = messages(&text);
    assert!(said.len() >= 2 && ids(&text).len() == said.len(), "{text}");
    assert_eq!(ids_of(said.last().unwrap()), [1, 2]);
}

#[test]
fn ends_the_response_to_a_batch_of_which_all_was_cancelled() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-03-26");
    let cancel = |id: u32| {
        format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#)
    };
    for (cancelled, answered) in [(vec![1, 2], 0), (vec![1], 1)] {
        let response = client.waiting(BOTH, &format!("[{},{}]", call(1, "hold"), call(2, "hold")));
        let held = [fixture.test.held(), fixture.test.held()];
        for id in cancelled {
            client.post(&cancel(id));
        }
        if answered > 0 {
            held[1].finish().unwrap();
        }
        let text = fixture.text(fixture.runtime.block_on(response));
        let answers: Vec<Value> = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(answers.len(), answered, "{text}");
    }
}

#[test]
fn asks_the_client_on_the_stream_of_the_request_or_where_it_listens() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    let reply = |id: &Value| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"roots":[]}}}}"#);
    let ask = |held: &Call| {
        assert!(matches!(held.request_input("roots", ROOTS), Err(HostError::InputRequired(_))));
        held.finish_input_required().unwrap();
    };
    let (mut stream, held) = client.begun(1);
    fixture.piece(&mut stream);
    ask(&held);
    let question = messages(&fixture.piece(&mut stream)).pop().unwrap();
    assert_eq!(question["method"], "roots/list");
    assert_eq!(client.post(&reply(&question["id"])).status(), StatusCode::ACCEPTED);
    let again = fixture.test.held();
    again.request_input("roots", ROOTS).unwrap();
    again.finish().unwrap();
    assert_eq!(messages(&fixture.text(stream))[0]["id"], 1);

    // A client that takes one JSON object for an answer is asked elsewhere.
    let response = client.waiting(JSON, &call(2, "hold"));
    ask(&fixture.test.held());
    let mut listening = client.listen();
    let question = fixture.message(&mut listening);
    assert_eq!(question["method"], "roots/list");
    client.post(&reply(&question["id"]));
    fixture.test.held().finish().unwrap();
    assert_eq!(fixture.json(fixture.runtime.block_on(response))["id"], 2);
}

#[test]
fn tells_a_client_that_listens_of_changes_on_one_stream() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    fixture.test.change_tools();
    let streams = fixture.service.sessions().find(&client.session, None).unwrap().streams().clone();
    wait_until("the change", || streams.held_now().1.events == 1);
    let mut first = client.listen();
    assert_eq!(fixture.message(&mut first)["method"], "notifications/tools/list_changed");
    let mut second = client.listen();
    fixture.piece(&mut second);
    fixture.test.change_tools();
    let told = fixture.piece(&mut second);
    assert_eq!(messages(&told).len(), 1);
    drop(second);
    fixture.test.change_tools();
    let again = fixture.piece(&mut first);
    assert_eq!(messages(&again).len(), 1);
    assert_ne!(ids(&told), ids(&again));
    // Each stream has its own past.
    drop(first);
    let mut resumed = client.resume(ids(&told)[0]);
    fixture.test.change_tools();
    assert_eq!(fixture.message(&mut resumed)["method"], "notifications/tools/list_changed");
}

#[test]
fn a_listener_that_stops_ends_sessions_and_waits_for_answers() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    let listening = fixture.reading(client.listen());
    let (stream, held) = client.begun(1);
    let stream = fixture.reading(stream);
    let (left, left_call) = client.begun(2);
    drop(left);
    let (asking, asking_call) = client.begun(3);
    assert!(asking_call.request_input("roots", ROOTS).is_err());
    asking_call.finish_input_required().unwrap();
    let (given_up, given_up_call) = client.begun(4);
    let asking = fixture.reading(asking);
    fixture.service.stop();
    assert!(messages(&fixture.read(listening)).is_empty());
    assert!(left_call.is_cancelled(), "nobody can come back for it");
    assert!(messages(&fixture.read(asking)).iter().all(|message| message.get("result").is_none()));
    assert!(!given_up_call.is_cancelled());
    drop(given_up);
    assert!(given_up_call.is_cancelled());
    held.finish().unwrap();
    assert_eq!(messages(&fixture.read(stream)).last().unwrap()["id"], 1);
    assert_eq!(client.post(&ping(5)).status(), StatusCode::NOT_FOUND);
    let refused = fixture.send("POST", &[BOTH], &initialize("2025-11-25"));
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(fixture.test.server.sessions().count(), 0);
}
