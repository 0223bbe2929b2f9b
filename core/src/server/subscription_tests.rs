//! What subscriptions of every kind are told, and who is told what.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use super::conversation::{
    Recorder, add, add_prompt, add_resource, add_template, ask, eventually, request, send_for, server,
};
use super::engine::Server;
use super::in_flight::InFlight;
use super::subscription::{MAX_RESOURCES, MAX_URI_BYTES};
use crate::call::host::Host;
use crate::protocol::notification::Change;

/// A server that has one of each, so that it honours every filter.
fn furnished() -> Arc<Server> {
    let server = server();
    add(&server, "tool", json!({"type": "object"}), |_: &_| {});
    add_prompt(&server, json!({"name": "prompt"}), |_: &_| {});
    add_resource(&server, json!({"uri": "x:1", "name": "one"}), |_: &_| {});
    server
}

fn listen(server: &Arc<Server>, principal: Option<&str>, filter: Value) -> (Arc<Recorder>, InFlight) {
    let message = request("s", "subscriptions/listen", json!({"notifications": filter}));
    let (recorder, in_flight) = send_for(server, principal, &message);
    (recorder, in_flight.unwrap())
}

/// What was told after the acknowledgment: methods, and URIs where there are any.
fn told(recorder: &Recorder) -> Vec<String> {
    let said = recorder.so_far();
    let name = |message: &Value| {
        let method = message["method"].as_str().unwrap().strip_prefix("notifications/").unwrap().to_owned();
        message["params"]["uri"].as_str().map_or(method, |uri| uri.to_owned())
    };
    let mut told: Vec<_> = said.iter().skip(1).map(name).collect();
    told.sort();
    told
}

fn change(server: &Server, change: Change, principal: Option<&str>) {
    server.audience().note(change, principal.map(Arc::from));
    server.audience().tell();
}

#[test]
fn each_subscription_is_told_what_it_asked_for_and_nothing_else() {
    let server = furnished();
    let filters = [
        (json!({"toolsListChanged": true}), vec!["tools/list_changed"]),
        (json!({"promptsListChanged": true}), vec!["prompts/list_changed"]),
        (json!({"resourcesListChanged": true}), vec!["resources/list_changed"]),
        (json!({"resourceSubscriptions": ["x:1"]}), vec!["x:1"]),
        (json!({"resourceSubscriptions": ["x:2", "x:1", "x:2"]}), vec!["x:1", "x:2"]),
        (json!({"resourceSubscriptions": ["x:"]}), vec![]),
        (json!({"resourceSubscriptions": []}), vec![]),
        (
            json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
                "resourceSubscriptions": ["x:1"]}),
            vec!["prompts/list_changed", "resources/list_changed", "tools/list_changed", "x:1"],
        ),
        (json!({}), vec![]),
    ];
    let open = filters.each_ref().map(|(filter, _)| listen(&server, None, filter.clone()));
    for changed in [
        Change::Tools,
        Change::Prompts,
        Change::Resources,
        Change::Resource("x:1".into()),
        Change::Resource("x:2".into()),
        Change::Resource("x:3".into()),
    ] {
        change(&server, changed, None);
    }
    for ((recorder, _), (filter, wanted)) in open.iter().zip(&filters) {
        assert_eq!(&told(recorder), wanted, "{filter}");
        let said = recorder.so_far();
        let ids =
            said.iter().map(|message| &message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]);
        assert!(ids.into_iter().all(|id| id == "s"), "{filter}");
    }
    let honoured = &open[4].0.so_far()[0]["params"]["notifications"];
    assert_eq!(honoured, &json!({"resourceSubscriptions": ["x:1", "x:2"]}));
}

#[test]
fn what_is_registered_or_removed_is_told_a_moment_later() {
    let server = furnished();
    let filter = json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true,
        "resourceSubscriptions": ["x:1"]});
    let (recorder, _in_flight) = listen(&server, None, filter);
    for n in 0..50 {
        add(&server, &format!("tool{n}"), json!({"type": "object"}), |_: &_| {});
    }
    server.remove_prompt("prompt").unwrap();
    add_template(&server, json!({"uriTemplate": "y:{id}", "name": "y"}), |_: &_| {});
    server.resource_updated("x:1", None);
    server.resource_updated("x:1", None);
    recorder.wait(|messages| {
        let has =
            |what: &str| messages.iter().any(|message| message["method"].as_str().unwrap().contains(what));
        has("tools/list") && has("prompts/list") && has("resources/list") && has("resources/updated")
    });
    assert!(recorder.so_far().len() < 20, "many changes are told as few: {}", recorder.so_far().len());
}

