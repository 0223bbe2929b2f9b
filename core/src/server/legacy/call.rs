//! Starts a call of any kind for a client of the legacy era.

use std::sync::Arc;

use super::answering;
use super::rounds::Rounds;
use super::session::Session;
use super::shape;
use crate::call::outcome::CallResult;
use crate::call::request::RequestContext;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::server::called::{self, Called};
use crate::server::engine::Incoming;
use crate::server::execution;
use crate::server::in_flight::Handled;

/// `tools/call`
///
/// Bad arguments are an error of the request up to 2025-06-18, and from 2025-11-25 on a result that the model can mend.
pub fn tool(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let params = &incoming.request.params;
    let tool = called::tool::find(session.server(), params)?;
    let arguments = called::tool::arguments(params);
    let missing = session.capabilities().missing(&tool.contract.required_capabilities);
    if !missing.is_empty() {
        let names: Vec<_> = missing.iter().map(ToString::to_string).collect();
        let message = format!("This tool needs a client that declares the capability {}.", names.join(", "));
        return Ok(refuse(session, &incoming, &message));
    }
    called::tool::check_object(&arguments)?;
    match called::tool::accept(&tool, arguments, session.server().settings().lenient_arguments) {
        Ok(called) => start(session, incoming, called),
        Err(why) if session.revision().has_argument_faults_as_results() => {
            Ok(refuse(session, &incoming, &why))
        }
        Err(why) => Err(ProtocolError::invalid_params(why)),
    }
}

/// `prompts/get`
pub fn prompt(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let params = &incoming.request.params;
    let prompt = called::prompt::find(session.server(), params)?;
    session.capabilities().require(&"this prompt", &prompt.contract.required_capabilities)?;
    let called = called::prompt::accept(&prompt, params.arguments.map(|span| params.raw(span)))?;
    start(session, incoming, called)
}

/// `resources/read`
pub fn resource(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let called = called::resource::find(session.server(), &incoming.request.params)?;
    session.capabilities().require(&"this resource", called.subject.required_capabilities())?;
    start(session, incoming, called)
}

/// `completion/complete`
pub fn completion(session: &Arc<Session>, incoming: Incoming) -> Result<Handled, ProtocolError> {
    let called = called::completion::find(session.server(), &incoming.request.params)?;
    start(session, incoming, called)
}

fn start(session: &Arc<Session>, incoming: Incoming, called: Called) -> Result<Handled, ProtocolError> {
    let settings = session.server().settings();
    let place = session.server().take_place(&settings);
    let rounds =
        Rounds::new(session, &incoming, &called, &settings, incoming.request.params.progress_token()?);
    let Some(place) = place.filter(|_| !incoming.overloaded) else {
        rounds.refuse(&called.subject, execution::BUSY);
        return Ok(Handled::Answered);
    };
    let context = RequestContext {
        meta: meta(&incoming.request.params),
        revision: session.revision(),
        capabilities: session.capabilities().clone(),
        introduction: session.introduction(),
        headers: incoming.headers,
        principal: incoming.principal,
    };
    Ok(rounds.begin(called, context, place, &settings))
}

fn refuse(session: &Session, incoming: &Incoming, why: &str) -> Handled {
    let result = CallResult::tool_error(why);
    let message = shape::write(session.revision(), &incoming.request.id, None, result);
    answering::send(&*incoming.outbox, message)
}

