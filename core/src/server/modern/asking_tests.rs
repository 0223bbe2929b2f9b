//! What a handler may ask of a client of the modern era, and what becomes of its question.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::call::handler::Dispatch;
use crate::call::invocation::{Call, MAX_QUESTIONS};
use crate::host_error::HostError;
use crate::protocol::client_capability::ClientCapability;
use crate::protocol::error::ErrorCode;
use crate::protocol::message::AnswerStatus;
use crate::protocol::prompt_definition::PromptDefinition;
use crate::protocol::resource_definition::ResourceDefinition;
use crate::server::conversation::{
    Asking, FORM, PAGE, ROOTS, SAMPLING, add, add_prompt, add_requiring, add_template, ask, call,
    meta_declaring, named, request, send, server, text,
};

fn object() -> Value {
    json!({"type": "object"})
}

/// Greets whom the client names.
fn greet(call: &Arc<Call>) {
    let Ok(answer) = call.request_input("who", FORM) else { return };
    let answer: Value = serde_json::from_slice(&answer).unwrap();
    let name = answer["content"]["name"].as_str().unwrap_or("nobody");
    call.finish_text(&format!("Hello, {name}!")).unwrap();
}

#[test]
fn a_question_is_a_result_and_its_answer_runs_the_handler_again() {
    let server = server();
    add(&server, "greet", object(), greet);
    let asking = Asking::tool(&server, "greet");
    let asked = asking.begin();
    let form: Value = serde_json::from_slice(FORM).unwrap();
    let state = asked["requestState"].as_str().unwrap();
    assert!(state.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_'));
    assert_eq!(
        asked,
        json!({"resultType": "input_required", "inputRequests": {"who": form}, "requestState": state,
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0"}}})
    );
    let greeted = asking.again(&asked, json!({"who": named("Ann")}));
    assert_eq!(
        (&greeted["resultType"], &greeted["content"][0]["text"]),
        (&json!("complete"), &json!("Hello, Ann!"))
    );
    assert!(greeted.get("requestState").is_none());
    let declined = asking.again(&asked, json!({"who": {"action": "decline"}}));
    assert_eq!(declined["content"][0]["text"], "Hello, nobody!");
    assert_eq!(server.calls_in_flight(), 0);
}

#[test]
fn several_questions_are_asked_at_once_and_what_is_not_answered_again() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        let answers = [("who", FORM), ("where", ROOTS), ("what", SAMPLING), ("pay", PAGE)]
            .map(|(key, question)| call.request_input(key, question));
        if answers.iter().all(Result::is_ok) {
            call.finish_text("all").unwrap();
        }
    });
    let asking = Asking::tool(&server, "ask");
    let keys =
        |asked: &Value| asked["inputRequests"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let asked = asking.begin();
    assert_eq!(keys(&asked), ["pay", "what", "where", "who"]);
    assert_eq!(asked["inputRequests"]["where"], json!({"method": "roots/list"}));
    assert_eq!(asked["inputRequests"]["pay"]["params"]["mode"], "url");
    let asked = asking.again(&asked, json!({"who": named("Ann"), "pay": {"action": "accept"}}));
    assert_eq!(keys(&asked), ["what", "where"]);
    let message = json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "hi"}});
    let asked = asking.again(&asked, json!({"what": message}));
    assert_eq!(keys(&asked), ["where"]);
    let done = asking.again(&asked, json!({"where": {"roots": []}}));
    assert_eq!(done["content"][0]["text"], "all");
}

#[test]
fn prompts_and_resources_ask_too() {
    let server = server();
    add_prompt(&server, json!({"name": "greet"}), greet);
    add_template(&server, json!({"uriTemplate": "greet:{x}", "name": "greet"}), greet);
    for (method, params, text) in [
        ("prompts/get", json!({"name": "greet"}), "/messages/0/content/text"),
        ("resources/read", json!({"uri": "greet:1"}), "/contents/0/text"),
    ] {
        let asking = Asking { server: &server, principal: Some("ann"), method, params };
        let asked = asking.begin();
        assert_eq!(asked["resultType"], "input_required");
        assert!(asked.get("ttlMs").is_none() && asked.get("messages").is_none(), "{asked}");
        let greeted = asking.again(&asked, json!({"who": named("Ann")}));
        assert_eq!(greeted.pointer(text), Some(&json!("Hello, Ann!")), "{method}");
    }
}

