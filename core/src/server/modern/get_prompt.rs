//! `prompts/get`: finds the prompt, checks its arguments, and has its handler write the messages.
//!
//! Specification: server/prompts, "Getting a Prompt".

use super::admission::Admitted;
use super::door::Visit;
use super::start;
use crate::protocol::error::ProtocolError;
use crate::server::called::prompt;
use crate::server::in_flight::Handled;

/// Starts the call, or refuses it.
pub fn handle(visit: Visit<'_>, admitted: Admitted) -> Result<Handled, ProtocolError> {
    let params = &visit.request.params;
    let prompt = prompt::find(visit.server, params)?;
    let required = &prompt.contract.required_capabilities;
    admitted.context.capabilities.require(&"this prompt", required)?;
    let called = prompt::accept(&prompt, params.arguments.map(|span| params.raw(span)))?;
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
    use crate::protocol::role::Role;
    use crate::server::conversation::{add, add_prompt, ask, server};
    use crate::server::engine::Server;

    fn get(server: &Arc<Server>, params: Value) -> Value {
        ask(server, "prompts/get", params)
    }

    /// A server with the prompt `review`, which greets by its arguments.
    fn reviewing() -> Arc<Server> {
        let server = server();
        let definition = json!({"name": "review", "arguments": [
            {"name": "code", "required": true}, {"name": "style", "required": true}, {"name": "tone"}]});
        add_prompt(&server, definition, |call: &Arc<Call>| {
            let code = call.argument("code").unwrap().as_str().unwrap().to_owned();
            assert!(matches!(call.argument("tone"), Err(HostError::NotFound(_))));
            assert!(matches!(call.argument("tune"), Err(HostError::InvalidArgument(_))));
            call.set_description("A review").unwrap();
            call.add_content(ContentBlock::Text { text: &code }).unwrap();
            call.set_role(Role::Assistant).unwrap();
            call.add_content(ContentBlock::Image { data: b"a", mime_type: "image/png" }).unwrap();
            call.add_content_json(br#"{"type": "resource_link", "uri": "x:1", "name": "one"}"#).unwrap();
            call.set_meta(br#"{"com.x/y": 1}"#).unwrap();
            call.finish_text("Well.").unwrap();
        });
        server
    }

    #[test]
    fn a_prompt_is_what_its_handler_made_of_it() {
        let answer = get(&reviewing(), json!({"name": "review", "arguments": {"code": "x=1", "style": "s"}}));
        let message = |role: &str, content: Value| json!({"role": role, "content": content});
        assert_eq!(
            answer["result"],
            json!({"description": "A review", "resultType": "complete",
            "messages": [
                message("user", json!({"type": "text", "text": "x=1"})),
                message("assistant", json!({"type": "image", "data": "YQ==", "mimeType": "image/png"})),
                message("assistant", json!({"type": "resource_link", "uri": "x:1", "name": "one"})),
                message("assistant", json!({"type": "text", "text": "Well."})),
            ],
            "_meta": {"com.x/y": 1, "io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1.0"}}})
        );
    }

    #[test]
    fn refuses_arguments_that_are_missing_or_no_strings_and_names_them() {
        let server = reviewing();
        for (params, named) in [
            (json!({}), "params.name"),
            (json!({"name": 5}), "params.name"),
            (json!({"name": "nosuch"}), "\"nosuch\""),
            (json!({"name": "review"}), "code, style"),
            (json!({"name": "review", "arguments": {"code": "c"}}), "style"),
            (json!({"name": "review", "arguments": {"code": 1, "style": null, "tone": "t"}}), "code, style"),
            (json!({"name": "review", "arguments": []}), "params.arguments"),
            (json!({"name": "review", "arguments": "code"}), "params.arguments"),
        ] {
            let error = get(&server, params.clone())["error"].clone();
            assert_eq!(error["code"], -32602, "{params}");
            assert!(error["message"].as_str().unwrap().contains(named), "{params}: {error}");
        }
    }

    #[test]
    fn lets_arguments_pass_that_the_prompt_does_not_declare() {
        let arguments = json!({"code": "c", "style": "s", "more": "m"});
        let answer = get(&reviewing(), json!({"name": "review", "arguments": arguments}));
        assert_eq!(answer["result"]["messages"][0]["content"]["text"], "c");
    }

    #[test]
    fn a_prompt_needs_no_arguments_and_no_messages() {
        let server = server();
        add_prompt(&server, json!({"name": "empty"}), |call: &Arc<Call>| call.finish().unwrap());
        assert_eq!(get(&server, json!({"name": "empty"}))["result"]["messages"], json!([]));
    }

    #[test]
    fn a_prompt_that_fails_is_an_error_of_the_request() {
        let server = server();
        add_prompt(&server, json!({"name": "fails"}), |call: &Arc<Call>| {
            assert!(matches!(call.set_structured(b"{}"), Err(HostError::InvalidArgument(_))));
            assert!(matches!(call.add_completion("a"), Err(HostError::InvalidArgument(_))));
            assert!(matches!(call.finish_not_found(), Err(HostError::InvalidArgument(_))));
            assert!(matches!(call.finish_json(br#"{"content": []}"#), Err(HostError::InvalidResult(_))));
            call.finish_tool_error("no such code").unwrap();
        });
        add_prompt(&server, json!({"name": "forgets"}), |_: &_| {});
        add_prompt(&server, json!({"name": "panics"}), |_: &_| panic!("secret"));
        let error = get(&server, json!({"name": "fails"}))["error"].clone();
        assert_eq!((&error["code"], &error["message"]), (&json!(-32603), &json!("no such code")));
        for name in ["forgets", "panics"] {
            let error = get(&server, json!({"name": name}))["error"].clone();
            assert_eq!(error["code"], -32603);
            let message = error["message"].as_str().unwrap();
            assert!(
                message.contains(&format!("prompt \"{name}\"")) && !message.contains("secret"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_server_that_never_had_a_prompt_has_no_such_method() {
        let server = server();
        add(&server, "tool", json!({"type": "object"}), |_: &_| {});
        for method in ["prompts/get", "prompts/list"] {
            assert_eq!(ask(&server, method, json!({"name": "a"}))["error"]["code"], -32601);
        }
        add_prompt(&server, json!({"name": "a"}), |_: &_| {});
        server.remove_prompt("a").unwrap();
        assert_eq!(get(&server, json!({"name": "a"}))["error"]["code"], -32602);
        assert_eq!(ask(&server, "prompts/list", json!({}))["result"]["prompts"], json!([]));
    }
}
