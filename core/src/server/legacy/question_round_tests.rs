//! What a handler asks of a client that has a session, and every way in which that ends.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::conversation::{Client, LEGACY};
use crate::call::invocation::Call;
use crate::call::rounds::MAX_ROUNDS;
use crate::host_error::HostError;
use crate::protocol::revision::Revision;
use crate::server::conversation::{
    FORM, PAGE, ROOTS, Recorder, SAMPLING, add, add_prompt, named, server, text,
};
use crate::server::engine::Server;

const NEWEST: Revision = Revision::V2025_11_25;

fn object() -> Value {
    json!({"type": "object"})
}

/// A server whose tool `ask` asks all of `questions` at once, and answers with the answers.
fn asking(questions: &'static [(&'static str, &'static [u8])]) -> Arc<Server> {
    let server = server();
    add(&server, "ask", object(), move |call: &Arc<Call>| {
        let answers: Vec<_> =
            questions.iter().map(|(key, question)| call.request_input(key, question)).collect();
        let Ok(answers) = answers.into_iter().collect::<Result<Vec<_>, _>>() else { return };
        let texts: Vec<_> = answers.iter().map(|answer| String::from_utf8_lossy(answer)).collect();
        call.finish_text(&texts.join(" ")).unwrap();
    });
    server
}

/// Says of the requests that the client was told to forget which they are.
fn withdrawn(recorder: &Recorder) -> Vec<Value> {
    let said = recorder.so_far();
    let withdrawn = said.iter().filter(|message| message["method"] == "notifications/cancelled");
    withdrawn.map(|message| message["params"]["requestId"].clone()).collect()
}

#[test]
fn each_kind_of_question_is_a_request_and_its_answer_runs_the_handler_again() {
    let message = json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}});
    for (question, method, answer, since) in [
        (FORM, "elicitation/create", named("Ann"), Revision::V2025_06_18),
        (PAGE, "elicitation/create", json!({"action": "accept"}), Revision::V2025_11_25),
        (SAMPLING, "sampling/createMessage", message, Revision::V2024_11_05),
        (ROOTS, "roots/list", json!({"roots": [{"uri": "file:///a"}]}), Revision::V2024_11_05),
    ] {
        let server = server();
        add(&server, "ask", object(), move |call: &Arc<Call>| {
            let Ok(answer) = call.request_input("q", question) else { return };
            call.finish_text(std::str::from_utf8(&answer).unwrap()).unwrap();
        });
        for revision in LEGACY {
            let client = Client::begin(&server, revision);
            let (recorder, in_flight) = client.begin_call("ask");
            if revision < since {
                let refused = recorder.answer();
                assert!(refused["result"]["isError"] == true && in_flight.is_none(), "{refused}");
                assert!(text(&refused).contains(revision.name()), "{refused}");
                continue;
            }
            let asked = recorder.requests(1)[0].clone();
            assert_eq!((&asked["method"], &asked["jsonrpc"]), (&json!(method), &json!("2.0")));
            let has_mode = asked["params"].get("mode").is_some();
            assert_eq!(has_mode, method == "elicitation/create" && revision >= Revision::V2025_11_25);
            assert_eq!(in_flight.unwrap().unanswered().as_deref(), Some("tool \"ask\""));
            assert_eq!(server.calls_in_flight(), 0, "no handler is at work for it");
            client.answer(&asked, answer.clone());
            assert_eq!(text(&recorder.answer()), answer.to_string());
            assert_eq!(recorder.so_far().len(), 2);
            assert_eq!(server.calls_in_flight(), 0);
        }
    }
}

