//! `subscriptions/listen`: opens a stream of changes.
//!
//! Specification: basic/patterns/subscriptions.

use serde_json::Value;

use super::door::Visit;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::server::in_flight::{Handled, InFlight};
use crate::server::subscription::Filter;

/// Opens the subscription, acknowledged with what of its filter the server honours.
pub fn handle(visit: Visit<'_>) -> Result<Handled, ProtocolError> {
    let wanted = read_filter(&visit.request.params)?;
    let honoured = Filter { tools: wanted.tools && visit.server.offers_tools() };
    if visit.overloaded {
        return Err(ProtocolError::internal("too many requests are in flight on this connection"));
    }
    let place = visit.server.take_subscription(&visit.settings)?;
    let identity = visit.settings.identity_in_results().cloned();
    let subscription =
        visit.server.subscriptions().open(visit.request.id, honoured, identity, visit.outbox, place);
    Ok(Handled::Running(InFlight::Subscription(subscription)))
}

fn read_filter(params: &Params) -> Result<Filter, ProtocolError> {
    let filter = params.notifications.and_then(|span| serde_json::from_slice(params.bytes(span)).ok());
    let Some(Value::Object(filter)) = filter else {
        return Err(ProtocolError::invalid_params(
            "params.notifications is required and must be an object that says which changes to announce",
        ));
    };
    let mut wanted = Filter::default();
    for (name, value) in &filter {
        match (name.as_str(), value) {
            ("toolsListChanged", Value::Bool(yes)) => wanted.tools = *yes,
            (_, Value::Null) | ("promptsListChanged" | "resourcesListChanged", Value::Bool(_)) => {}
            ("toolsListChanged" | "promptsListChanged" | "resourcesListChanged", _) => {
                return Err(ProtocolError::invalid_params(format!(
                    "params.notifications.{name} must be true or false"
                )));
            }
            ("resourceSubscriptions", uris) if !is_list_of_strings(uris) => {
                return Err(ProtocolError::invalid_params(
                    "params.notifications.resourceSubscriptions must be an array of URIs",
                ));
            }
            _ => {}
        }
    }
    Ok(wanted)
}

fn is_list_of_strings(value: &Value) -> bool {
    value.as_array().is_some_and(|items| items.iter().all(Value::is_string))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use crate::protocol::notification::Change;
    use crate::server::conversation::{add, ask, request, send, server};

    fn subscription_of(message: &Value) -> &Value {
        &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]
    }

    #[test]
    fn acknowledges_first_and_ends_with_its_result() {
        let server = server();
        add(&server, "add", json!({"type": "object"}), |_: &_| {});
        let listen =
            request("s", "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        let (recorder, in_flight) = send(&server, &listen, None);
        server.remove_tool("add").unwrap();
        let messages = recorder.wait(|messages| messages.len() >= 2);
        assert_eq!(messages[0]["method"], "notifications/subscriptions/acknowledged");
        assert_eq!(messages[0]["params"]["notifications"], json!({"toolsListChanged": true}));
        assert_eq!(messages[1]["method"], "notifications/tools/list_changed");
        assert!(messages.iter().all(|message| subscription_of(message) == "s"));
        assert!(in_flight.unwrap().conclude());
        let answer = recorder.answer();
        assert_eq!(answer["id"], "s");
        assert_eq!(answer["result"]["_meta"]["io.modelcontextprotocol/subscriptionId"], "s");
        assert_eq!(server.subscriptions().count(), 0);
    }

    #[test]
    fn tells_changes_that_were_noted_together_once() {
        let server = server();
        add(&server, "add", json!({"type": "object"}), |_: &_| {});
        let listen = request(1, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        let (recorder, _in_flight) = send(&server, &listen, None);
        assert!(server.subscriptions().note(Change::Tools));
        assert!(!server.subscriptions().note(Change::Tools), "it is noted already");
        server.subscriptions().announce();
        server.subscriptions().announce();
        assert_eq!(recorder.so_far().len(), 2, "the acknowledgment and one change");
    }

    #[test]
    fn tells_nothing_that_was_not_asked_for() {
        let server = server();
        add(&server, "add", json!({"type": "object"}), |_: &_| {});
        let filters = [
            (json!({}), json!({})),
            (json!({"toolsListChanged": false}), json!({})),
            (json!({"promptsListChanged": true, "com.x/unknown": 5}), json!({})),
            (json!({"resourceSubscriptions": ["a://b"], "toolsListChanged": null}), json!({})),
        ];
        let mut silent = Vec::new();
        for (filter, honoured) in filters {
            let listen = request(1, "subscriptions/listen", json!({"notifications": filter}));
            let (recorder, in_flight) = send(&server, &listen, None);
            assert_eq!(recorder.so_far()[0]["params"]["notifications"], honoured);
            silent.push((recorder, in_flight));
        }
        let listen = request(2, "subscriptions/listen", json!({"notifications": {"toolsListChanged": true}}));
        let (told, _in_flight) = send(&server, &listen, None);
        assert!(server.subscriptions().note(Change::Tools));
        server.subscriptions().announce();
        assert_eq!(told.so_far().len(), 2);
        assert!(silent.iter().all(|(recorder, _)| recorder.so_far().len() == 1));
    }

    #[test]
    fn refuses_a_filter_that_is_none() {
        let server = server();
        for params in [
            json!({}),
            json!({"notifications": []}),
            json!({"notifications": {"toolsListChanged": "yes"}}),
            json!({"notifications": {"resourceSubscriptions": [1]}}),
        ] {
            let answer = ask(&server, "subscriptions/listen", params.clone());
            assert_eq!(answer["error"]["code"], -32602, "{params}");
        }
    }

    #[test]
    fn takes_no_more_subscriptions_than_are_allowed() {
        let server = server();
        server.configure(|settings| settings.set("max_subscriptions", "1")).unwrap();
        let listen = request(1, "subscriptions/listen", json!({"notifications": {}}));
        let (_recorder, in_flight) = send(&server, &listen, None);
        assert_eq!(send(&server, &listen, None).0.answer()["error"]["code"], -32603);
        in_flight.unwrap().cancel();
        let (recorder, _) = send(&server, &listen, None);
        assert_eq!(recorder.so_far().len(), 1);
    }
}
