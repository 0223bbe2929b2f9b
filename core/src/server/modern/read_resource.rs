//! `resources/read`: finds the resource, or the template that makes it, and has its handler read it.
//!
//! Specification: server/resources, "Reading Resources".

use super::admission::Admitted;
use super::door::Visit;
use super::start;
use crate::protocol::error::ProtocolError;
use crate::server::called::resource;
use crate::server::in_flight::Handled;

/// Starts the call, or refuses it.
pub fn handle(visit: Visit<'_>, admitted: Admitted) -> Result<Handled, ProtocolError> {
    let called = resource::find(visit.server, &visit.request.params)?;
    let required = called.subject.required_capabilities();
    admitted.context.capabilities.require(&"this resource", required)?;
    start::start(visit, admitted, called)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use serde_json::{Value, json};

    use crate::call::invocation::Call;
    use crate::host_error::HostError;
    use crate::protocol::cache_hint::{CacheHint, CacheScope};
    use crate::protocol::content::ContentBlock;
    use crate::protocol::resource_contents::ResourceContents;
    use crate::server::conversation::{add_resource, add_template, ask, request, send_for, server};
    use crate::server::engine::Server;

    fn read(server: &Arc<Server>, uri: &str) -> Value {
        ask(server, "resources/read", json!({"uri": uri}))
    }

    fn says(what: &'static str) -> impl Fn(&Arc<Call>) + Send + Sync + 'static {
        move |call: &Arc<Call>| call.finish_text(what).unwrap()
    }

    #[test]
    fn reads_the_resource_that_has_the_uri_before_those_that_a_template_makes() {
        let server = server();
        add_template(
            &server,
            json!({"uriTemplate": "db://{table}/{id}", "name": "row"}),
            |call: &Arc<Call>| {
                assert!(matches!(call.argument("rows"), Err(HostError::InvalidArgument(_))));
                call.finish_text(&format!("{} {}", call.name(), call.arguments().decoded())).unwrap();
            },
        );
        add_template(&server, json!({"uriTemplate": "db://users/{id}", "name": "user"}), says("a user"));
        add_resource(&server, json!({"uri": "db://users/1", "name": "root"}), says("the first user"));
        for (uri, wanted) in [
            ("db://users/1", "the first user"),
            ("db://users/2", "a user"),
            ("db://a%20b/%C3%A4", r#"db://a%20b/%C3%A4 {"id":"ä","table":"a b"}"#),
        ] {
            let result = read(&server, uri)["result"].clone();
            assert_eq!(result["contents"], json!([{"uri": uri, "text": wanted}]), "{uri}");
            assert_eq!(result["resultType"], "complete");
        }
    }

    #[test]
    fn says_by_its_uri_which_resource_there_is_not() {
        let server = server();
        add_resource(&server, json!({"uri": "x:1", "name": "one"}), |call: &Arc<Call>| {
            call.add_content(ContentBlock::Text { text: "half" }).unwrap();
            call.finish_not_found().unwrap();
        });
        let long = format!("y:{}", "z".repeat(5000));
        for uri in ["x:1", "x:2", "", "no uri", &long] {
            let error = read(&server, uri)["error"].clone();
            assert_eq!((&error["code"], &error["data"]), (&json!(-32602), &json!({"uri": uri})));
            assert!(error["message"].as_str().unwrap().len() < 300);
        }
        for params in [json!({}), json!({"uri": 5}), json!({"uri": ["x:1"]}), json!({"uri": null})] {
            let error = ask(&server, "resources/read", params)["error"].clone();
            assert_eq!((&error["code"], error.get("data")), (&json!(-32602), None));
            assert!(error["message"].as_str().unwrap().contains("params.uri"));
        }
    }

    #[test]
    fn contents_are_those_of_the_uri_that_was_read_unless_they_say_otherwise() {
        let server = server();
        let definition = json!({"uri": "x:1", "name": "one", "mimeType": "text/css"});
        add_resource(&server, definition, |call: &Arc<Call>| {
            call.add_content(ContentBlock::Text { text: "a" }).unwrap();
            call.add_content(ContentBlock::Image { data: b"i", mime_type: "image/png" }).unwrap();
            call.add_content(ContentBlock::Audio { data: b"s", mime_type: "audio/wav" }).unwrap();
            let (blob, text) = (ResourceContents::Blob(b"b"), ResourceContents::Text("t"));
            let resource = |uri, mime_type, contents| ContentBlock::Resource { uri, mime_type, contents };
            call.add_content(resource("x:2", Some("a/b"), blob)).unwrap();
            call.add_content(resource("x:3", None, text)).unwrap();
            call.add_content_json(br#"{"uri": "x:4", "text": "j", "_meta": {"com.x/y": 1}}"#).unwrap();
            call.finish().unwrap();
        });
        assert_eq!(
            read(&server, "x:1")["result"]["contents"],
            json!([
                {"uri": "x:1", "mimeType": "text/css", "text": "a"},
                {"uri": "x:1", "mimeType": "image/png", "blob": "aQ=="},
                {"uri": "x:1", "mimeType": "audio/wav", "blob": "cw=="},
                {"uri": "x:2", "mimeType": "a/b", "blob": "Yg=="},
                {"uri": "x:3", "mimeType": "text/css", "text": "t"},
                {"uri": "x:4", "text": "j", "_meta": {"com.x/y": 1}},
            ])
        );
    }

    #[test]
    fn what_a_resource_cannot_contain_is_refused_and_what_was_added_stays() {
        let server = server();
        add_resource(&server, json!({"uri": "x:1", "name": "one"}), |call: &Arc<Call>| {
            call.add_content(ContentBlock::Text { text: "kept" }).unwrap();
            let link = ContentBlock::ResourceLink {
                uri: "x:2",
                name: "two",
                title: None,
                description: None,
                mime_type: None,
            };
            let bad_uri = ContentBlock::Resource {
                uri: "no uri",
                mime_type: None,
                contents: ResourceContents::Text(""),
            };
            for refused in [
                call.add_content(link),
                call.add_content(bad_uri),
                call.add_content_json(br#"{"type": "text", "text": "a"}"#),
                call.add_content_json(br#"{"uri": "x:2"}"#),
                call.set_structured(b"{}"),
                call.set_description("d"),
                call.set_role(crate::protocol::role::Role::User),
                call.add_completion("a"),
                call.set_completion_total(1),
            ] {
                assert!(matches!(refused, Err(HostError::InvalidArgument(_))), "{refused:?}");
            }
            call.finish().unwrap();
        });
        assert_eq!(read(&server, "x:1")["result"]["contents"], json!([{"uri": "x:1", "text": "kept"}]));
    }

    #[test]
    fn a_read_says_how_long_and_for_whom_it_is_fresh() {
        let server = server();
        server.configure(|settings| settings.set("resource_read_cache_ttl_ms", "7000")).unwrap();
        add_resource(&server, json!({"uri": "x:plain", "name": "n"}), says(""));
        add_resource(&server, json!({"uri": "x:own", "name": "n"}), |call: &Arc<Call>| {
            call.set_cache(CacheHint { ttl_ms: 5, scope: CacheScope::Public }).unwrap();
            call.finish_text("").unwrap();
        });
        add_resource(&server, json!({"uri": "x:whole", "name": "n"}), |call: &Arc<Call>| {
            call.finish_json(br#"{"contents": [], "ttlMs": 9, "cacheScope": "private"}"#).unwrap();
        });
        for (uri, principal, ttl, scope) in [
            ("x:plain", None, 7000, "public"),
            ("x:plain", Some("ann"), 7000, "private"),
            ("x:own", None, 5, "public"),
            ("x:own", Some("ann"), 5, "public"),
            ("x:whole", None, 9, "private"),
        ] {
            let message = request(1, "resources/read", json!({"uri": uri}));
            let result = send_for(&server, principal, &message).0.answer()["result"].clone();
            assert_eq!(
                (&result["ttlMs"], &result["cacheScope"]),
                (&json!(ttl), &json!(scope)),
                "{uri} {principal:?}"
            );
        }
    }

    #[test]
    fn a_server_that_never_had_a_resource_has_no_such_method() {
        let server = server();
        for method in ["resources/read", "resources/list", "resources/templates/list"] {
            assert_eq!(ask(&server, method, json!({"uri": "x:1"}))["error"]["code"], -32601, "{method}");
        }
        server.configure(|settings| settings.set("resources", "true")).unwrap();
        assert_eq!(read(&server, "x:1")["error"]["code"], -32602);
        // The modern era subscribes by a request of its own.
        for method in ["resources/subscribe", "resources/unsubscribe"] {
            assert_eq!(ask(&server, method, json!({"uri": "x:1"}))["error"]["code"], -32601, "{method}");
        }
    }
}
