//! A listener over HTTP/2 by prior knowledge.
#![allow(clippy::unwrap_used)]

use std::pin::pin;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response, StatusCode, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::config::HttpConfig;
use super::listener::{Listener, serve_http};
use super::test_server::{BOUND, TestServer, call, request, wait_until};

type Client = SendRequest<Full<Bytes>>;

fn runtime() -> Runtime {
    Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap()
}

async fn connect(listener: &Listener) -> Client {
    let stream = TcpStream::connect(listener.address()).await.unwrap();
    let (client, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
    tokio::spawn(connection);
    client
}

fn post(authority: &str, tool: &str, body: String) -> Request<Full<Bytes>> {
    let method = if tool.is_empty() { "subscriptions/listen" } else { "tools/call" };
    Request::post(format!("http://{authority}/mcp"))
        .version(Version::HTTP_2)
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", method)
        .header("mcp-name", tool)
        .body(Full::new(body.into()))
        .unwrap()
}

async fn text(response: Response<Incoming>) -> String {
    let body = timeout(BOUND, response.into_body().collect()).await.unwrap().unwrap().to_bytes();
    String::from_utf8(body.to_vec()).unwrap()
}

#[test]
fn serves_requests_that_name_their_host_by_authority_alone() {
    let test = TestServer::new();
    let listener = serve_http(&test.server, &HttpConfig::default()).unwrap();
    runtime().block_on(async {
        let mut client = connect(&listener).await;
        for (authority, status) in [
            ("localhost:9", StatusCode::OK),
            ("127.0.0.1", StatusCode::OK),
            ("evil.example", StatusCode::FORBIDDEN),
        ] {
            let response = client.send_request(post(authority, "add", call(1, "add"))).await.unwrap();
            assert_eq!(response.version(), Version::HTTP_2);
            assert_eq!(response.status(), status, "{authority}");
            assert_eq!(text(response).await.contains("\"id\":1,"), status == StatusCode::OK);
        }
    });
    assert_eq!(test.ran(), 2);
}

#[test]
fn cancels_the_call_of_a_stream_that_is_reset_and_no_other() {
    let test = TestServer::new();
    let config = HttpConfig { keep_alive: Duration::from_millis(20), ..HttpConfig::default() };
    let listener = serve_http(&test.server, &config).unwrap();
    let runtime = runtime();
    runtime.block_on(async {
        let mut client = connect(&listener).await;
        let kept = tokio::spawn(client.send_request(post("localhost", "hold", call(1, "hold"))));
        let kept_call = test.held();
        let dropped = client.send_request(post("localhost", "hold", call(2, "hold"))).await.unwrap();
        let dropped_call = test.held();
        assert!(!dropped_call.is_cancelled());
        drop(dropped);
        wait_until("the cancellation", || dropped_call.is_cancelled());
        assert!(!kept_call.is_cancelled());
        kept_call.finish().unwrap();
        let kept = text(kept.await.unwrap().unwrap()).await;
        assert!(kept.contains("\"id\":1,") && !kept.contains("\"id\":2"), "{kept}");
    });
}

#[test]
fn refuses_a_large_body() {
    let test = TestServer::new();
    test.server.configure(|settings| settings.set("max_message_bytes", "100000")).unwrap();
    let listener = serve_http(&test.server, &HttpConfig::default()).unwrap();
    runtime().block_on(async {
        let mut client = connect(&listener).await;
        let response = client.send_request(post("localhost", "add", "x".repeat(4 << 20))).await.unwrap();
        assert_eq!(response.status(), StatusCode::PAYLOAD_TOO_LARGE);
        assert!(text(response).await.contains("100000 bytes"));
        let response = client.send_request(post("localhost", "add", call(1, "add"))).await.unwrap();
        assert_eq!(response.status(), StatusCode::OK);
    });
}

#[test]
fn finishes_what_it_can_when_it_is_shut_down() {
    let test = TestServer::new();
    let listener = serve_http(&test.server, &HttpConfig::default()).unwrap();
    let runtime = runtime();
    runtime.block_on(async {
        let mut client = connect(&listener).await;
        let listen = request(1, "subscriptions/listen", r#""notifications":{"toolsListChanged":true},"#);
        let subscription = client.send_request(post("localhost", "", listen)).await.unwrap();
        let short = tokio::spawn(client.send_request(post("localhost", "hold", call(2, "hold"))));
        let short_call = test.held();
        let endless = tokio::spawn(client.send_request(post("localhost", "hold", call(3, "hold"))));
        let endless_call = test.held();
        let shutdown = std::thread::spawn(move || listener.shutdown(Duration::from_secs(2)).unwrap());
        let events = text(subscription).await;
        assert!(events.contains("\"id\":1,\"result\""), "{events}");
        short_call.finish().unwrap();
        assert!(text(short.await.unwrap().unwrap()).await.contains("\"id\":2,"));
        assert!(!endless_call.is_cancelled());
        let mut endless = pin!(endless);
        assert!(timeout(BOUND, endless.as_mut()).await.unwrap().unwrap().is_err());
        wait_until("the cancellation", || endless_call.is_cancelled());
        shutdown.join().unwrap();
    });
    assert!(test.server.services().wait(Some(BOUND)));
}
