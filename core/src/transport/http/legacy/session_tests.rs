//! Sessions from their beginning to their end, over bodies in memory.
#![allow(clippy::unwrap_used)]

use std::time::Duration;

use http::StatusCode;
use serde_json::Value;

use super::test_client::{
    BOTH, Client, Fixture, INITIALIZED, JSON, call, ids, initialize, messages, ping, request,
};
use crate::transport::http::principal::Principal;
use crate::transport::http::test_server::wait_until;

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
    assert_eq!(ids_of(&answers), [1, 2], "an error without an id is none in this revision");
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
fn answers_a_batch_with_no_error_without_id() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-03-26");
    let (stream, held) = client.begun(1);
    for batch in [format!("[{}]", ping(1)), format!("[5,{}]", ping(1)), "[5]".into()] {
        let refused = client.post(&batch);
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{batch}");
        let error = fixture.json(refused);
        assert!(error.is_object() && error.get("id").is_none(), "{error}");
    }
    let answers = fixture.json(client.post(&format!("[{},{}]", ping(1), ping(2))));
    assert_eq!((answers.as_array().unwrap().len(), &answers[0]["id"]), (1, &Value::from(2)));
    let without_params = r#"{"jsonrpc":"2.0","id":7,"method":5}"#;
    let answers = fixture.json(client.post(&format!("[5,{without_params}]")));
    assert_eq!((answers.as_array().unwrap().len(), &answers[0]["id"]), (1, &Value::from(7)));
    let empty = client.post(&format!("[{},{INITIALIZED}]", ping(1)));
    assert_eq!(fixture.text(empty), "");
    held.finish().unwrap();
    assert_eq!(messages(&fixture.text(stream)).last().unwrap()["id"], 1);
}

#[test]
fn refuses_a_header_of_the_session_that_is_there_twice() {
    let fixture = Fixture::new(&[]);
    let client = fixture.initialize("2025-11-25");
    let again = ("mcp-session-id", client.session.as_str());
    for (method, body) in [("POST", ping(1).as_str()), ("POST", INITIALIZED), ("GET", ""), ("DELETE", "")] {
        assert_eq!(client.send(method, &[again], body).status(), StatusCode::BAD_REQUEST, "{method} {body}");
    }
    let last = ("last-event-id", "l99-0");
    assert_eq!(client.send("GET", &[last, last], "").status(), StatusCode::BAD_REQUEST);
    assert_eq!(client.send("GET", &[last], "").status(), StatusCode::OK);
    assert_eq!(client.post(&ping(1)).status(), StatusCode::OK);
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