#[test]
fn several_questions_are_asked_together_and_the_handler_waits_for_all_answers() {
    let server = asking(&[("who", FORM), ("where", ROOTS)]);
    let client = Client::begin(&server, NEWEST);
    let (recorder, _in_flight) = client.begin_call("ask");
    let asked = recorder.requests(2);
    assert_ne!(asked[0]["id"], asked[1]["id"]);
    client.answer(&asked[1], json!({"roots": []}));
    assert_eq!(recorder.so_far().len(), 2);
    client.answer(&asked[0], named("Ann"));
    assert_eq!(text(&recorder.answer()), format!("{} {}", named("Ann"), json!({"roots": []})));
    // Two calls at once have questions of their own.
    let calls = [client.begin_call("ask").0, client.begin_call("ask").0];
    let asked = calls.each_ref().map(|recorder| recorder.requests(2));
    for (index, name) in [(1, "Bob"), (0, "Ann")] {
        client.answer(&asked[index][0], named(name));
        client.answer(&asked[index][1], json!({"roots": []}));
        assert!(text(&calls[index].answer()).contains(name));
    }
}

#[test]
fn what_a_handler_computed_and_did_and_was_told_is_kept_from_round_to_round() {
    let server = server();
    let counts: Arc<[AtomicUsize; 3]> = Arc::default();
    let counted = counts.clone();
    add(&server, "pay", object(), move |call: &Arc<Call>| {
        counted[0].fetch_add(1, Ordering::SeqCst);
        if call.memo("price").is_err() {
            counted[1].fetch_add(1, Ordering::SeqCst);
            call.set_memo("price", b"5").unwrap();
        }
        if call.request_input("first", FORM).is_ok() {
            counted[2].fetch_add(usize::from(call.once("pay").unwrap()), Ordering::SeqCst);
            if call.request_input("second", FORM).is_ok() {
                call.finish_text("paid").unwrap();
            }
        }
    });
    let client = Client::begin(&server, NEWEST);
    let (recorder, _in_flight) = client.begin_call("pay");
    client.answer(&recorder.requests(1)[0], named("Ann"));
    client.answer(&recorder.requests(2)[1], named("Bob"));
    assert_eq!(text(&recorder.answer()), "paid");
    assert_eq!(counts.each_ref().map(|count| count.load(Ordering::SeqCst)), [3, 1, 1]);
}

#[test]
fn an_answer_that_is_none_is_asked_for_again_but_not_for_ever() {
    let server = asking(&[("who", FORM)]);
    let client = Client::begin(&server, NEWEST);
    let (recorder, _in_flight) = client.begin_call("ask");
    for (count, wrong) in
        [json!({}), json!("Ann"), json!({"action": "accept", "content": {}})].iter().enumerate()
    {
        client.answer(&recorder.requests(count + 1)[count], wrong.clone());
    }
    client.answer(&recorder.requests(4)[3], named("Ann"));
    assert_eq!(text(&recorder.answer()), named("Ann").to_string());
    let (recorder, _in_flight) = client.begin_call("ask");
    for round in 0..MAX_ROUNDS as usize {
        client.answer(&recorder.requests(round + 1)[round], json!({}));
    }
    assert_eq!(recorder.answer()["error"]["code"], -32603);
    assert_eq!(server.calls_in_flight(), 0);
}

#[test]
fn progress_grows_though_the_handler_begins_again() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        for step in 1..=2 {
            call.progress(f64::from(step), None, None).unwrap();
        }
        let Ok(_) = call.request_input("who", FORM) else { return };
        call.progress(3.0, None, None).unwrap();
        call.finish().unwrap();
    });
    let client = Client::begin(&server, NEWEST);
    let params = json!({"name": "ask", "_meta": {"progressToken": 1}});
    let (recorder, _in_flight) = client.send("tools/call", params);
    client.answer(&recorder.requests(1)[0], named("Ann"));
    recorder.answer();
    let said = recorder.so_far();
    let told = said.iter().filter_map(|message| message["params"]["progress"].as_f64());
    assert_eq!(told.collect::<Vec<_>>(), [1.0, 2.0, 3.0]);
}