#[test]
fn a_client_is_not_asked_what_it_did_not_declare() {
    for (question, declared, required) in [
        (FORM, json!({}), json!({"elicitation": {"form": {}}})),
        (FORM, json!({"elicitation": {"url": {}}}), json!({"elicitation": {"form": {}}})),
        (PAGE, json!({"elicitation": {}}), json!({"elicitation": {"url": {}}})),
        (ROOTS, json!({"sampling": {}}), json!({"roots": {}})),
        (SAMPLING, json!({"roots": {}}), json!({"sampling": {}})),
    ] {
        let server = server();
        add(&server, "ask", object(), |call: &Arc<Call>| {
            assert!(matches!(call.request_input("q", question), Err(HostError::MissingCapability(_))));
        });
        add(&server, "without", object(), |call: &Arc<Call>| {
            assert!(call.request_input("q", question).is_err());
            call.finish_text("done without").unwrap();
        });
        add_prompt(&server, json!({"name": "ask"}), |call: &Arc<Call>| {
            assert!(call.request_input("q", question).is_err());
            call.finish_input_required().unwrap();
        });
        for method in ["tools/call", "prompts/get"] {
            let params = json!({"name": "ask", "_meta": meta_declaring(declared.clone())});
            let (recorder, _) = send(&server, &request(1, method, params), None);
            let error = recorder.answer()["error"].clone();
            assert_eq!(
                (&error["code"], &error["data"]),
                (&json!(-32021), &json!({"requiredCapabilities": required}))
            );
            assert_eq!(recorder.status(), Some(AnswerStatus::BadRequest));
        }
        let params = json!({"name": "without", "_meta": meta_declaring(declared)});
        assert_eq!(text(&ask(&server, "tools/call", params)), "done without");
    }
}

#[test]
fn what_can_be_asked_is_asked_before_what_cannot_be_is_an_error() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        let roots = call.request_input("where", ROOTS);
        assert!(call.request_input("what", SAMPLING).is_err());
        drop(roots);
    });
    let meta = meta_declaring(json!({"roots": {}}));
    let asked = ask(&server, "tools/call", json!({"name": "ask", "_meta": meta}))["result"].clone();
    assert_eq!(asked["inputRequests"], json!({"where": {"method": "roots/list"}}));
    let params = json!({"name": "ask", "_meta": meta, "requestState": asked["requestState"],
        "inputResponses": {"where": {"roots": []}}});
    assert_eq!(ask(&server, "tools/call", params)["error"]["code"], -32021);
}

#[test]
fn what_is_declared_to_need_a_capability_runs_for_no_client_without_it() {
    let server = server();
    let runs = Arc::new(AtomicUsize::new(0));
    let handler = || {
        let runs = runs.clone();
        move |call: &Arc<Call>| {
            runs.fetch_add(1, Ordering::SeqCst);
            call.finish().unwrap();
        }
    };
    let required = || vec![ClientCapability::named("sampling").unwrap()];
    add_requiring(&server, "needs", "sampling", handler());
    let prompt = PromptDefinition::new("needs").unwrap();
    server.add_prompt(&prompt, Arc::new(handler()), Dispatch::Inline, required());
    let resource = ResourceDefinition::new("x:needs", "needs").unwrap();
    server.add_resource(&resource, Arc::new(handler()), Dispatch::Inline, required());
    for method in ["tools/call", "prompts/get", "resources/read"] {
        for (declared, code) in [(json!({}), json!(-32021)), (json!({"sampling": {}}), Value::Null)] {
            let params = json!({"name": "needs", "uri": "x:needs", "_meta": meta_declaring(declared)});
            let error = ask(&server, method, params)["error"].clone();
            assert_eq!(error["code"], code, "{method}");
            if !code.is_null() {
                assert_eq!(error["data"], json!({"requiredCapabilities": {"sampling": {}}}));
            }
        }
    }
    assert_eq!(runs.load(Ordering::SeqCst), 3);
}

