//! The rounds of a call in the modern era: what its state carries, and which state is taken.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use super::rounds::{MAX_ANSWERS, now};
use crate::call::invocation::Call;
use crate::call::rounds::MAX_ROUNDS;
use crate::host_error::HostError;
use crate::server::conversation::{Asking, FORM, PAGE, ROOTS, add, add_prompt, add_template, named, server};
use crate::server::engine::Server;
use crate::server::request_state::binding::Binding;
use crate::server::request_state::json_digest::JsonDigest;
use crate::server::request_state::state::RequestState;

fn object() -> Value {
    json!({"type": "object"})
}

fn text_of(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

/// Asks for a name and for another one, and says how often each step was taken.
fn in_steps(counts: &Arc<[AtomicUsize; 3]>) -> impl Fn(&Arc<Call>) + Send + Sync + 'static {
    let counts = counts.clone();
    move |call: &Arc<Call>| {
        counts[0].fetch_add(1, Ordering::SeqCst);
        if call.memo("price").is_err() {
            counts[1].fetch_add(1, Ordering::SeqCst);
            call.set_memo("price", b" {\"cents\" : 5 } ").unwrap();
        }
        let Ok(first) = call.request_input("first", FORM) else { return };
        if call.once("pay").unwrap() {
            counts[2].fetch_add(1, Ordering::SeqCst);
        }
        assert!(!call.once("pay").unwrap());
        let Ok(second) = call.request_input("second", FORM) else { return };
        let texts = [call.memo("price").unwrap(), first, second]
            .map(|text| String::from_utf8(text.to_vec()).unwrap());
        call.finish_text(&texts.join(" ")).unwrap();
    }
}

#[test]
fn what_a_handler_computed_and_did_and_was_told_is_kept_from_round_to_round() {
    let (server, counts) = (server(), Arc::<[AtomicUsize; 3]>::default());
    add(&server, "pay", object(), in_steps(&counts));
    let asking = Asking::tool(&server, "pay");
    let one = asking.begin();
    let two = asking.again(&one, json!({"first": named("Ann")}));
    assert_eq!(two["inputRequests"].as_object().unwrap().keys().collect::<Vec<_>>(), ["second"]);
    assert_ne!(one["requestState"], two["requestState"]);
    let done = asking.again(&two, json!({"second": named("Bob")}));
    let answers = [named("Ann"), named("Bob")].map(|answer| answer.to_string());
    assert_eq!(text_of(&done), format!("{{\"cents\":5}} {} {}", answers[0], answers[1]));
    assert_eq!(counts.each_ref().map(|count| count.load(Ordering::SeqCst)), [3, 1, 1]);
}

#[test]
fn an_effect_does_not_happen_again_when_an_earlier_state_comes_back() {
    let (server, counts) = (server(), Arc::<[AtomicUsize; 3]>::default());
    add(&server, "pay", object(), in_steps(&counts));
    let asking = Asking::tool(&server, "pay");
    let one = asking.begin();
    for name in ["Ann", "Bob", "Cy"] {
        let two = asking.again(&one, json!({"first": named(name)}));
        assert_eq!(two["resultType"], "input_required");
    }
    assert_eq!(counts[2].load(Ordering::SeqCst), 1);
    asking.again(&asking.begin(), json!({"first": named("Ann")}));
    assert_eq!(counts[2].load(Ordering::SeqCst), 2, "in a chain of its own");
}

#[test]
fn an_answer_that_is_none_is_asked_for_again() {
    let server = server();
    add(&server, "greet", object(), |call: &Arc<Call>| {
        let Ok(answer) = call.request_input("who", FORM) else { return };
        call.finish_text(std::str::from_utf8(&answer).unwrap()).unwrap();
    });
    let asking = Asking::tool(&server, "greet");
    let mut asked = asking.begin();
    for wrong in [
        json!({}),
        json!({"who": null}),
        json!({"who": "Ann"}),
        json!({"who": {"action": "accept"}}),
        json!({"who": {"action": "accept", "content": {"name": 5}}}),
        json!({"who": {"roots": []}}),
        Value::Null,
    ] {
        asked = asking.again(&asked, wrong.clone());
        assert_eq!(asked["resultType"], "input_required", "{wrong}");
        assert!(asked["inputRequests"]["who"].is_object());
    }
    assert_eq!(text_of(&asking.again(&asked, json!({"who": named("Ann")}))), named("Ann").to_string());
}

#[test]
fn answers_are_taken_without_a_state_too() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        let own = call.input("who").is_ok();
        let Ok(_) = call.request_input("who", FORM) else { return };
        call.finish_text(&own.to_string()).unwrap();
    });
    let asking = Asking::tool(&server, "ask");
    for answers in [json!({"who": named("Ann")}), json!({"who": named("Ann"), "unknown": [1, {}]})] {
        assert_eq!(text_of(&asking.round(&Value::Null, &answers)["result"]), "true");
    }
}