#[test]
fn an_error_of_the_clients_is_what_the_call_ends_with() {
    let server = asking(&[("who", FORM), ("where", ROOTS)]);
    add_prompt(&server, json!({"name": "ask"}), |call: &Arc<Call>| drop(call.request_input("who", FORM)));
    let client = Client::begin(&server, NEWEST);
    let (recorder, _in_flight) = client.begin_call("ask");
    let asked = recorder.requests(2);
    client.refuse(&asked[0], "no window");
    let failed = recorder.answer();
    assert!(failed["result"]["isError"] == true && text(&failed).contains("no window"), "{failed}");
    assert_eq!(withdrawn(&recorder), [asked[1]["id"].clone()], "the other need not be answered");
    client.answer(&asked[1], json!({"roots": []}));
    let (recorder, _in_flight) = client.send("prompts/get", json!({"name": "ask"}));
    client.respond(json!({"jsonrpc": "2.0", "id": recorder.requests(1)[0]["id"], "error": "odd"}));
    assert_eq!(recorder.answer()["error"]["code"], -32603);
    assert_eq!(server.calls_in_flight(), 0);
}

#[test]
fn responses_to_nothing_are_passed_over() {
    let server = asking(&[("who", FORM)]);
    let client = Client::begin(&server, NEWEST);
    let (recorder, _in_flight) = client.begin_call("ask");
    let asked = recorder.requests(1)[0].clone();
    let id = asked["id"].as_i64().unwrap();
    for other in [json!(id + 1), json!(-1), json!(id.to_string()), json!(null), json!([])] {
        client.respond(json!({"jsonrpc": "2.0", "id": other, "result": named("Bob")}));
    }
    assert_eq!(recorder.so_far().len(), 1);
    let other = Client::begin(&server, NEWEST);
    other.answer(&asked, named("Mallory"));
    assert_eq!(recorder.so_far().len(), 1, "an answer from another session");
    client.answer(&asked, named("Ann"));
    client.answer(&asked, named("Bob"));
    assert_eq!(text(&recorder.answer()), named("Ann").to_string());
    assert_eq!(recorder.so_far().len(), 2);
}

#[test]
fn a_client_that_does_not_answer_in_time_need_not_answer_any_more() {
    let server = asking(&[("who", FORM), ("where", ROOTS)]);
    server.configure(|settings| settings.set("answer_timeout_ms", "20")).unwrap();
    let client = Client::begin(&server, NEWEST);
    let (recorder, in_flight) = client.begin_call("ask");
    let asked = recorder.requests(2);
    client.answer(&asked[1], json!({"roots": []}));
    let failed = recorder.answer();
    assert!(failed["result"]["isError"] == true && text(&failed).contains("20 ms"), "{failed}");
    assert_eq!(withdrawn(&recorder), [asked[0]["id"].clone()]);
    assert!(recorder.so_far()[2]["params"]["reason"].is_string());
    client.answer(&asked[0], named("Ann"));
    assert_eq!(in_flight.unwrap().unanswered(), None);
    assert_eq!((recorder.so_far().len(), server.calls_in_flight()), (4, 0));
}

#[test]
fn the_time_to_answer_begins_anew_with_each_round() {
    let server = server();
    server.configure(|settings| settings.set("answer_timeout_ms", "1000")).unwrap();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        for key in ["1", "2", "3", "4"] {
            if call.request_input(key, FORM).is_err() {
                return;
            }
        }
        call.finish_text("all").unwrap();
    });
    let client = Client::begin(&server, NEWEST);
    let (recorder, _in_flight) = client.begin_call("ask");
    for round in 0..4 {
        let asked = recorder.requests(round + 1)[round].clone();
        thread::sleep(Duration::from_millis(300));
        client.answer(&asked, named("Ann"));
    }
    assert_eq!(text(&recorder.answer()), "all");
}

#[test]
fn a_request_that_is_cancelled_while_it_asks_is_answered_by_nothing() {
    let server = asking(&[("who", FORM), ("where", ROOTS)]);
    let client = Client::begin(&server, NEWEST);
    let (recorder, in_flight) = client.begin_call("ask");
    let asked = recorder.requests(2);
    client.answer(&asked[1], json!({"roots": []}));
    let in_flight = in_flight.unwrap();
    in_flight.cancel();
    in_flight.cancel();
    assert_eq!(withdrawn(&recorder), [asked[0]["id"].clone()]);
    assert_eq!((server.calls_in_flight(), in_flight.unanswered()), (0, None));
    client.answer(&asked[0], named("Ann"));
    assert_eq!(recorder.so_far().len(), 3);
}

