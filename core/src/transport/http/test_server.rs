//! A server, and requests to it, for the tests of this transport.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};

use crate::call::handler::Dispatch;
use crate::call::invocation::Call;
use crate::protocol::content::ContentBlock;
use crate::protocol::tool_definition::ToolDefinition;
use crate::server::engine::Server;

/// The longest time that a test waits for what it expects.
pub const BOUND: Duration = Duration::from_secs(10);

/// A server with the tools `add` (answers at once), `progress` (three notifications, then the answer) and `hold`
/// (leaves its call to the test).
pub struct TestServer {
    pub server: Arc<Server>,
    ran: Arc<AtomicUsize>,
    held: Receiver<Arc<Call>>,
}

impl TestServer {
    pub fn new() -> Self {
        let server = Server::new("test", "1").unwrap();
        let ran = Arc::new(AtomicUsize::new(0));
        let (hold, held) = mpsc::channel();
        let counter = ran.clone();
        add_tool(&server, "add", move |call| {
            counter.fetch_add(1, Ordering::SeqCst);
            call.add_content(ContentBlock::Text { text: "sum" }).unwrap();
            call.finish().unwrap();
        });
        add_tool(&server, "progress", |call| {
            for value in [1.0, 2.0, 3.0] {
                call.progress(value, Some(3.0), None).unwrap();
            }
            call.finish().unwrap();
        });
        add_tool(&server, "hold", move |call| hold.send(call.clone()).unwrap());
        TestServer { server, ran, held }
    }

    /// How often `add` ran.
    pub fn ran(&self) -> usize {
        self.ran.load(Ordering::SeqCst)
    }

    /// Changes the list of tools.
    pub fn change_tools(&self) {
        add_tool(&self.server, "changed", |call| call.finish().unwrap());
    }

    /// The next call of `hold`.
    pub fn held(&self) -> Arc<Call> {
        self.held.recv_timeout(BOUND).unwrap()
    }
}

/// A request for `method`, with `params` in front of its `_meta`: empty, or members with a comma behind them.
pub fn request(id: u32, method: &str, params: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{params}"_meta":{{"progressToken":"p","io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
    )
}

/// A call of the tool `name`.
pub fn call(id: u32, name: &str) -> String {
    request(id, "tools/call", &format!(r#""name":"{name}","arguments":{{}},"#))
}

/// Waits until `condition` holds.
pub fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < BOUND, "never came: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn add_tool(server: &Arc<Server>, name: &str, handler: impl Fn(&Arc<Call>) + Send + Sync + 'static) {
    let text = format!(r#"{{"name":"{name}","inputSchema":{{"type":"object"}}}}"#);
    let definition = ToolDefinition::from_json(text.as_bytes()).unwrap();
    server.add_tool(&definition, Arc::new(handler), Dispatch::Inline, Vec::new()).unwrap();
}
