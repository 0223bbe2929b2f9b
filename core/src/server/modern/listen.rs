//! `subscriptions/listen`: opens a stream of changes.
//!
//! Specification: basic/patterns/subscriptions.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::door::Visit;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::protocol::resource_uri;
use crate::server::in_flight::{Handled, InFlight};
use crate::server::subscription::{Filter, Listener, MAX_RESOURCES, MAX_URI_BYTES};

/// Opens the subscription, acknowledged with what of its filter the server honours.
pub fn handle(visit: Visit<'_>) -> Result<Handled, ProtocolError> {
    let mut filter = read_filter(&visit.request.params)?;
    let server = visit.server;
    filter.tools &= server.offers_tools();
    filter.prompts &= server.offers_prompts();
    if !server.offers_resources() {
        filter.resources = false;
        filter.uris.clear();
    }
    if visit.overloaded {
        return Err(ProtocolError::internal("too many requests are in flight on this connection"));
    }
    let listener = Listener {
        id: visit.request.id,
        principal: visit.principal,
        identity: visit.settings.identity_in_results().cloned(),
        outbox: visit.outbox,
        place: server.take_subscription(&visit.settings)?,
    };
    let subscription = server.subscriptions().open(listener, filter);
    Ok(Handled::Running(InFlight::Subscription(subscription)))
}

fn read_filter(params: &Params) -> Result<Filter, ProtocolError> {
    let filter = params.notifications.and_then(|span| serde_json::from_slice(params.bytes(span)).ok());
    let Some(Value::Object(filter)) = filter else {
        return Err(ProtocolError::invalid_params(
            "params.notifications is required and must be an object that says which changes to announce",
        ));
    };
    let uris = match filter.get("resourceSubscriptions") {
        None | Some(Value::Null) => Vec::new(),
        Some(uris) => read_uris(uris)?,
    };
    Ok(Filter {
        tools: read_flag(&filter, "toolsListChanged")?,
        prompts: read_flag(&filter, "promptsListChanged")?,
        resources: read_flag(&filter, "resourcesListChanged")?,
        uris,
    })
}

fn read_flag(filter: &Map<String, Value>, name: &str) -> Result<bool, ProtocolError> {
    match filter.get(name) {
        None | Some(Value::Null) => Ok(false),
        Some(Value::Bool(wanted)) => Ok(*wanted),
        Some(_) => {
            Err(ProtocolError::invalid_params(format!("params.notifications.{name} must be true or false")))
        }
    }
}

fn read_uris(uris: &Value) -> Result<Vec<Arc<str>>, ProtocolError> {
    let uris = uris.as_array().and_then(|uris| uris.iter().map(Value::as_str).collect::<Option<Vec<_>>>());
    let Some(mut uris) = uris else {
        return Err(ProtocolError::invalid_params(
            "params.notifications.resourceSubscriptions must be an array of URIs",
        ));
    };
    uris.sort_unstable();
    uris.dedup();
    if uris.len() > MAX_RESOURCES {
        return Err(ProtocolError::invalid_params(format!(
            "params.notifications.resourceSubscriptions has {} URIs; a subscription may have {MAX_RESOURCES}",
            uris.len()
        )));
    }
    if uris.iter().any(|uri| uri.len() > MAX_URI_BYTES) {
        return Err(ProtocolError::invalid_params(format!(
            "a URI in params.notifications.resourceSubscriptions has more than {MAX_URI_BYTES} bytes"
        )));
    }
    if let Some(fault) = uris.iter().find_map(|uri| resource_uri::fault(uri)) {
        return Err(ProtocolError::invalid_params(format!(
            "params.notifications.resourceSubscriptions: {fault}"
        )));
    }
    Ok(uris.into_iter().map(Arc::from).collect())
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
        assert!(server.audience().note(Change::Tools, None));
        assert!(!server.audience().note(Change::Tools, None), "it is noted already");
        server.audience().tell();
        server.audience().tell();
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
        assert!(server.audience().note(Change::Tools, None));
        server.audience().tell();
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
