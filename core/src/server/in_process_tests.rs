//! The server's own parts used without a transport: by the program around it, and by handlers.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, ThreadId};
use std::time::Duration;

use serde_json::{Value, json};

use super::conversation::{
    FORM, PATIENCE, ROOTS, add, add_defined, add_prompt, add_requiring, add_resource, add_template,
    add_to_pool, call, request, send, send_for, server, text,
};
use super::engine::Server;
use super::execution::Executor;
use super::in_process::{Asked, MAX_NESTED_CALLS};
use crate::call::handler::Dispatch;
use crate::call::host::Host;
use crate::call::invocation::Call;
use crate::call::job::Job;
use crate::host_error::HostError;
use crate::protocol::revision::Revision;
use crate::runtime::lock::Mutex;

fn object() -> Value {
    json!({"type": "object"})
}

fn value(json: Result<Vec<u8>, HostError>) -> Value {
    serde_json::from_slice(&json.unwrap()).unwrap()
}

fn call_tool(server: &Arc<Server>, name: &str) -> Result<Vec<u8>, HostError> {
    server.clone().call_tool(name, b"{}", None)
}

/// Calls the tool `name` from within `caller`.
fn nested(caller: &Arc<Call>, name: &str) -> Result<Vec<u8>, HostError> {
    caller.host().call_tool(name, b"", Some(caller))
}