#[test]
fn a_state_carries_the_answers_that_were_read_and_no_others() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        let checked = call.request_input("who", FORM);
        let unchecked = call.input("free");
        if checked.is_ok() {
            assert!(call.input("large").is_err() || call.request_input("more", ROOTS).is_err());
            if call.request_input("more", ROOTS).is_ok() {
                let seen = [unchecked.is_ok(), call.input("large").is_ok(), call.input("unread").is_ok()];
                call.finish_text(&format!("{seen:?}")).unwrap();
            }
        }
    });
    let asking = Asking::tool(&server, "ask");
    let length = |asked: &Value| asked["requestState"].as_str().unwrap().len();
    let asked = asking.begin();
    let lean = asking.again(&asked, json!({"who": named("Ann"), "free": 1}));
    let unread = "x".repeat(100_000);
    let full = asking.again(&asked, json!({"who": named("Ann"), "free": 1, "unread": unread}));
    assert_eq!(length(&full), length(&lean));
    assert_eq!(text_of(&asking.again(&full, json!({"more": {"roots": []}}))), "[true, false, false]");
}

#[test]
fn refuses_answers_and_states_of_another_form() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| drop(call.request_input("who", FORM)));
    let asking = Asking::tool(&server, "ask");
    let many: serde_json::Map<_, _> = (0..=MAX_ANSWERS).map(|n| (n.to_string(), json!(1))).collect();
    for (state, answers, named) in [
        (json!(5), Value::Null, "params.requestState"),
        (json!({}), Value::Null, "params.requestState"),
        (Value::Null, json!([]), "params.inputResponses"),
        (Value::Null, json!("who"), "params.inputResponses"),
        (Value::Null, Value::Object(many), "params.inputResponses"),
    ] {
        let error = asking.round(&state, &answers)["error"].clone();
        assert_eq!(error["code"], -32602);
        assert!(error["message"].as_str().unwrap().contains(named), "{error}");
    }
}

#[test]
fn takes_no_state_but_that_of_the_same_request() {
    let (server, runs) = (server(), Arc::new(AtomicUsize::new(0)));
    let handler = || {
        let runs = runs.clone();
        move |call: &Arc<Call>| {
            runs.fetch_add(1, Ordering::SeqCst);
            let Ok(_) = call.request_input("who", FORM) else { return };
            call.finish_text("done").unwrap();
        }
    };
    add(&server, "ask", object(), handler());
    add(&server, "other", object(), handler());
    add_prompt(&server, json!({"name": "ask"}), handler());
    add_template(&server, json!({"uriTemplate": "ask:{x}", "name": "ask"}), handler());
    let asking = |principal, method, params| Asking { server: &server, principal, method, params };
    let tool = |arguments: Value| json!({"name": "ask", "arguments": arguments});
    let mine = asking(Some("ann"), "tools/call", tool(json!({"a": 1, "b": [2]})));
    let state = mine.begin()["requestState"].clone();
    let genuine = state.as_str().unwrap();
    let mut tampered = genuine.to_owned();
    let last = tampered.pop().unwrap();
    tampered.push(if last == 'A' { 'B' } else { 'A' });
    let read = asking(Some("ann"), "resources/read", json!({"uri": "ask:1"}));
    let of_read = read.begin()["requestState"].clone();
    let before = runs.load(Ordering::SeqCst);
    let answers = json!({"who": named("Ann")});
    let mut messages = Vec::new();
    for (asking, state) in [
        (asking(None, "tools/call", tool(json!({"a": 1, "b": [2]}))), state.clone()),
        (asking(Some("bob"), "tools/call", tool(json!({"a": 1, "b": [2]}))), state.clone()),
        (asking(Some("ann"), "tools/call", tool(json!({"a": 1, "b": [3]}))), state.clone()),
        (asking(Some("ann"), "tools/call", tool(json!({}))), state.clone()),
        (
            asking(Some("ann"), "tools/call", json!({"name": "other", "arguments": {"a": 1, "b": [2]}})),
            state.clone(),
        ),
        (asking(Some("ann"), "prompts/get", json!({"name": "ask"})), state.clone()),
        (asking(Some("ann"), "resources/read", json!({"uri": "ask:2"})), of_read.clone()),
        (asking(Some("ann"), "tools/call", tool(json!({"a": 1, "b": [2]}))), of_read),
        (asking(Some("ann"), "tools/call", tool(json!({"a": 1, "b": [2]}))), json!(tampered)),
        (asking(Some("ann"), "tools/call", tool(json!({"a": 1, "b": [2]}))), json!(&genuine[1..])),
        (asking(Some("ann"), "tools/call", tool(json!({"a": 1, "b": [2]}))), json!("")),
        (asking(Some("ann"), "tools/call", tool(json!({"a": 1, "b": [2]}))), json!("x".repeat(1 << 20))),
    ] {
        let error = asking.round(&state, &answers)["error"].clone();
        assert_eq!(error["code"], -32602, "{error}");
        messages.push(error["message"].clone());
    }
    messages.dedup();
    assert_eq!(messages.len(), 1, "what is wrong with a state is nobody's business: {messages:?}");
    assert_eq!(runs.load(Ordering::SeqCst), before, "no handler ran");
    assert_eq!(server.calls_in_flight(), 0);
    assert_eq!(text_of(&mine.round(&state, &answers)["result"]), "done");
}

