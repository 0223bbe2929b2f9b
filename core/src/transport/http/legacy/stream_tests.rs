//! The streams of sessions, over bodies in memory.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE};
use serde_json::Value;

use super::test_client::{BOTH, Fixture, JSON, ROOTS, call, ids, initialize, messages, ping};
use crate::call::invocation::Call;
use crate::host_error::HostError;
use crate::transport::http::test_server::wait_until;

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