#[test]
fn a_call_that_asked_ends_with_its_question_whatever_else_it_is_ended_with() {
    type Finish = fn(&Call) -> Result<(), HostError>;
    let finishes: [Finish; 6] = [
        |call| call.finish(),
        |call| call.finish_text("no"),
        |call| call.finish_tool_error("no"),
        |call| call.finish_json(br#"{"content": []}"#),
        |call| call.finish_error(ErrorCode::INVALID_PARAMS, "no", None),
        |call| call.finish_input_required().and(Err(HostError::InputRequired(String::new()))),
    ];
    for finish in finishes {
        let server = server();
        add(&server, "ask", object(), move |call: &Arc<Call>| {
            assert!(matches!(call.request_input("q", ROOTS), Err(HostError::InputRequired(_))));
            assert!(matches!(finish(call), Err(HostError::InputRequired(_))));
            assert!(matches!(call.finish(), Err(HostError::AlreadyFinished)));
            assert!(matches!(call.request_input("r", ROOTS), Err(HostError::AlreadyFinished)));
        });
        let asked = Asking::tool(&server, "ask").begin();
        assert_eq!(asked["inputRequests"], json!({"q": {"method": "roots/list"}}));
    }
}

#[test]
fn a_question_that_is_none_is_refused_and_the_call_goes_on() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        for bad in [
            &b"\"roots/list\""[..],
            br#"{"method": "ping"}"#,
            br#"{"method": "elicitation/create"}"#,
            br#"{"method": "sampling/createMessage", "params": {"messages": []}}"#,
            br#"{"method": "roots/list", "id": 1}"#,
        ] {
            let refused = call.request_input("q", bad);
            assert!(matches!(refused, Err(HostError::InvalidArgument(_))), "{refused:?}");
        }
        for bad in [&b""[..], b"{", b"\"\xff\""] {
            assert!(matches!(call.request_input("q", bad), Err(HostError::InvalidJson(_))));
        }
        assert!(matches!(call.request_input("", ROOTS), Err(HostError::InvalidArgument(_))));
        assert!(matches!(call.finish_input_required(), Err(HostError::InvalidArgument(_))));
        assert!(matches!(call.input("q"), Err(HostError::NotFound(_))));
        assert!(matches!(call.memo("m"), Err(HostError::NotFound(_))));
        assert!(matches!(call.set_memo("m", b"{"), Err(HostError::InvalidJson(_))));
        call.finish_text("all the same").unwrap();
    });
    assert_eq!(text(&call(&server, "ask", json!({}))), "all the same");
}

#[test]
fn a_round_asks_so_many_questions_and_each_key_once() {
    let server = server();
    add(&server, "ask", object(), |call: &Arc<Call>| {
        for n in 0..MAX_QUESTIONS {
            assert!(matches!(call.request_input(&n.to_string(), FORM), Err(HostError::InputRequired(_))));
        }
        assert!(matches!(call.request_input("more", ROOTS), Err(HostError::InvalidArgument(_))));
        assert!(matches!(call.request_input("0", ROOTS), Err(HostError::InputRequired(_))));
    });
    let asked = Asking::tool(&server, "ask").begin()["inputRequests"].clone();
    assert_eq!(asked.as_object().unwrap().len(), MAX_QUESTIONS);
    assert_eq!(
        (&asked["0"]["method"], &asked["1"]["method"]),
        (&json!("roots/list"), &json!("elicitation/create"))
    );
}

#[test]
fn a_handler_may_finish_later_with_its_question() {
    let server = server();
    let (give, given) = std::sync::mpsc::channel();
    add(&server, "later", object(), move |call: &Arc<Call>| give.send(call.clone()).unwrap());
    let asking = Asking::tool(&server, "later");
    for way in 0..2 {
        let (recorder, in_flight) = asking.send(&Value::Null, &Value::Null);
        let call: Arc<Call> = given.recv().unwrap();
        assert!(in_flight.is_some() && recorder.so_far().is_empty());
        assert!(call.request_input("q", ROOTS).is_err());
        assert_eq!(server.calls_in_flight(), 1);
        if way == 0 {
            call.finish_input_required().unwrap();
        }
        drop(call);
        assert_eq!(recorder.answer()["result"]["resultType"], "input_required");
        assert_eq!(server.calls_in_flight(), 0);
    }
}