/// A state that would be good, but for its age or its round.
fn forged(server: &Server, change: impl FnOnce(&mut RequestState)) -> Value {
    let settings = server.settings();
    let binding = Binding {
        audience: settings.request_state_audience(),
        principal: None,
        method: "tools/call",
        name: "ask",
        arguments: JsonDigest::of(b"{}"),
        now: now(),
    };
    let mut state = RequestState::begin(&binding, Duration::from_secs(60)).unwrap();
    change(&mut state);
    json!(settings.request_state.keys.seal(&state, 1 << 20).unwrap())
}

#[test]
fn takes_no_state_whose_time_is_over() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| drop(call.request_input("who", FORM)));
    let asking = Asking::tool(&server, "ask");
    let fresh = forged(&server, |_| ());
    assert!(asking.round(&fresh, &Value::Null)["result"].is_object());
    let old = forged(&server, |state| state.expires = now());
    let error = asking.round(&old, &json!({"who": named("Ann")}))["error"].clone();
    assert_eq!(error["code"], -32602);
    assert!(error["message"].as_str().unwrap().contains("expired"), "{error}");
}

#[test]
fn a_handler_that_asks_on_and_on_is_stopped() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| drop(call.request_input("who", FORM)));
    let asking = Asking::tool(&server, "ask");
    let mut asked = asking.begin();
    for _ in 1..MAX_ROUNDS {
        asked = asking.again(&asked, Value::Null);
        assert_eq!(asked["resultType"], "input_required");
    }
    assert_eq!(asking.round(&asked["requestState"], &Value::Null)["error"]["code"], -32603);
    let last = forged(&server, |state| state.round = u32::MAX);
    assert_eq!(asking.round(&last, &Value::Null)["error"]["code"], -32603);
}

#[test]
fn a_state_that_would_be_too_long_is_an_error_of_the_server() {
    let server = server();
    server.configure(|settings| settings.set("max_request_state_bytes", "1024")).unwrap();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        call.set_memo("m", json!("x".repeat(2000)).to_string().as_bytes()).unwrap();
        drop(call.request_input("who", FORM));
    });
    let error = Asking::tool(&server, "ask").round(&Value::Null, &Value::Null)["error"].clone();
    assert_eq!(error["code"], -32603);
    assert!(!error.to_string().contains("xxx"));
}

#[test]
fn a_server_with_the_same_keys_and_audience_takes_the_state() {
    const KEY: &str = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
    const OTHER: &str = "__79_Pv6-fj39vX08_Lx8O_u7ezr6uno5-bl5OPi4eA";
    let with = |keys: &str, audience: &str| {
        let server = server();
        server.configure(|settings| settings.set("request_state_keys", keys)).unwrap();
        server.configure(|settings| settings.set("request_state_audience", audience)).unwrap();
        add(&server, "ask", object(), |call: &Arc<Call>| {
            let Ok(_) = call.request_input("who", FORM) else { return };
            call.finish_text("done").unwrap();
        });
        server
    };
    let first = with(KEY, "us");
    let state = Asking::tool(&first, "ask").begin()["requestState"].clone();
    let answers = json!({"who": named("Ann")});
    for (keys, audience, taken) in [
        (KEY, "us", true),
        (&*format!("{OTHER},{KEY}"), "us", true),
        (KEY, "them", false),
        (OTHER, "us", false),
    ] {
        let replica = with(keys, audience);
        let answer = Asking::tool(&replica, "ask").round(&state, &answers);
        assert_eq!(answer.get("result").is_some(), taken, "{keys} {audience}");
    }
}

#[test]
fn the_id_of_a_url_elicitation_is_the_same_in_every_round() {
    let server = server();
    add(&server, "pay", object(), |call: &Arc<Call>| {
        let id = call.elicitation_id("pay").unwrap();
        assert!(id.len() >= 16 && call.elicitation_id("other").unwrap() != id);
        call.set_memo(&format!("id {id}"), b"1").unwrap();
        let Ok(_) = call.request_input("pay", PAGE) else { return };
        assert!(matches!(call.elicitation_id("pay"), Ok(again) if again == id));
        call.finish_text(&id).unwrap();
    });
    let asking = Asking::tool(&server, "pay");
    let asked = asking.begin();
    assert!(asked["inputRequests"]["pay"]["params"].get("elicitationId").is_none());
    let ids: Vec<_> = ["accept", "decline"]
        .iter()
        .map(|action| text_of(&asking.again(&asked, json!({"pay": {"action": action}}))).to_owned())
        .collect();
    assert_eq!(ids[0], ids[1]);
    let complete = server.complete_elicitation(&ids[0]);
    assert!(matches!(complete, Err(HostError::NotFound(_))), "a client of this era is told nothing");
}