fn meta(params: &Params) -> bytes::Bytes {
    match &params.meta {
        Some(meta) if meta.is_object => params.raw(meta.span),
        _ => bytes::Bytes::from_static(b"{}"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::call::handler::Dispatch;
    use crate::call::invocation::Call;
    use crate::protocol::client_capability::ClientCapability;
    use crate::protocol::prompt_definition::PromptDefinition;
    use crate::protocol::revision::Revision;
    use crate::server::conversation::{
        add, add_prompt, add_requiring, add_resource, add_template, add_to_pool, complete_by, eventually,
        server, text,
    };
    use crate::server::legacy::conversation::{Client, LEGACY};

    fn object() -> Value {
        json!({"type": "object"})
    }

    #[test]
    fn bad_arguments_are_the_models_to_mend_from_2025_11_25_on() {
        let server = server();
        let schema = json!({"type": "object", "required": ["n"], "properties": {"n": {"type": "integer"}}});
        add(&server, "count", schema, |call: &Arc<Call>| call.finish_text("counted").unwrap());
        for revision in LEGACY {
            let client = Client::begin(&server, revision);
            assert_eq!(text(&client.call("count", json!({"n": 3}))), "counted");
            let refused = client.call("count", json!({"n": "three"}));
            assert!(text(&refused).contains("/n"), "{refused}");
            if revision >= Revision::V2025_11_25 {
                assert_eq!((&refused["result"]["isError"], refused.get("error")), (&json!(true), None));
            } else {
                assert_eq!(refused["error"]["code"], -32602);
            }
            for params in [json!({"name": "count", "arguments": [3]}), json!({"name": "nosuch"}), json!({})] {
                assert_eq!(client.ask("tools/call", params)["error"]["code"], -32602, "{}", revision.name());
            }
        }
    }

    #[test]
    fn there_is_a_code_for_a_resource_that_there_is_not() {
        let server = server();
        add_resource(&server, json!({"uri": "x:1", "name": "one"}), |call: &Arc<Call>| {
            call.finish_not_found().unwrap();
        });
        for revision in LEGACY {
            let client = Client::begin(&server, revision);
            for uri in ["x:1", "x:2", "no uri"] {
                let error = client.ask("resources/read", json!({"uri": uri}))["error"].clone();
                assert_eq!((&error["code"], &error["data"]), (&json!(-32002), &json!({"uri": uri})));
            }
            assert_eq!(client.ask("resources/read", json!({"uri": 5}))["error"]["code"], -32602);
        }
    }

    #[test]
    fn what_needs_a_capability_says_so_in_words() {
        let server = server();
        add_requiring(&server, "needs", "sampling", |call: &Arc<Call>| call.finish_text("ran").unwrap());
        let required = vec![ClientCapability::named("sampling").unwrap()];
        let prompt = PromptDefinition::new("needs").unwrap();
        let handler = Arc::new(|call: &Arc<Call>| call.finish().unwrap());
        server.add_prompt(&prompt, handler, Dispatch::Inline, required);
        for revision in LEGACY {
            let bare = Client::declaring(&server, revision, json!({}));
            let refused = bare.call("needs", json!({}));
            assert_eq!(refused["result"]["isError"], true);
            assert!(text(&refused).contains("sampling"), "{refused}");
            let error = bare.ask("prompts/get", json!({"name": "needs"}))["error"].clone();
            assert_eq!(error["code"], -32603);
            assert!(error["message"].as_str().unwrap().contains("sampling"), "{error}");
            let able = Client::declaring(&server, revision, json!({"sampling": {}}));
            assert_eq!(text(&able.call("needs", json!({}))), "ran");
            assert!(able.ask("prompts/get", json!({"name": "needs"}))["result"].is_object());
        }
    }

    #[test]
    fn every_kind_of_call_is_answered_without_the_members_of_the_modern_era() {
        let server = server();
        add(&server, "tool", object(), |call: &Arc<Call>| {
            call.set_meta(b"{\"com.x/y\": 1}").unwrap();
            call.finish_text("t").unwrap();
        });
        let definition = json!({"name": "prompt", "arguments": [{"name": "a", "required": true}]});
        add_prompt(&server, definition, |call: &Arc<Call>| call.finish_text("p").unwrap());
        add_template(&server, json!({"uriTemplate": "x:{id}", "name": "r"}), |call: &Arc<Call>| {
            call.finish_text(call.argument("id").unwrap().as_str().unwrap()).unwrap();
        });
        complete_by(&server, |call: &Arc<Call>| {
            call.add_completion("c").unwrap();
            call.finish().unwrap();
        });
        let complete =
            json!({"ref": {"type": "ref/prompt", "name": "prompt"}, "argument": {"name": "a", "value": ""}});
        for revision in LEGACY {
            let client = Client::begin(&server, revision);
            for (method, params, result) in [
                (
                    "tools/call",
                    json!({"name": "tool"}),
                    json!({"content": [{"type": "text", "text": "t"}], "_meta": {"com.x/y": 1}}),
                ),
                (
                    "prompts/get",
                    json!({"name": "prompt", "arguments": {"a": "1"}}),
                    json!({"messages": [{"role": "user", "content": {"type": "text", "text": "p"}}]}),
                ),
                ("resources/read", json!({"uri": "x:7"}), json!({"contents": [{"uri": "x:7", "text": "7"}]})),
                (
                    "completion/complete",
                    complete.clone(),
                    json!({"completion": {"values": ["c"], "hasMore": false}}),
                ),
            ] {
                assert_eq!(client.ask(method, params)["result"], result, "{method} {}", revision.name());
            }
            assert_eq!(client.ask("prompts/get", json!({"name": "prompt"}))["error"]["code"], -32602);
            assert_eq!(client.ask("completion/complete", json!({}))["error"]["code"], -32602);
        }
        assert_eq!(server.calls_in_flight(), 0);
    }

    #[test]
    fn progress_is_told_to_whoever_asked_as_its_revision_has_it() {
        let server = server();
        add(&server, "work", object(), |call: &Arc<Call>| {
            call.progress(1.0, Some(2.0), Some("half")).unwrap();
            call.finish().unwrap();
        });
        for revision in LEGACY {
            let client = Client::begin(&server, revision);
            for token in [json!("t"), json!(7)] {
                let params = json!({"name": "work", "_meta": {"progressToken": token}});
                let said = client.send("tools/call", params).0;
                let mut wanted = json!({"progressToken": token, "progress": 1, "total": 2});
                if revision >= Revision::V2025_03_26 {
                    wanted["message"] = json!("half");
                }
                assert_eq!(said.told("notifications/progress"), wanted, "{}", revision.name());
                assert_eq!(said.so_far().len(), 2);
            }
            assert_eq!(client.begin_call("work").0.so_far().len(), 1);
            for token in [json!(1.5), json!({}), json!(true)] {
                let params = json!({"name": "work", "_meta": {"progressToken": token}});
                assert_eq!(client.ask("tools/call", params)["error"]["code"], -32602);
            }
        }
        assert_eq!(server.calls_in_flight(), 0);
    }

    #[test]
    fn a_handler_knows_who_calls_and_what_came_along() {
        let server = server();
        add(&server, "who", object(), |call: &Arc<Call>| {
            let context = call.context();
            let meta = std::str::from_utf8(&context.meta).unwrap().to_owned();
            call.finish_text(&format!("{} {meta}", context.revision.name())).unwrap();
        });
        let client = Client::begin(&server, Revision::V2025_03_26);
        for (meta, wanted) in [
            (json!({"com.x/y": [1]}), r#"2025-03-26 {"com.x/y":[1]}"#),
            (Value::Null, "2025-03-26 {}"),
            (json!("odd"), "2025-03-26 {}"),
        ] {
            assert_eq!(text(&client.ask("tools/call", json!({"name": "who", "_meta": meta}))), wanted);
        }
    }

    #[test]
    fn a_call_too_many_is_told_to_come_later() {
        let server = server();
        server.configure(|settings| settings.set("max_in_flight", "1")).unwrap();
        let (give, given) = std::sync::mpsc::channel();
        add(&server, "keep", object(), move |call: &Arc<Call>| give.send(call.clone()).unwrap());
        add_prompt(&server, json!({"name": "prompt"}), |call: &Arc<Call>| call.finish().unwrap());
        let client = Client::begin(&server, Revision::V2025_06_18);
        let (recorder, in_flight) = client.begin_call("keep");
        let busy = client.call("keep", json!({}));
        assert!(text(&busy).contains("busy") && busy["result"]["isError"] == true, "{busy}");
        assert_eq!(client.ask("prompts/get", json!({"name": "prompt"}))["error"]["code"], -32603);
        let call: Arc<Call> = given.recv().unwrap();
        assert_eq!(in_flight.as_ref().unwrap().unanswered().as_deref(), Some("tool \"keep\""));
        call.finish_text("kept").unwrap();
        assert_eq!((text(&recorder.answer()), in_flight.unwrap().unanswered()), ("kept", None));
        assert!(client.ask("prompts/get", json!({"name": "prompt"}))["result"].is_object());
    }

    #[test]
    fn a_place_is_given_back_before_the_answer_is_sent() {
        let server = server();
        server.configure(|settings| settings.set("max_in_flight", "1")).unwrap();
        add_to_pool(&server, "quick", |call: &Arc<Call>| call.finish_text("done").unwrap());
        let client = Client::begin(&server, Revision::V2025_11_25);
        for _ in 0..200 {
            assert_eq!(text(&client.call("quick", json!({}))), "done");
        }
        add_to_pool(&server, "forgets", |_: &Arc<Call>| {});
        for _ in 0..20 {
            assert_eq!(client.call("forgets", json!({}))["error"]["code"], -32603);
        }
    }

    #[test]
    fn a_call_that_is_cancelled_is_answered_by_nothing_and_keeps_its_place_until_its_handler_returns() {
        let server = server();
        let (give, given) = std::sync::mpsc::channel();
        add(&server, "keep", object(), move |call: &Arc<Call>| give.send(call.clone()).unwrap());
        let client = Client::begin(&server, Revision::V2025_11_25);
        let (recorder, in_flight) = client.begin_call("keep");
        let in_flight = in_flight.unwrap();
        let call: Arc<Call> = given.recv().unwrap();
        in_flight.cancel();
        in_flight.cancel();
        assert!(call.is_cancelled() && call.finish_text("late").is_err());
        assert_eq!((server.calls_in_flight(), in_flight.unanswered()), (1, None));
        drop(call);
        assert_eq!((server.calls_in_flight(), recorder.so_far().len()), (0, 0));
    }

    #[test]
    fn a_handler_that_takes_too_long_is_told_to_stop() {
        let server = server();
        server.configure(|settings| settings.set("handler_timeout_ms", "10")).unwrap();
        let (give, given) = std::sync::mpsc::channel();
        add(&server, "slow", object(), move |call: &Arc<Call>| give.send(call.clone()).unwrap());
        let client = Client::begin(&server, Revision::V2025_11_25);
        let (recorder, _in_flight) = client.begin_call("slow");
        let answer = recorder.answer();
        assert!(answer["result"]["isError"] == true && text(&answer).contains("10 ms"), "{answer}");
        let call: Arc<Call> = given.recv().unwrap();
        assert!(call.is_cancelled());
        assert_eq!(server.calls_in_flight(), 1, "its handler may be at work");
        drop(call);
        eventually("the place is given back", || server.calls_in_flight() == 0);
    }
}