#[test]
fn a_session_that_ends_while_it_asks_leaves_nothing_behind() {
    let server = asking(&[("who", FORM), ("where", ROOTS)]);
    let client = Client::begin(&server, NEWEST);
    let (recorder, in_flight) = client.begin_call("ask");
    let asked = recorder.requests(2);
    client.session.end();
    assert_eq!((server.calls_in_flight(), in_flight.unwrap().unanswered()), (0, None));
    client.answer(&asked[0], named("Ann"));
    client.answer(&asked[1], json!({"roots": []}));
    let late = client.begin_call("ask").0;
    assert_eq!((recorder.so_far().len(), late.so_far().len(), client.push.so_far().len()), (2, 0, 0));
    let session = Arc::downgrade(&client.session);
    drop(client);
    assert!(session.upgrade().is_none());
    assert_eq!(server.calls_in_flight(), 0);
}

#[test]
fn a_question_goes_by_the_session_where_its_request_takes_json_only() {
    let server = asking(&[("where", ROOTS)]);
    let client = Client::begin(&server, NEWEST);
    let (recorder, _in_flight) = client.send_to(Recorder::json_only(), "tools/call", json!({"name": "ask"}));
    let asked = client.push.requests(1)[0].clone();
    assert!(recorder.so_far().is_empty());
    client.answer(&asked, json!({"roots": []}));
    assert_eq!(text(&recorder.answer()), json!({"roots": []}).to_string());
}

#[test]
fn a_client_is_not_asked_what_it_did_not_declare() {
    let server = asking(&[("what", SAMPLING)]);
    add_prompt(&server, json!({"name": "ask"}), |call: &Arc<Call>| {
        assert!(matches!(call.request_input("who", FORM), Err(HostError::MissingCapability(_))));
    });
    for revision in LEGACY {
        let client = Client::declaring(&server, revision, json!({"roots": {}, "elicitation": {"url": {}}}));
        let refused = client.call("ask", json!({}));
        assert!(refused["result"]["isError"] == true && text(&refused).contains("sampling"), "{refused}");
        if revision < Revision::V2025_11_25 {
            // There, an elicitation is of a form.
            continue;
        }
        let error = client.ask("prompts/get", json!({"name": "ask"}))["error"].clone();
        assert_eq!(error["code"], -32603);
        assert!(error["message"].as_str().unwrap().contains("elicitation.form"), "{error}");
    }
}

#[test]
fn a_client_is_told_when_what_it_was_sent_to_a_page_for_is_done() {
    let server = server();
    add(&server, "pay", object(), |call: &Arc<Call>| {
        let id = call.elicitation_id("pay").unwrap();
        let Ok(_) = call.request_input("pay", PAGE) else { return };
        call.finish_text(&id).unwrap();
    });
    let client = Client::begin(&server, NEWEST);
    let (recorder, _in_flight) = client.begin_call("pay");
    let asked = recorder.requests(1)[0].clone();
    let id = asked["params"]["elicitationId"].as_str().unwrap().to_owned();
    client.answer(&asked, json!({"action": "accept"}));
    assert_eq!(text(&recorder.answer()), id, "the handler knows it by the same");
    server.complete_elicitation(&id).unwrap();
    let told = client.push.told("notifications/elicitation/complete");
    assert_eq!(told, json!({"elicitationId": id}));
    for gone in [&id, "unknown"] {
        assert!(matches!(server.complete_elicitation(gone), Err(HostError::NotFound(_))));
    }
    let (recorder, _in_flight) = client.begin_call("pay");
    let id = recorder.requests(1)[0]["params"]["elicitationId"].as_str().unwrap().to_owned();
    client.session.end();
    assert!(server.complete_elicitation(&id).is_err());
}
