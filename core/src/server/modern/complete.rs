//! `completion/complete`: has the completion handler name the values that an argument may take.
//!
//! Specification: server/utilities/completion.

use super::admission::Admitted;
use super::door::Visit;
use super::start;
use crate::protocol::error::ProtocolError;
use crate::server::called::completion;
use crate::server::in_flight::Handled;

/// Starts the call, or refuses it.
pub fn handle(visit: Visit<'_>, admitted: Admitted) -> Result<Handled, ProtocolError> {
    let called = completion::find(visit.server, &visit.request.params)?;
    start::start(visit, admitted, called)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::call::invocation::Call;
    use crate::host_error::HostError;
    use crate::protocol::content::ContentBlock;
    use crate::server::conversation::{add_prompt, add_template, ask, complete_by, meta_declaring, server};
    use crate::server::engine::Server;

    fn complete(server: &Arc<Server>, reference: &Value, argument: &Value) -> Value {
        ask(server, "completion/complete", json!({"ref": reference, "argument": argument}))
    }

    fn prompt(name: &str) -> Value {
        json!({"type": "ref/prompt", "name": name})
    }

    /// A server with the prompt `trip` and a template of rows, whose arguments are completed.
    fn completing(handler: impl Fn(&Arc<Call>) + Send + Sync + 'static) -> Arc<Server> {
        let server = server();
        let definition = json!({"name": "trip", "arguments": [{"name": "city"}, {"name": "country"}]});
        add_prompt(&server, definition, |_: &_| {});
        add_template(&server, json!({"uriTemplate": "db://{table}/{id}", "name": "row"}), |_: &_| {});
        complete_by(&server, handler);
        server
    }

    #[test]
    fn tells_the_handler_what_is_completed_and_what_is_known() {
        let server = completing(|call: &Arc<Call>| {
            let text = |name: &str| call.argument(name).unwrap().as_str().unwrap().to_owned();
            let known = call.argument("/context/arguments/country").map_or("", |c| c.as_str().unwrap());
            for value in [call.name(), &text("/argument/name"), &text("/argument/value"), known] {
                call.add_completion(value).unwrap();
            }
            assert!(matches!(call.argument("names"), Err(HostError::InvalidArgument(_))));
            call.finish().unwrap();
        });
        let argument = json!({"name": "city", "value": "pa"});
        let mut params = json!({"ref": prompt("trip"), "argument": argument,
            "context": {"arguments": {"country": "fr"}}});
        let result = ask(&server, "completion/complete", params.clone())["result"].clone();
        let values = json!(["trip", "city", "pa", "fr"]);
        assert_eq!(result["completion"], json!({"values": values, "hasMore": false}));
        assert_eq!(result["resultType"], "complete");
        assert!(result.get("ttlMs").is_none());
        params["ref"] = json!({"type": "ref/resource", "uri": "db://{table}/{id}", "name": "row"});
        params["argument"] = json!({"name": "id", "value": ""});
        params["context"] = json!({});
        let result = ask(&server, "completion/complete", params)["result"].clone();
        assert_eq!(result["completion"]["values"], json!(["db://{table}/{id}", "id", "", ""]));
    }

    #[test]
    fn refuses_what_cannot_be_completed() {
        let server = completing(|call: &Arc<Call>| call.finish().unwrap());
        let city = json!({"name": "city", "value": ""});
        let template = json!({"type": "ref/resource", "uri": "db://{table}/{id}"});
        for (reference, argument, named) in [
            (Value::Null, city.clone(), "params.ref"),
            (prompt("trip"), Value::Null, "params.argument"),
            (prompt("trip"), json!({"name": "city"}), "params.argument"),
            (prompt("trip"), json!({"name": "city", "value": 5}), "params.argument"),
            (json!({"type": "ref/prompt"}), city.clone(), "params.ref"),
            (json!({"type": "ref/tool", "name": "trip"}), city.clone(), "params.ref.type"),
            (json!({"name": "trip"}), city.clone(), "params.ref.type"),
            (json!({"type": "ref/resource", "name": "trip"}), city.clone(), "params.ref"),
            (prompt("trap"), city.clone(), "\"trap\""),
            (prompt("trip"), json!({"name": "town", "value": ""}), "\"town\""),
            (template, city.clone(), "\"city\""),
            (json!({"type": "ref/resource", "uri": "db://users/1"}), city.clone(), "\"db://users/1\""),
        ] {
            let error = complete(&server, &reference, &argument)["error"].clone();
            assert_eq!(error["code"], -32602, "{reference} {argument}");
            assert!(error["message"].as_str().unwrap().contains(named), "{reference} {argument}: {error}");
        }
        for context in [json!("x"), json!({"arguments": []}), json!({"arguments": {"country": 5}})] {
            let params = json!({"ref": prompt("trip"), "argument": city, "context": context});
            let error = ask(&server, "completion/complete", params)["error"].clone();
            assert_eq!(error["code"], -32602, "{context}");
            assert!(error["message"].as_str().unwrap().contains("params.context.arguments"), "{error}");
        }
    }

    #[test]
    fn tells_a_hundred_values_and_that_there_are_more() {
        for (given, total, told, has_more) in
            [(100, None, None, false), (101, None, None, true), (150, Some(5000), Some(5000), true)]
        {
            let server = completing(move |call: &Arc<Call>| {
                (0..given).for_each(|n| call.add_completion(&n.to_string()).unwrap());
                total.iter().for_each(|total| call.set_completion_total(*total).unwrap());
                call.finish().unwrap();
            });
            let answer = complete(&server, &prompt("trip"), &json!({"name": "city", "value": ""}));
            let completion = &answer["result"]["completion"];
            assert_eq!(completion["values"].as_array().unwrap().len(), 100);
            assert_eq!(completion.get("total"), told.map(|total: u64| json!(total)).as_ref());
            assert_eq!(completion["hasMore"], has_more);
        }
    }

    #[test]
    fn a_completion_has_values_and_nothing_else_and_asks_nobody() {
        let server = completing(|call: &Arc<Call>| {
            call.add_completion("kept").unwrap();
            let asked = call.request_input("roots", br#"{"method": "roots/list"}"#).map(drop);
            for refused in [
                asked,
                call.add_content(ContentBlock::Text { text: "a" }),
                call.add_content_json(br#"{"type": "text", "text": "a"}"#),
                call.set_structured(b"{}"),
                call.finish_text("a"),
                call.finish_not_found(),
            ] {
                assert!(matches!(refused, Err(HostError::InvalidArgument(_))), "{refused:?}");
            }
            call.finish().unwrap();
        });
        let params = json!({"ref": prompt("trip"), "argument": {"name": "city", "value": ""},
            "_meta": meta_declaring(json!({"roots": {}}))});
        let result = ask(&server, "completion/complete", params)["result"].clone();
        assert_eq!(result["completion"]["values"], json!(["kept"]));
    }

    #[test]
    fn a_completion_that_fails_is_an_error_of_the_request() {
        let server = completing(|call: &Arc<Call>| call.finish_tool_error("no index").unwrap());
        let argument = json!({"name": "city", "value": ""});
        let error = complete(&server, &prompt("trip"), &argument)["error"].clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!("no index")));
        server.set_completion(None);
        assert_eq!(complete(&server, &prompt("trip"), &argument)["error"]["code"], -32603);
    }

    #[test]
    fn a_server_that_never_completed_anything_has_no_such_method() {
        let server = server();
        add_prompt(&server, json!({"name": "trip", "arguments": [{"name": "city"}]}), |_: &_| {});
        let argument = json!({"name": "city", "value": ""});
        assert_eq!(complete(&server, &prompt("trip"), &argument)["error"]["code"], -32601);
        server.configure(|settings| settings.set("completions", "true")).unwrap();
        assert_eq!(complete(&server, &prompt("trip"), &argument)["error"]["code"], -32603);
    }
}