#[test]
fn what_is_meant_for_one_principal_is_told_to_it_alone() {
    let server = furnished();
    let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["x:1"]});
    let open = [Some("ann"), Some("bob"), None].map(|who| listen(&server, who, filter.clone()));
    let counts = || open.each_ref().map(|(recorder, _)| recorder.so_far().len() - 1);
    change(&server, Change::Resource("x:1".into()), Some("ann"));
    assert_eq!(counts(), [1, 0, 0]);
    change(&server, Change::Resource("x:1".into()), Some("nobody"));
    assert_eq!(counts(), [1, 0, 0]);
    for principal in [Some("bob"), None, Some("ann")] {
        server.audience().note(Change::Resource("x:1".into()), principal.map(Arc::from));
    }
    server.audience().tell();
    assert_eq!(counts(), [2, 1, 1], "once, though two may be meant");
    change(&server, Change::Tools, None);
    assert_eq!(counts(), [3, 2, 2]);
}

#[test]
fn an_ended_subscription_is_told_nothing_more() {
    let server = furnished();
    let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["x:1", "x:2"]});
    let (cancelled, in_flight) = listen(&server, None, filter.clone());
    in_flight.cancel();
    let (concluded, in_flight) = listen(&server, None, filter);
    assert!(in_flight.conclude());
    assert!(!in_flight.conclude() && in_flight.unanswered().is_none());
    in_flight.cancel();
    change(&server, Change::Tools, None);
    change(&server, Change::Resource("x:1".into()), None);
    assert_eq!((cancelled.so_far().len(), concluded.so_far().len()), (1, 2));
    assert_eq!(concluded.answer()["result"]["resultType"], "complete");
    assert_eq!(server.subscriptions().count(), 0);
    assert!(!server.audience().note(Change::Tools, None), "nobody listens");
}

#[test]
fn a_filter_names_so_many_resources_of_so_many_bytes() {
    let server = furnished();
    let uris = |count: usize| (0..count).map(|n| format!("x:{n}")).collect::<Vec<_>>();
    let long = |length: usize| vec![format!("x:{}", "y".repeat(length - 2))];
    for (uris, is_taken) in [
        (uris(MAX_RESOURCES), true),
        (uris(MAX_RESOURCES + 1), false),
        (long(MAX_URI_BYTES), true),
        (long(MAX_URI_BYTES + 1), false),
    ] {
        let params = json!({"notifications": {"resourceSubscriptions": uris}});
        if is_taken {
            listen(&server, None, params["notifications"].clone()).1.cancel();
        } else {
            assert_eq!(ask(&server, "subscriptions/listen", params)["error"]["code"], -32602);
        }
    }
}

#[test]
fn thousands_listen_and_each_is_told_its_own() {
    const LISTENERS: usize = 5000;
    let server = furnished();
    let open: Vec<_> = (0..LISTENERS)
        .map(|n| listen(&server, None, json!({"resourceSubscriptions": [format!("x:{n}"), "x:all"]})))
        .collect();
    assert_eq!(server.subscriptions().count(), LISTENERS);
    for n in 0..LISTENERS {
        server.audience().note(Change::Resource(format!("x:{n}").into()), None);
    }
    server.audience().note(Change::Resource("x:all".into()), None);
    server.audience().tell();
    for (n, (recorder, _)) in open.iter().enumerate() {
        assert_eq!(told(recorder), [format!("x:{n}"), "x:all".to_owned()]);
    }
    open.iter().for_each(|(_, in_flight)| in_flight.cancel());
    assert_eq!(server.subscriptions().count(), 0);
    assert_eq!(server.subscriptions().watched_uris(), 0);
}

#[test]
fn subscriptions_come_and_go_while_changes_are_told() {
    let server = furnished();
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for turn in 0..200 {
                    let filter = json!({"toolsListChanged": true, "resourceSubscriptions": ["x:1"]});
                    let (recorder, in_flight) = listen(&server, None, filter);
                    assert!(recorder.so_far()[0]["method"].as_str().unwrap().ends_with("acknowledged"));
                    if turn % 2 == 0 {
                        in_flight.cancel();
                    } else {
                        assert!(in_flight.conclude());
                        let said = recorder.so_far();
                        assert!(said.last().unwrap().get("result").is_some(), "nothing follows the end");
                    }
                }
            });
        }
        for _ in 0..2 {
            scope.spawn(|| {
                for _ in 0..500 {
                    change(&server, Change::Tools, None);
                    change(&server, Change::Resource("x:1".into()), None);
                }
            });
        }
    });
    eventually("all have ended", || server.subscriptions().count() == 0);
    assert_eq!(server.subscriptions().watched_uris(), 0);
}
