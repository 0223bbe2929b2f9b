//! The transport as a function, over bodies in memory.
#![allow(clippy::unwrap_used)]

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, ALLOW, CACHE_CONTROL, CONTENT_TYPE, HOST, ORIGIN, VARY};
use http::{Request, Response, StatusCode};
use http_body::Body;
use http_body_util::{BodyExt, Full};

use super::config::HttpConfig;
use super::reply_body::ReplyBody;
use super::service::HttpService;
use super::test_server::{TestServer, call, request, wait_until};

/// A request as a client should send it; `headers` replace or add, an empty value takes one away.
fn post(body: &str, headers: &[(&str, &str)]) -> Request<Full<Bytes>> {
    let method = body.split("\"method\":\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("none");
    let name = body.split("\"name\":\"").nth(1).and_then(|rest| rest.split('"').next());
    let mut request = Request::post("/mcp");
    let mut all = vec![
        ("host", "localhost:1"),
        ("content-type", "application/json"),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    all.extend(name.map(|name| ("mcp-name", name)));
    all.retain(|(name, _)| headers.iter().all(|(other, _)| other != name));
    all.extend(headers.iter().filter(|(_, value)| !value.is_empty()));
    for (name, value) in all {
        request = request.header(name, value);
    }
    request.body(Full::new(Bytes::from(body.to_owned()))).unwrap()
}

struct Fixture {
    test: TestServer,
    service: HttpService,
    runtime: tokio::runtime::Runtime,
}

impl Fixture {
    fn new(config: HttpConfig) -> Self {
        let test = TestServer::new();
        let service = HttpService::new(&test.server, &config).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Fixture { test, service, runtime }
    }

    fn call(&self, request: Request<Full<Bytes>>) -> Response<ReplyBody> {
        self.runtime.block_on(self.service.call(request))
    }

    fn text(&self, response: Response<ReplyBody>) -> String {
        let body = self.runtime.block_on(response.into_body().collect()).unwrap().to_bytes();
        String::from_utf8(body.to_vec()).unwrap()
    }
}

impl Default for Fixture {
    fn default() -> Self {
        Fixture::new(HttpConfig::default())
    }
}

#[test]
fn answers_with_one_json_object_of_known_length() {
    let fixture = Fixture::default();
    let response = fixture.call(post(&call(7, "add"), &[]));
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
    let length = response.body().size_hint().exact().unwrap();
    let text = fixture.text(response);
    assert_eq!(text.len() as u64, length);
    assert!(text.starts_with(r#"{"jsonrpc":"2.0","id":7,"result":{"#), "{text}");
    assert!(!text.contains('\n'));
}

#[test]
fn becomes_a_stream_at_the_first_notification() {
    let fixture = Fixture::default();
    let response = fixture.call(post(&call(7, "progress"), &[]));
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
    assert_eq!(response.headers()[CACHE_CONTROL], "no-cache");
    assert_eq!(response.headers()["x-accel-buffering"], "no");
    let text = fixture.text(response);
    let events: Vec<&str> = text.strip_suffix("\n\n").unwrap().split("\n\n").collect();
    assert!(events.len() >= 2, "{text}");
    for (place, event) in events.iter().enumerate() {
        let json: serde_json::Value = serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(json.get("id").is_some(), place == events.len() - 1, "{event}");
    }
}

#[test]
fn serves_each_client_with_what_it_accepts() {
    let fixture = Fixture::default();
    for (accept, tool, kind) in [
        ("", "add", "application/json"),
        ("*/*", "add", "application/json"),
        ("application/json", "add", "application/json"),
        ("application/json", "progress", "application/json"),
        ("text/event-stream", "add", "text/event-stream"),
        ("application/*, text/event-stream;q=0.5", "progress", "text/event-stream"),
        ("", "progress", "text/event-stream"),
    ] {
        let response = fixture.call(post(&call(1, tool), &[("accept", accept)]));
        assert_eq!(response.headers()[CONTENT_TYPE], kind, "{accept} {tool}");
        assert!(fixture.text(response).contains("\"id\":1"), "{accept} {tool}");
    }
    let ran = fixture.test.ran();
    let response = fixture.call(post(&call(1, "add"), &[("accept", "text/html")]));
    assert_eq!(response.status(), StatusCode::NOT_ACCEPTABLE);
    assert_eq!(fixture.test.ran(), ran);
}

#[test]
fn turns_requests_away_with_a_status_before_anything_runs() {
    let fixture = Fixture::default();
    let add = call(1, "add");
    let cases: &[(&[(&str, &str)], StatusCode)] = &[
        (&[("origin", "https://evil.example")], StatusCode::FORBIDDEN),
        (&[("origin", "null")], StatusCode::FORBIDDEN),
        (&[("host", "evil.example.com")], StatusCode::FORBIDDEN),
        (&[("host", "")], StatusCode::FORBIDDEN),
        (&[("content-type", "text/plain")], StatusCode::UNSUPPORTED_MEDIA_TYPE),
        (&[("content-type", "")], StatusCode::UNSUPPORTED_MEDIA_TYPE),
        (&[("content-encoding", "gzip")], StatusCode::UNSUPPORTED_MEDIA_TYPE),
    ];
    for (headers, status) in cases {
        let response = fixture.call(post(&add, headers));
        assert_eq!(response.status(), *status, "{headers:?}");
        let error: serde_json::Value = serde_json::from_str(&fixture.text(response)).unwrap();
        assert!(error.get("id").is_none() && error["error"]["message"].is_string(), "{error}");
    }
    assert_eq!(fixture.test.ran(), 0);
    assert_eq!(fixture.call(post(&add, &[("origin", "http://localhost:6274")])).status(), StatusCode::OK);
}

#[test]
fn checks_the_origin_on_every_method_and_path() {
    let fixture = Fixture::default();
    for method in ["OPTIONS", "GET", "DELETE", "POST", "PUT"] {
        for path in ["/mcp", "/other"] {
            let request = Request::builder().method(method).uri(path).header(ORIGIN, "https://evil.example");
            let response = fixture.call(request.header(HOST, "localhost").body(Full::default()).unwrap());
            assert_eq!(response.status(), StatusCode::FORBIDDEN, "{method} {path}");
            assert!(!response.headers().contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
        }
    }
}

#[test]
fn knows_one_endpoint_and_one_method() {
    let fixture = Fixture::default();
    let add = call(1, "add");
    for (path, status) in [("/mcp", 200), ("/mcp/", 200), ("/mcp?x=1", 200), ("/", 404), ("/mcp/x", 404)] {
        let mut request = post(&add, &[]);
        *request.uri_mut() = path.parse().unwrap();
        let response = fixture.call(request);
        assert_eq!(response.status(), status, "{path}");
        assert_eq!(fixture.text(response).starts_with('{'), status == 200, "{path}");
    }
    for method in ["GET", "DELETE", "HEAD", "PUT", "PATCH"] {
        let mut request = post(&add, &[]);
        *request.method_mut() = method.parse().unwrap();
        let response = fixture.call(request);
        assert_eq!(response.status(), StatusCode::METHOD_NOT_ALLOWED, "{method}");
        assert_eq!(response.headers()[ALLOW], "POST, OPTIONS");
    }
}

#[test]
fn ignores_the_headers_of_older_revisions() {
    let fixture = Fixture::default();
    let response =
        fixture.call(post(&call(1, "progress"), &[("mcp-session-id", "x"), ("last-event-id", "5")]));
    assert_eq!(response.status(), StatusCode::OK);
    assert!(!response.headers().contains_key("mcp-session-id"));
    assert!(!fixture.text(response).lines().any(|line| line.starts_with("id:")));
}

#[test]
fn answers_a_preflight_and_lets_the_page_read_every_answer() {
    let config = HttpConfig { allowed_origins: vec!["https://app.test".into()], ..HttpConfig::default() };
    let fixture = Fixture::new(config);
    let request = Request::options("/mcp").header(HOST, "localhost").header(ORIGIN, "https://app.test");
    let request = request
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,mcp-param-region");
    let response = fixture.call(request.body(Full::default()).unwrap());
    assert_eq!(response.status(), StatusCode::NO_CONTENT);
    assert_eq!(response.headers()["access-control-allow-headers"], "authorization,mcp-param-region");
    assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.test");
    assert_eq!(response.headers()[VARY], "Origin");

    let origin = ("origin", "https://app.test");
    for (body, headers) in [
        (call(1, "add"), vec![origin]),
        (call(1, "progress"), vec![origin]),
        (call(1, "add"), vec![origin, ("content-type", "text/plain")]),
        (call(1, "add"), vec![origin, ("host", "evil.example")]),
        ("not JSON".into(), vec![origin]),
    ] {
        let response = fixture.call(post(&body, &headers));
        assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_ORIGIN], "https://app.test", "{headers:?}");
        assert_eq!(response.headers()[VARY], "Origin");
    }
    let response = fixture.call(post(&call(1, "add"), &[]));
    assert!(!response.headers().contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
}

#[test]
fn accepts_notifications_without_a_word() {
    let fixture = Fixture::default();
    for body in [
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
    ] {
        let response = fixture.call(post(body, &[]));
        assert_eq!(response.status(), StatusCode::ACCEPTED);
        assert!(!response.headers().contains_key(CONTENT_TYPE));
        assert_eq!(response.body().size_hint().exact(), Some(0));
        assert_eq!(fixture.text(response), "");
    }
}

#[test]
fn answers_what_is_no_request_with_400() {
    let fixture = Fixture::default();
    for (body, code, id) in [
        ("", -32700, None),
        ("{", -32700, None),
        ("[]", -32600, None),
        (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, -32600, None),
        (r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600, Some(1)),
    ] {
        let response = fixture.call(post(body, &[]));
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{body}");
        let error: serde_json::Value = serde_json::from_str(&fixture.text(response)).unwrap();
        assert_eq!(error["error"]["code"], code, "{body}");
        assert_eq!(error.get("id").and_then(serde_json::Value::as_i64), id, "{body}");
    }
}

#[test]
fn maps_errors_to_the_status_of_the_modern_era() {
    let fixture = Fixture::default();
    let mut wrong_name = post(&call(1, "add"), &[]);
    wrong_name.headers_mut().insert("mcp-name", "sub".parse().unwrap());
    for (request, status, code) in [
        (post(&request(1, "foo/bar", ""), &[]), 404, -32601),
        (wrong_name, 400, -32020),
        (post(&call(1, "nothing"), &[]), 200, -32602),
        (post(r#"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{}}"#, &[]), 400, -32602),
    ] {
        let response = fixture.call(request);
        assert_eq!(response.status(), status);
        let error: serde_json::Value = serde_json::from_str(&fixture.text(response)).unwrap();
        assert_eq!(error["error"]["code"], code, "{error}");
        assert_eq!(error["id"], 1);
    }
    // A stream can only say 200, so an error keeps its status and comes as JSON.
    let response = fixture.call(post(&request(1, "foo/bar", ""), &[("accept", "text/event-stream")]));
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
}

#[test]
fn bounds_the_body_by_the_servers_limit() {
    let fixture = Fixture::default();
    fixture.test.server.configure(|settings| settings.set("max_message_bytes", "2000")).unwrap();
    let pad = |size| request(1, "tools/call", &format!(r#""name":"add","pad":"{}","#, "x".repeat(size)));
    assert_eq!(fixture.call(post(&pad(100), &[])).status(), StatusCode::OK);
    let response = fixture.call(post(&pad(2000), &[]));
    assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
    let text = fixture.text(response);
    assert!(text.contains("2000 bytes that max_message_bytes allows"), "{text}");
    assert_eq!(fixture.test.ran(), 1);
}

#[test]
fn waits_with_json_for_an_answer_that_comes_soon() {
    let fixture = Fixture::default();
    let response = fixture.runtime.block_on(async {
        let mut response = pin!(fixture.service.call(post(&call(1, "hold"), &[])));
        assert!(poll_once(response.as_mut()).await.is_none());
        let held = fixture.test.held();
        std::thread::spawn(move || held.finish().unwrap());
        response.await
    });
    assert_eq!(response.headers()[CONTENT_TYPE], "application/json");
}

#[test]
fn becomes_a_stream_when_nothing_is_said_for_long() {
    let config = HttpConfig { keep_alive: Duration::from_millis(20), ..HttpConfig::default() };
    let fixture = Fixture::new(config);
    fixture.runtime.block_on(async {
        let response = fixture.service.call(post(&call(1, "hold"), &[])).await;
        assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
        let held = fixture.test.held();
        let mut body = response.into_body();
        for _ in 0..3 {
            let comment = body.frame().await.unwrap().unwrap().into_data().unwrap();
            assert_eq!(comment, ":\n\n");
        }
        held.progress(1.0, None, None).unwrap();
        let event = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(event.starts_with(b"data: {") && event.ends_with(b"}\n\n"), "{event:?}");
        assert!(!body.is_end_stream());
        held.finish().unwrap();
        let answer = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(answer.starts_with(b"data: {\"jsonrpc\":\"2.0\",\"id\":1,"), "{answer:?}");
        assert!(body.is_end_stream());
        assert!(body.frame().await.is_none());
    });
}

#[test]
fn stays_silent_for_a_client_that_takes_json_alone() {
    let config = HttpConfig { keep_alive: Duration::from_millis(1), ..HttpConfig::default() };
    let fixture = Fixture::new(config);
    fixture.runtime.block_on(async {
        let mut response =
            pin!(fixture.service.call(post(&call(1, "hold"), &[("accept", "application/json")])));
        assert!(poll_once(response.as_mut()).await.is_none());
        let held = fixture.test.held();
        held.progress(1.0, None, None).unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(poll_once(response.as_mut()).await.is_none());
        held.finish().unwrap();
        assert_eq!(response.await.headers()[CONTENT_TYPE], "application/json");
    });
}

#[test]
fn cancels_when_the_client_goes_away_before_the_answer_and_not_after() {
    let config = HttpConfig { keep_alive: Duration::from_millis(5), ..HttpConfig::default() };
    let fixture = Fixture::new(config);
    // Before the response began.
    fixture.runtime.block_on(async {
        let mut response =
            Box::pin(fixture.service.call(post(&call(1, "hold"), &[("accept", "application/json")])));
        assert!(poll_once(response.as_mut()).await.is_none());
        let held = fixture.test.held();
        assert!(!held.is_cancelled());
        drop(response);
        assert!(held.is_cancelled());
    });
    // While it streams.
    let response = fixture.call(post(&call(2, "hold"), &[]));
    let held = fixture.test.held();
    assert!(!held.is_cancelled());
    drop(response);
    assert!(held.is_cancelled());
    // When the answer is there, even if nobody took it.
    let response = fixture.call(post(&call(3, "hold"), &[]));
    let held = fixture.test.held();
    held.finish().unwrap();
    drop(response);
    assert!(!held.is_cancelled());
}

#[test]
fn streams_a_subscription_and_forgets_it_with_its_client() {
    let fixture = Fixture::default();
    let listen = request(5, "subscriptions/listen", r#""notifications":{"toolsListChanged":true},"#);
    let response = fixture.call(post(&listen, &[]));
    assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
    let mut body = response.into_body();
    fixture.runtime.block_on(async {
        let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(first.starts_with(b"data: ") && !body.is_end_stream());
        fixture.test.server.remove_tool("add").unwrap();
        let changed = body.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(String::from_utf8_lossy(&changed).contains("notifications/tools/list_changed"));
    });
    assert_eq!(fixture.test.server.subscriptions().count(), 1);
    drop(body);
    wait_until("the subscription's end", || fixture.test.server.subscriptions().count() == 0);
}

#[test]
fn ends_subscriptions_with_their_result_when_it_stops() {
    let fixture = Fixture::default();
    let listen = request(5, "subscriptions/listen", r#""notifications":{"toolsListChanged":true},"#);
    let open = fixture.call(post(&listen, &[]));
    fixture.service.stop();
    let late = fixture.call(post(&listen, &[]));
    for response in [open, late] {
        let text = fixture.text(response);
        let last = text.trim_end().rsplit("\n\n").next().unwrap();
        assert!(last.contains("\"id\":5") && last.contains("\"result\""), "{text}");
    }
    assert_eq!(fixture.test.server.subscriptions().count(), 0);
}

#[test]
fn tells_a_client_that_takes_no_stream_that_a_subscription_is_one() {
    let fixture = Fixture::default();
    let listen = request(5, "subscriptions/listen", r#""notifications":{},"#);
    let response = fixture.call(post(&listen, &[("accept", "application/json")]));
    assert_eq!(response.status(), StatusCode::NOT_ACCEPTABLE);
    assert_eq!(fixture.test.server.subscriptions().count(), 0);
}

#[test]
fn names_the_setting_that_cannot_be_used() {
    let test = TestServer::new();
    for (config, setting) in [
        (HttpConfig { path: "mcp".into(), ..HttpConfig::default() }, "path: "),
        (HttpConfig { allowed_origins: vec!["x".into()], ..HttpConfig::default() }, "allowed_origins: "),
        (HttpConfig { allowed_hosts: vec!["x/".into()], ..HttpConfig::default() }, "allowed_hosts: "),
    ] {
        let error = HttpService::new(&test.server, &config).err().unwrap().to_string();
        assert!(error.starts_with(setting), "{error}");
    }
}

/// Polls `future` once.
async fn poll_once<F: Future>(mut future: std::pin::Pin<&mut F>) -> Option<F::Output> {
    std::future::poll_fn(|cx| {
        std::task::Poll::Ready(match future.as_mut().poll(cx) {
            std::task::Poll::Ready(output) => Some(output),
            std::task::Poll::Pending => None,
        })
    })
    .await
}
