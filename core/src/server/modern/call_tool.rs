//! `tools/call`: finds the tool, checks what it is called with, and runs it.
//!
//! Specification: server/tools, "Calling Tools".

use super::admission::Admitted;
use super::door::Visit;
use super::mirrored_headers;
use super::start;
use crate::protocol::error::ProtocolError;
use crate::server::called::tool;
use crate::server::in_flight::Handled;

/// Starts the call, or refuses it.
pub fn handle(visit: Visit<'_>, admitted: Admitted) -> Result<Handled, ProtocolError> {
    let params = &visit.request.params;
    let tool = tool::find(visit.server, params)?;
    let arguments = tool::arguments(params);
    if let (Some(headers), Ok(arguments)) = (&visit.headers, &arguments) {
        mirrored_headers::check_arguments(&**headers, &tool.mirrored, arguments)?;
    }
    let context = &admitted.context;
    context.capabilities.require(&format_args!("this tool"), &tool.contract.required_capabilities)?;
    tool::check_object(&arguments)?;
    match tool::accept(&tool, arguments, visit.settings.lenient_arguments) {
        Ok(called) => start::start(visit, admitted, called),
        Err(why) => Ok(start::refuse(&visit, &admitted, &why)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    use serde_json::{Value, json};

    use crate::call::handler::Dispatch;
    use crate::call::invocation::Call;
    use crate::host_error::HostError;
    use crate::protocol::client_capability::ClientCapability;
    use crate::protocol::content::ContentBlock;
    use crate::protocol::error::ErrorCode;
    use crate::protocol::log_level::LogLevel;
    use crate::protocol::tool_definition::ToolDefinition;
    use crate::server::conversation::{add, add_defined, call, meta, request, send, send_text, server};

    const PATIENCE: Duration = Duration::from_secs(20);

    fn sum_schema() -> Value {
        json!({"type": "object", "required": ["a", "b"], "additionalProperties": false,
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}})
    }

    fn add_numbers(call: &Arc<Call>) {
        let number = |name| call.argument(name).unwrap().as_f64().unwrap();
        let sum = number("a") + number("b");
        call.set_structured(format!("{{\"sum\": {sum}}}").as_bytes()).unwrap();
        call.finish().unwrap();
    }

    fn text(answer: &Value) -> &str {
        answer["result"]["content"][0]["text"].as_str().unwrap_or_default()
    }

    #[test]
    fn answers_with_structured_content_and_its_text_twin() {
        let server = server();
        add(&server, "add", sum_schema(), add_numbers);
        let answer = call(&server, "add", json!({"a": 2, "b": 3.0}));
        assert_eq!(
            answer,
            json!({"jsonrpc": "2.0", "id": 1, "result": {
                "content": [{"type": "text", "text": "{\"sum\":5}"}], "structuredContent": {"sum": 5},
                "resultType": "complete",
                "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0"}}}})
        );
    }

    #[test]
    fn adds_the_text_twin_to_a_whole_result_without_a_text() {
        let server = server();
        let image = r#"{"type":"image","data":"","mimeType":"image/png"}"#;
        let words = r#"{"text":"two","type":"text"}"#;
        for (name, blocks, wanted) in [
            ("image", image.to_owned(), 2),
            ("none", String::new(), 1),
            ("text", format!("{image},{words}"), 2),
        ] {
            let result = format!("{{\"content\":[{blocks}],\"structuredContent\":2}}");
            add(&server, name, json!({"type": "object"}), move |call: &Arc<Call>| {
                call.finish_json(result.as_bytes()).unwrap();
            });
            let content = call(&server, name, json!({}))["result"]["content"].clone();
            assert_eq!(content.as_array().unwrap().len(), wanted, "{content}");
            assert_eq!(content[wanted - 1]["text"], if name == "text" { "two" } else { "2" });
        }
    }

    #[test]
    fn tells_the_model_every_problem_of_its_arguments() {
        let server = server();
        add(&server, "add", sum_schema(), add_numbers);
        let answer = call(&server, "add", json!({"a": 1.5, "c": true}));
        assert_eq!(answer["result"]["isError"], true);
        let text = text(&answer);
        for part in ["/a: ", "/b: ", "/c: "] {
            assert!(text.contains(part), "{text}");
        }
        let message = request(1, "tools/call", json!({"name": "add", "arguments": {"a": "A", "b": 1}}));
        let answer = send_text(&server, &message.to_string().replace("\"A\"", "1e400"), None).0.answer();
        assert_eq!(answer["result"]["isError"], true);
        assert!(self::text(&answer).contains("/a: the number is too large"), "{answer}");
    }

    #[test]
    fn checks_large_arguments_as_small_ones_wherever_the_handler_runs() {
        for dispatch in [Dispatch::Inline, Dispatch::Pool] {
            let server = server();
            let schema = json!({"type": "object", "properties":
                {"text": {"type": "string"}, "n": {"type": "integer"}}});
            let definition = json!({"name": "large", "inputSchema": schema});
            add_defined(&server, definition, dispatch, |call: &Arc<Call>| {
                call.finish_tool_error("ran").unwrap()
            });
            let large = "x".repeat(crate::server::called::tool::LARGE_ARGUMENTS);
            let answer = call(&server, "large", json!({"text": large.clone(), "n": 1}));
            assert_eq!(text(&answer), "ran");
            let answer = call(&server, "large", json!({"text": large, "n": "one"}));
            assert!(text(&answer).contains("/n: "), "{}", text(&answer));
        }
    }

    #[test]
    fn refuses_what_a_model_cannot_mend() {
        let server = server();
        add(&server, "add", sum_schema(), add_numbers);
        for params in [
            json!({"name": "sub"}),
            json!({}),
            json!({"name": 5}),
            json!({"name": "add", "arguments": [1]}),
            json!({"name": "add", "arguments": "{}"}),
        ] {
            let answer = send(&server, &request(1, "tools/call", params.clone()), None).0.answer();
            assert_eq!(answer["error"]["code"], -32602, "{params}");
        }
    }

    #[test]
    fn asks_for_a_capability_before_the_handler_runs() {
        let server = server();
        let definition =
            ToolDefinition::from_json(br#"{"name":"ask","inputSchema":{"type":"object"}}"#).unwrap();
        let handler = Arc::new(|call: &Arc<Call>| call.finish_tool_error("ran").unwrap());
        let required = vec![ClientCapability::named("sampling").unwrap()];
        server.add_tool(&definition, handler, Dispatch::Inline, required).unwrap();
        let answer = call(&server, "ask", json!({}));
        assert_eq!(answer["error"]["code"], -32021);
        assert_eq!(answer["error"]["data"], json!({"requiredCapabilities": {"sampling": {}}}));
        let mut able = meta();
        able["io.modelcontextprotocol/clientCapabilities"] = json!({"sampling": {}});
        let message = request(1, "tools/call", json!({"name": "ask", "_meta": able}));
        assert_eq!(text(&send(&server, &message, None).0.answer()), "ran");
    }

    #[test]
    fn holds_a_result_against_the_output_schema() {
        let server = server();
        let definition = json!({"name": "out", "inputSchema": {"type": "object"}, "outputSchema":
            {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}});
        add_defined(&server, definition, Dispatch::Inline, |call: &Arc<Call>| {
            assert!(matches!(call.finish(), Err(HostError::InvalidResult(_))));
            call.set_structured(br#"{"a":"secret"}"#).unwrap();
            let Err(HostError::InvalidResult(message)) = call.finish() else { panic!("not refused") };
            assert!(message.contains("/a") && !message.contains("secret"), "{message}");
            if call.argument("mend").is_ok() {
                call.set_structured(br#"{"a":1}"#).unwrap();
                call.finish().unwrap();
            }
        });
        let answer = call(&server, "out", json!({"mend": true}));
        assert_eq!(answer["result"]["structuredContent"], json!({"a": 1}));
        let answer = call(&server, "out", json!({}));
        assert_eq!(answer["error"]["code"], -32603);
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }

    #[test]
    fn asks_a_tool_with_a_user_interface_for_content_too() {
        let server = server();
        let definition = json!({"name": "chart", "inputSchema": {"type": "object"},
            "_meta": {"ui": {"resourceUri": "ui://chart"}}});
        add_defined(&server, definition, Dispatch::Inline, |call: &Arc<Call>| {
            assert!(matches!(call.finish(), Err(HostError::InvalidResult(_))));
            call.add_content(ContentBlock::Text { text: "3 bars" }).unwrap();
            call.finish().unwrap();
        });
        assert_eq!(text(&call(&server, "chart", json!({}))), "3 bars");
    }

    #[test]
    fn lets_an_error_result_pass_whatever_the_output_schema() {
        let server = server();
        let definition = json!({"name": "out", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "object", "required": ["a"]}});
        add_defined(&server, definition, Dispatch::Inline, |call: &Arc<Call>| {
            let result =
                br#"{"isError":true,"content":[{"type":"text","text":"no"}],"structuredContent":[1]}"#;
            call.finish_json(result).unwrap();
        });
        let answer = call(&server, "out", json!({}));
        assert_eq!((&answer["result"]["isError"], text(&answer)), (&json!(true), "no"));
    }

    #[test]
    fn answers_once_whatever_the_handler_does() {
        let server = server();
        add(&server, "never", json!({"type": "object"}), |_: &Arc<Call>| {});
        add(&server, "panic", json!({"type": "object"}), |_: &Arc<Call>| panic!("pw=hunter2"));
        add(&server, "twice", json!({"type": "object"}), |call: &Arc<Call>| {
            call.add_content(ContentBlock::Text { text: "once" }).unwrap();
            call.finish().unwrap();
            assert_eq!(call.finish(), Err(HostError::AlreadyFinished));
            assert_eq!(call.progress(1.0, None, None), Err(HostError::AlreadyFinished));
        });
        for name in ["never", "panic"] {
            let answer = call(&server, name, json!({}));
            assert_eq!(answer["error"]["code"], -32603);
            assert!(!answer.to_string().contains("hunter2"));
        }
        assert_eq!(text(&call(&server, "twice", json!({}))), "once");
    }

    #[test]
    fn keeps_error_codes_of_the_protocol_to_itself() {
        let server = server();
        add(&server, "fail", json!({"type": "object"}), |call: &Arc<Call>| {
            for code in [-32700, -32000, -32021] {
                let refused = call.finish_error(ErrorCode(code), "no", None);
                assert!(matches!(refused, Err(HostError::InvalidArgument(_))));
            }
            call.finish_error(ErrorCode(4242), "mine", Some(b"{\"k\": [1]}")).unwrap();
        });
        let error = call(&server, "fail", json!({}))["error"].clone();
        assert_eq!(error, json!({"code": 4242, "message": "mine", "data": {"k": [1]}}));
    }

    #[test]
    fn sends_progress_and_log_only_to_those_who_asked() {
        let server = server();
        add(&server, "work", json!({"type": "object"}), |call: &Arc<Call>| {
            call.log(LogLevel::Info, None, b"\"start\"").unwrap();
            call.log(LogLevel::Error, Some("db"), b"{\"n\": 1}").unwrap();
            call.progress(1.0, Some(2.0), Some("half")).unwrap();
            assert!(call.progress(1.0, None, None).is_err());
            call.progress(2.0, Some(2.0), None).unwrap();
            call.finish().unwrap();
        });
        let send_with = |key: Option<(&str, Value)>| {
            let mut meta = meta();
            if let Some((key, value)) = key {
                meta[key] = value;
            }
            let message = request(1, "tools/call", json!({"name": "work", "_meta": meta}));
            send(&server, &message, None).0.so_far()
        };
        assert_eq!(send_with(None).len(), 1);
        let messages = send_with(Some(("progressToken", json!(0))));
        assert_eq!(messages.len(), 3);
        let params = json!({"progressToken": 0, "progress": 1, "total": 2, "message": "half"});
        assert_eq!(messages[0]["params"], params);
        let messages = send_with(Some(("io.modelcontextprotocol/logLevel", json!("warning"))));
        assert_eq!(messages.len(), 2);
        assert_eq!(messages[0]["params"], json!({"level": "error", "logger": "db", "data": {"n": 1}}));
    }

    #[test]
    fn thins_a_flood_of_log_messages() {
        let server = server();
        server.configure(|settings| settings.set("logs_per_second", "5")).unwrap();
        add(&server, "chat", json!({"type": "object"}), |call: &Arc<Call>| {
            (0..1000).for_each(|_| call.log(LogLevel::Info, None, b"1").unwrap());
            call.finish().unwrap();
        });
        let mut meta = meta();
        meta["io.modelcontextprotocol/logLevel"] = json!("debug");
        let message = request(1, "tools/call", json!({"name": "chat", "_meta": meta}));
        let messages = send(&server, &message, None).0.so_far();
        assert!((6..100).contains(&messages.len()), "{}", messages.len());
    }

    #[test]
    fn cancels_a_call_whose_result_is_being_checked() {
        let server = server();
        // A schema that takes a while for a large value.
        let definition = json!({"name": "out", "inputSchema": {"type": "object"},
            "outputSchema": {"type": "array", "uniqueItems": true}});
        let (started, starts) = mpsc::channel();
        let (done, results) = mpsc::channel();
        add_defined(&server, definition, Dispatch::Pool, move |call: &Arc<Call>| {
            let items: Vec<_> = (0..2000).map(|n| format!("{{\"n\":[{n},{{}}]}}")).collect();
            call.set_structured(format!("[{}]", items.join(",")).as_bytes()).unwrap();
            started.send(call.clone()).unwrap();
            done.send(call.finish()).unwrap();
        });
        for _ in 0..20 {
            let (recorder, in_flight) =
                send(&server, &request(1, "tools/call", json!({"name": "out"})), None);
            let call = starts.recv_timeout(PATIENCE).unwrap();
            call.cancel();
            drop(in_flight);
            match results.recv_timeout(PATIENCE).unwrap() {
                Ok(()) => drop(recorder.answer()),
                Err(error) => {
                    assert_eq!(error, HostError::Cancelled);
                    assert!(recorder.so_far().is_empty());
                }
            }
        }
    }

    #[test]
    fn answers_for_a_job_that_the_host_drops() {
        struct Dropping;
        impl crate::server::execution::Executor for Dropping {
            fn execute(&self, job: crate::call::job::Job) {
                drop(job);
            }
        }
        let server = server();
        let definition = json!({"name": "host", "inputSchema": {"type": "object"}});
        add_defined(&server, definition, Dispatch::Host, |call: &Arc<Call>| call.finish().unwrap());
        assert_eq!(call(&server, "host", json!({}))["error"]["code"], -32603);
        server.set_executor(Arc::new(Dropping));
        assert_eq!(call(&server, "host", json!({}))["error"]["code"], -32603);
    }

    #[test]
    fn keeps_the_place_of_a_call_that_took_too_long_until_its_handler_returns() {
        let server = server();
        server.configure(|settings| settings.set("max_in_flight", "1")).unwrap();
        server.configure(|settings| settings.set("handler_timeout_ms", "10")).unwrap();
        let (kept, calls) = mpsc::channel();
        add(&server, "keep", json!({"type": "object"}), move |call: &Arc<Call>| {
            kept.send(call.clone()).unwrap();
        });
        assert!(text(&call(&server, "keep", json!({}))).contains("10 ms"));
        assert!(text(&call(&server, "keep", json!({}))).contains("busy"));
        drop(calls.recv_timeout(PATIENCE).unwrap());
        // The timer may hold the first call for a moment after its answer.
        let deadline = Instant::now() + PATIENCE;
        while !text(&call(&server, "keep", json!({}))).contains("10 ms") {
            assert!(Instant::now() < deadline, "the place was never given back");
        }
    }

    #[test]
    fn refuses_a_key_that_meta_may_not_have() {
        let server = server();
        add(&server, "meta", json!({"type": "object"}), |call: &Arc<Call>| {
            assert!(matches!(call.set_meta(br#"{"a b/!!":1}"#), Err(HostError::InvalidArgument(_))));
            assert!(matches!(call.set_meta(b"[]"), Err(HostError::InvalidArgument(_))));
            call.set_meta(br#"{"com.example/a": 1}"#).unwrap();
            call.finish().unwrap();
        });
        assert_eq!(call(&server, "meta", json!({}))["result"]["_meta"]["com.example/a"], 1);
    }

    #[test]
    fn says_nothing_more_after_a_cancellation() {
        let server = server();
        let (started, starts) = mpsc::channel();
        let (cancelled, cancellations) = mpsc::channel();
        add(&server, "wait", json!({"type": "object"}), move |call: &Arc<Call>| {
            let cancelled = cancelled.clone();
            call.on_cancel(Box::new(move || cancelled.send(()).unwrap()));
            started.send(call.clone()).unwrap();
        });
        let (recorder, in_flight) = send(&server, &request(1, "tools/call", json!({"name": "wait"})), None);
        let call = starts.recv_timeout(PATIENCE).unwrap();
        in_flight.unwrap().cancel();
        cancellations.recv_timeout(PATIENCE).unwrap();
        assert!(call.is_cancelled());
        assert_eq!(call.finish(), Err(HostError::Cancelled));
        drop(call);
        assert!(recorder.so_far().is_empty());
    }

    #[test]
    fn stops_a_call_that_takes_too_long() {
        let server = server();
        server.configure(|settings| settings.set("handler_timeout_ms", "20")).unwrap();
        let (done, results) = mpsc::channel();
        let definition = json!({"name": "slow", "inputSchema": {"type": "object"}});
        add_defined(&server, definition, Dispatch::Pool, move |call: &Arc<Call>| {
            while !call.is_cancelled() {
                std::thread::yield_now();
            }
            done.send(call.finish()).unwrap();
        });
        let answer = call(&server, "slow", json!({}));
        assert_eq!(answer["result"]["isError"], true);
        assert!(text(&answer).contains("20 ms"), "{answer}");
        assert_eq!(results.recv_timeout(PATIENCE).unwrap(), Err(HostError::AlreadyFinished));
    }

    #[test]
    fn tells_a_model_to_try_again_when_too_many_calls_are_in_flight() {
        let server = server();
        server.configure(|settings| settings.set("max_in_flight", "1")).unwrap();
        let (started, starts) = mpsc::channel();
        add(&server, "wait", json!({"type": "object"}), move |call: &Arc<Call>| {
            started.send(call.clone()).unwrap();
        });
        let message = request(1, "tools/call", json!({"name": "wait"}));
        let (first, _in_flight) = send(&server, &message, None);
        let waiting = starts.recv_timeout(PATIENCE).unwrap();
        let answer = send(&server, &message, None).0.answer();
        assert!(answer["result"]["isError"] == true && text(&answer).contains("busy"), "{answer}");
        waiting.finish().unwrap();
        assert!(first.answer()["result"].is_object());
    }

    #[test]
    fn takes_json_text_for_its_value_only_when_told_to() {
        let server = server();
        let schema = json!({"type": "object", "properties": {
            "tags": {"type": "array", "items": {"type": "string"}}, "n": {"type": ["integer", "null"]},
            "name": {"type": "string"}}});
        add(&server, "echo", schema, |call: &Arc<Call>| {
            let arguments = call.arguments().raw().clone();
            call.set_structured(&arguments).unwrap();
            call.finish().unwrap();
        });
        let sent = json!({"tags": "[\"a\"]", "n": "5", "name": "[1]"});
        assert_eq!(call(&server, "echo", sent.clone())["result"]["isError"], true);
        server.configure(|settings| settings.set("lenient_arguments", "true")).unwrap();
        let echoed = call(&server, "echo", sent)["result"]["structuredContent"].clone();
        assert_eq!(echoed, json!({"tags": ["a"], "n": 5, "name": "[1]"}));
        let exact = r#"{"tags":"[]","rest":[123456789012345678901234567890,0.12345678901234567890]}"#;
        let message = request(1, "tools/call", json!({"name": "echo", "arguments": "ARGUMENTS"}));
        let text = message.to_string().replace("\"ARGUMENTS\"", exact);
        let answer = send_text(&server, &text, None).0.answer()["result"]["content"][0]["text"].clone();
        assert_eq!(answer, exact.replace("\"[]\"", "[]"));
        for tags in ["a,b", "{}", "[1]"] {
            assert_eq!(call(&server, "echo", json!({"tags": tags}))["result"]["isError"], true, "{tags}");
        }
    }
}