#[test]
fn gives_results_as_the_newest_revision_has_them() {
    let server = server();
    add(&server, "echo", object(), |call: &Arc<Call>| {
        call.set_structured(call.arguments().raw()).unwrap();
        call.finish().unwrap();
    });
    let definition = json!({"name": "greet", "arguments": [{"name": "who", "required": true}]});
    add_prompt(&server, definition, |call: &Arc<Call>| {
        call.finish_text(call.argument("who").unwrap().as_str().unwrap()).unwrap();
    });
    add_template(&server, json!({"uriTemplate": "x:{id}", "name": "any"}), |call: &Arc<Call>| {
        call.finish_text(call.name()).unwrap();
    });
    assert_eq!(
        value(server.clone().call_tool("echo", b" {\"a\" : 12345678901234567890} ", None)),
        json!({"content": [{"type": "text", "text": "{\"a\":12345678901234567890}"}],
            "structuredContent": {"a": 12345678901234567890_u64}, "resultType": "complete"})
    );
    assert_eq!(
        value(server.clone().get_prompt("greet", br#"{"who": "Ann"}"#, None)),
        json!({"messages": [{"role": "user", "content": {"type": "text", "text": "Ann"}}], "resultType": "complete"})
    );
    let read = value(server.clone().read_resource("x:1", None));
    assert_eq!(read["contents"], json!([{"uri": "x:1", "text": "x:1"}]));
    assert_eq!((&read["resultType"], &read["cacheScope"]), (&json!("complete"), &json!("public")));
    let lists = [
        server.list_tools(),
        server.list_prompts(),
        server.list_resources(),
        server.list_resource_templates(),
    ];
    let lists = lists.map(|list| value(Ok(list)));
    assert_eq!((&lists[0][0]["name"], &lists[1][0]["name"]), (&json!("echo"), &json!("greet")));
    assert_eq!((&lists[2], &lists[3][0]["uriTemplate"]), (&json!([]), &json!("x:{id}")));
    assert_eq!(value(Ok(server.find_tool("echo").unwrap()))["name"], "echo");
    assert!(server.find_tool("nosuch").is_none());
    assert_eq!(server.calls_in_flight(), 0);
}

#[test]
fn tells_apart_what_is_missing_what_is_wrong_and_what_failed() {
    let server = server();
    let schema = json!({"type": "object", "required": ["n"]});
    add(&server, "strict", schema, |call: &Arc<Call>| call.finish().unwrap());
    add(&server, "fails", object(), |call: &Arc<Call>| {
        call.finish_error(crate::protocol::error::ErrorCode::INTERNAL, "no luck", None).unwrap();
    });
    add(&server, "mends", object(), |call: &Arc<Call>| call.finish_tool_error("try b").unwrap());
    add(&server, "forgets", object(), |_: &_| {});
    add(&server, "panics", object(), |_: &_| panic!("secret"));
    add(&server, "asks", object(), |call: &Arc<Call>| drop(call.request_input("who", FORM)));
    add_requiring(&server, "needs", "roots", |call: &Arc<Call>| call.finish_text("ran").unwrap());
    let definition = json!({"name": "greet", "arguments": [{"name": "who", "required": true}]});
    add_prompt(&server, definition, |_: &_| {});
    add_resource(&server, json!({"uri": "x:gone", "name": "gone"}), |call: &Arc<Call>| {
        call.finish_not_found().unwrap();
    });
    let tool = |name: &str, arguments: &str| server.clone().call_tool(name, arguments.as_bytes(), None);
    let prompt = |name: &str, arguments: &str| server.clone().get_prompt(name, arguments.as_bytes(), None);
    let read = |uri: &str| server.clone().read_resource(uri, None);
    for (result, named) in [
        (tool("nosuch", "{}"), "nosuch"),
        (prompt("nosuch", "{}"), "nosuch"),
        (read("x:nosuch"), "x:nosuch"),
        (read("x:gone"), "x:gone"),
    ] {
        assert!(
            matches!(&result, Err(HostError::NotFound(message)) if message.contains(named)),
            "{result:?}"
        );
    }
    for result in
        [tool("strict", "[]"), prompt("greet", "[]"), prompt("greet", ""), prompt("greet", r#"{"who": 5}"#)]
    {
        assert!(matches!(result, Err(HostError::InvalidArgument(_))), "{result:?}");
    }
    for result in [tool("strict", "{"), prompt("greet", "who")] {
        assert!(matches!(result, Err(HostError::InvalidJson(_))), "{result:?}");
    }
    for (name, said) in [("fails", "no luck"), ("forgets", "forgets"), ("panics", "panics")] {
        let result = tool(name, "{}");
        assert!(
            matches!(&result, Err(HostError::CallFailed(message)) if message.contains(said)),
            "{result:?}"
        );
        assert!(!format!("{result:?}").contains("secret"));
    }
    for name in ["asks", "needs"] {
        let result = tool(name, "{}");
        assert!(matches!(result, Err(HostError::MissingCapability(_))), "{result:?}");
    }
    for (result, said) in [(tool("strict", "{}"), "/n"), (tool("mends", "{}"), "try b")] {
        let result = value(result);
        assert_eq!(result["isError"], true, "the model's to mend");
        assert!(result["content"][0]["text"].as_str().unwrap().contains(said), "{result}");
    }
}

#[test]
fn a_handler_calls_on_behalf_of_its_client() {
    let server = server();
    add(&server, "inner", object(), |call: &Arc<Call>| {
        let who = call.context().principal.as_deref().unwrap_or("nobody").to_owned();
        call.finish_text(&who).unwrap();
    });
    add_resource(&server, json!({"uri": "x:1", "name": "one"}), |call: &Arc<Call>| {
        call.finish_text("").unwrap()
    });
    add(&server, "outer", object(), |call: &Arc<Call>| {
        let read = value(call.host().read_resource("x:1", Some(call)));
        let inner = value(nested(call, "inner"));
        let said = format!("{} {}", inner["content"][0]["text"].as_str().unwrap(), read["cacheScope"]);
        call.finish_text(&said).unwrap();
    });
    for (principal, said) in [(Some("ann"), "ann \"private\""), (None, "nobody \"public\"")] {
        let message = request(1, "tools/call", json!({"name": "outer"}));
        assert_eq!(text(&send_for(&server, principal, &message).0.answer()), said);
    }
}

#[test]
fn a_tool_of_the_pool_runs_on_the_thread_of_its_caller_however_full_the_pool_is() {
    let server = server();
    server.configure(|settings| settings.set("handler_threads", "1")).unwrap();
    add_to_pool(&server, "inner", |call: &Arc<Call>| {
        call.finish_text(&format!("{:?}", thread::current().id())).unwrap();
    });
    add_to_pool(&server, "outer", |call: &Arc<Call>| {
        let inner = value(nested(call, "inner"));
        assert_eq!(inner["content"][0]["text"], format!("{:?}", thread::current().id()));
        call.finish_text("same").unwrap();
    });
    for _ in 0..10 {
        assert_eq!(text(&call(&server, "outer", json!({}))), "same");
    }
    let here = value(call_tool(&server, "inner"));
    assert_eq!(here["content"][0]["text"], format!("{:?}", thread::current().id()));
}

type Ended = Result<Vec<u8>, HostError>;

/// A server whose tool `inner` leaves its calls to the test, and whose tool `outer` calls it and tells the test how
/// that ended.
fn with_kept_inner() -> (Arc<Server>, Receiver<Arc<Call>>, Receiver<Ended>) {
    let server = server();
    let (give, given) = channel();
    add(&server, "inner", object(), move |call: &Arc<Call>| give.send(call.clone()).unwrap());
    let (tell, told) = channel();
    add_to_pool(&server, "outer", move |call: &Arc<Call>| {
        let result = nested(call, "inner");
        assert_eq!(call.watchers(), 0, "nothing is left behind at the caller");
        tell.send(result).unwrap();
        let _ = call.finish_text("done");
    });
    (server, given, told)
}

#[test]
fn waits_for_a_call_that_is_finished_later_on_another_thread() {
    let (server, given, told) = with_kept_inner();
    let (recorder, _in_flight) = send(&server, &request(1, "tools/call", json!({"name": "outer"})), None);
    let inner = given.recv_timeout(PATIENCE).unwrap();
    thread::spawn(move || inner.finish_text("later").unwrap());
    assert_eq!(value(told.recv_timeout(PATIENCE).unwrap())["content"][0]["text"], "later");
    assert_eq!(text(&recorder.answer()), "done");
}

#[test]
fn a_call_is_cancelled_with_its_caller() {
    let (server, given, told) = with_kept_inner();
    for keeps_on in [true, false] {
        let (recorder, in_flight) = send(&server, &request(1, "tools/call", json!({"name": "outer"})), None);
        let inner = given.recv_timeout(PATIENCE).unwrap();
        in_flight.unwrap().cancel();
        assert!(inner.is_cancelled());
        if !keeps_on {
            drop(inner);
        }
        assert_eq!(told.recv_timeout(PATIENCE).unwrap(), Err(HostError::Cancelled));
        assert!(recorder.so_far().is_empty());
    }
}

#[test]
fn a_call_of_a_cancelled_caller_does_not_run() {
    let server = server();
    let (give, given) = channel();
    add(&server, "keep", object(), move |call: &Arc<Call>| give.send(call.clone()).unwrap());
    add(&server, "inner", object(), |_: &_| panic!("it ran"));
    let (_recorder, in_flight) = send(&server, &request(1, "tools/call", json!({"name": "keep"})), None);
    let caller: Arc<Call> = given.recv().unwrap();
    in_flight.unwrap().cancel();
    assert_eq!(nested(&caller, "inner"), Err(HostError::Cancelled));
}

#[test]
fn a_caller_that_makes_many_calls_keeps_nothing_of_them() {
    let server = server();
    add(&server, "inner", object(), |call: &Arc<Call>| call.finish().unwrap());
    add(&server, "outer", object(), |call: &Arc<Call>| {
        for _ in 0..1000 {
            nested(call, "inner").unwrap();
            assert!(nested(call, "nosuch").is_err());
        }
        call.finish_text(&call.watchers().to_string()).unwrap();
    });
    assert_eq!(text(&call(&server, "outer", json!({}))), "0");
}

#[test]
fn handlers_call_handlers_so_deep_and_no_deeper() {
    let server = server();
    add(&server, "deep", object(), |call: &Arc<Call>| {
        let levels = match nested(call, "deep") {
            Ok(inner) => value(Ok(inner))["structuredContent"].as_u64().unwrap(),
            Err(HostError::CallFailed(message)) => {
                assert!(message.contains("levels deep"), "{message}");
                0
            }
            Err(other) => panic!("{other}"),
        };
        call.set_structured((levels + 1).to_string().as_bytes()).unwrap();
        call.finish().unwrap();
    });
    let deep = value(call_tool(&server, "deep"));
    assert_eq!(deep["structuredContent"], MAX_NESTED_CALLS);
}

#[test]
fn a_handler_that_takes_too_long_is_told_to_stop() {
    let server = server();
    server.configure(|settings| settings.set("handler_timeout_ms", "20")).unwrap();
    add(&server, "slow", object(), |call: &Arc<Call>| {
        while !call.is_cancelled() {
            thread::yield_now();
        }
    });
    let late = value(call_tool(&server, "slow"));
    assert_eq!(late["isError"], true);
    assert!(late["content"][0]["text"].as_str().unwrap().contains("20 ms"), "{late}");
}

/// The host's loop: one thread that runs job after job.
struct Loop {
    jobs: Mutex<Option<Sender<Job>>>,
    thread: ThreadId,
}

impl Loop {
    fn start() -> Arc<Loop> {
        let (jobs, work) = channel::<Job>();
        let thread = thread::spawn(move || work.into_iter().for_each(Job::run)).thread().id();
        Arc::new(Loop { jobs: Mutex::new(Some(jobs)), thread })
    }
}

impl Executor for Loop {
    fn execute(&self, job: Job) {
        if let Some(jobs) = &*self.jobs.lock() {
            jobs.send(job).unwrap();
        }
    }
}

#[test]
fn what_belongs_to_the_hosts_executor_runs_there_and_waits_for_itself_never() {
    let server = server();
    let host = Loop::start();
    let on_host = |name: &str, handler: fn(&Arc<Call>)| {
        add_defined(
            &server,
            json!({"name": name, "inputSchema": {"type": "object"}}),
            Dispatch::Host,
            handler,
        );
    };
    on_host("where", |call| call.finish_text(&format!("{:?}", thread::current().id())).unwrap());
    on_host("outer", |call| call.finish_json(&nested(call, "where").unwrap()).unwrap());
    on_host("over_pool", |call| call.finish_json(&nested(call, "pooled").unwrap()).unwrap());
    add_to_pool(&server, "pooled", |call: &Arc<Call>| {
        call.finish_json(&nested(call, "where").unwrap()).unwrap()
    });
    let refused = call_tool(&server, "where");
    assert!(matches!(refused, Err(HostError::CallFailed(_))), "there is no executor: {refused:?}");
    server.set_executor(host.clone());
    let there = format!("{:?}", host.thread);
    for name in ["where", "outer", "over_pool", "pooled"] {
        let here = value(call_tool(&server, name));
        assert_eq!(here["content"][0]["text"], there.as_str(), "{name} in process");
        assert_eq!(text(&call(&server, name, json!({}))), there, "{name} by a client");
    }
    *host.jobs.lock() = None;
    let refused = call_tool(&server, "where");
    assert!(matches!(refused, Err(HostError::CallFailed(_))), "the executor dropped the job: {refused:?}");
}

#[test]
fn an_executor_sees_by_whom_a_job_was_asked_for() {
    struct Choosing(Sender<Revision>);
    impl Executor for Choosing {
        fn execute(&self, job: Job) {
            self.0.send(job.context().revision).unwrap();
            job.run();
        }
    }
    let server = server();
    let (tell, told) = channel();
    server.set_executor(Arc::new(Choosing(tell)));
    let definition = json!({"name": "t", "inputSchema": {"type": "object"}});
    add_defined(&server, definition, Dispatch::Host, |call: &Arc<Call>| call.finish_text("done").unwrap());
    assert_eq!(text(&call(&server, "t", json!({}))), "done");
    assert_eq!(told.try_recv(), Ok(Revision::V2026_07_28));
}

#[test]
fn nobody_can_be_asked_amid_a_call_in_process() {
    let server = server();
    add(&server, "inner", object(), |call: &Arc<Call>| {
        assert!(matches!(call.request_input("where", ROOTS), Err(HostError::MissingCapability(_))));
        call.finish_text("did without").unwrap();
    });
    add(&server, "outer", object(), |call: &Arc<Call>| {
        call.finish_json(&nested(call, "inner").unwrap()).unwrap()
    });
    let answer = super::conversation::Asking::tool(&server, "outer").begin();
    assert_eq!(answer["content"][0]["text"], "did without");
}

/// What comes of something that is begun and not waited for.
fn begun(
    server: &Arc<Server>,
    asked: Asked<'_>,
    caller: Option<&Arc<Call>>,
) -> Receiver<Result<Vec<u8>, HostError>> {
    let (tell, told) = channel();
    server.begin_in_process(asked, caller, Box::new(move |result| tell.send(result).unwrap()));
    told
}

#[test]
fn what_is_begun_runs_on_the_pool_and_says_when_it_ended() {
    let server = server();
    let (tell, told) = channel();
    add_to_pool(&server, "where", move |call: &Arc<Call>| {
        tell.send(thread::current().id()).unwrap();
        call.finish_text("there").unwrap();
    });
    add_resource(&server, json!({"uri": "x:a", "name": "a"}), |call: &Arc<Call>| {
        call.finish_text("A").unwrap()
    });
    let tool = begun(&server, Asked::Tool { name: "where", arguments: b"" }, None);
    assert_eq!(value(tool.recv_timeout(PATIENCE).unwrap())["content"][0]["text"], "there");
    assert_ne!(told.recv_timeout(PATIENCE).unwrap(), thread::current().id());
    let resource = begun(&server, Asked::Resource { uri: "x:a" }, None);
    assert_eq!(value(resource.recv_timeout(PATIENCE).unwrap())["contents"][0]["text"], "A");
    for asked in [Asked::Tool { name: "no", arguments: b"" }, Asked::Prompt { name: "no", arguments: b"" }] {
        let missing = begun(&server, asked, None).recv_timeout(PATIENCE).unwrap();
        assert!(matches!(missing, Err(HostError::NotFound(_))), "{missing:?}");
    }
}

#[test]
fn what_is_begun_ends_once_also_when_its_caller_is_cancelled() {
    let server = server();
    let (give, given) = channel::<Arc<Call>>();
    let give = Mutex::new(give);
    add(&server, "later", object(), move |call: &Arc<Call>| give.lock().send(call.clone()).unwrap());
    let caller_ended = begun(&server, Asked::Tool { name: "later", arguments: b"" }, None);
    let caller = given.recv_timeout(PATIENCE).unwrap();
    let finished = begun(&server, Asked::Tool { name: "later", arguments: b"" }, Some(&caller));
    given.recv_timeout(PATIENCE).unwrap().finish_text("done").unwrap();
    assert_eq!(value(finished.recv_timeout(PATIENCE).unwrap())["content"][0]["text"], "done");
    assert_eq!(caller.watchers(), 0);
    let cancelled = begun(&server, Asked::Tool { name: "later", arguments: b"" }, Some(&caller));
    let inner = given.recv_timeout(PATIENCE).unwrap();
    caller.cancel();
    assert_eq!(cancelled.recv_timeout(PATIENCE).unwrap(), Err(HostError::Cancelled));
    assert!(inner.is_cancelled() && inner.finish().is_err());
    drop((inner, caller));
    assert!(cancelled.recv().is_err());
    assert!(caller_ended.try_recv().is_err());
}

#[test]
fn what_is_begun_ends_with_the_server() {
    for drain in [0, 20] {
        let server = server();
        let (give, given) = channel::<Arc<Call>>();
        let give = Mutex::new(give);
        add(&server, "never", object(), move |call: &Arc<Call>| give.lock().send(call.clone()).unwrap());
        let ended = begun(&server, Asked::Tool { name: "never", arguments: b"" }, None);
        let call = given.recv_timeout(PATIENCE).unwrap();
        server.services().shut_down(Duration::from_millis(drain));
        assert_eq!(ended.recv_timeout(PATIENCE).unwrap(), Err(HostError::ShutDown));
        assert!(call.is_cancelled());
        assert!(server.services().wait(Some(PATIENCE)));
        let late = begun(&server, Asked::Tool { name: "never", arguments: b"" }, None);
        assert_eq!(late.recv_timeout(PATIENCE).unwrap(), Err(HostError::ShutDown));
        server.close().unwrap();
    }
}
