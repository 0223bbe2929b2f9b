//! The server of the side-by-side benchmark: `libmcp-bench-server stdio|http`, with `PORT` and `MANY` in the
//! environment, and `DISPATCH=pool` to run its handlers on the pool.

use std::sync::Arc;

use mcp_core::call::handler::{Dispatch, Handler};
use mcp_core::call::invocation::Call;
use mcp_core::host_error::HostError;
use mcp_core::protocol::content::ContentBlock;
use mcp_core::protocol::tool_definition::ToolDefinition;
use mcp_core::server::engine::Server;
use mcp_core::transport::http::{HttpConfig, serve_http};
use mcp_core::transport::stdio;

const ADD: &str = r#"{
    "name": "add", "description": "Add two integers",
    "inputSchema": {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"]
    },
    "outputSchema": {
        "type": "object",
        "properties": {"sum": {"type": "integer"}},
        "required": ["sum"]
    }
}"#;

const ECHO: &str = r#"{
    "name": "echo", "description": "Echo a text",
    "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = Server::new("libmcp-bench-rust", env!("CARGO_PKG_VERSION"))?;
    add_tool(&server, ADD, |call: &Arc<Call>| report(add(call)))?;
    add_tool(&server, ECHO, |call: &Arc<Call>| report(echo(call)))?;
    let many: usize = std::env::var("MANY").ok().and_then(|many| many.parse().ok()).unwrap_or(0);
    for index in 0..many {
        let trivial = format!(
            r#"{{"name":"tool_{index:04}","description":"trivial tool {index:04}","inputSchema":
            {{"type":"object","properties":{{"x":{{"type":"integer"}}}},"required":["x"]}}}}"#
        );
        add_tool(&server, &trivial, |call: &Arc<Call>| report(text(call, "ok")))?;
    }
    match std::env::args().nth(1).as_deref() {
        Some("stdio") => stdio::serve(&server)?,
        Some("http") => {
            let port = std::env::var("PORT")?.parse()?;
            let _listener = serve_http(&server, &HttpConfig { port, ..HttpConfig::default() })?;
            server.services().wait(None);
        }
        _ => return Err("usage: libmcp-bench-server stdio|http".into()),
    }
    Ok(())
}

fn add_tool(
    server: &Server,
    definition: &str,
    handler: impl Handler,
) -> Result<(), Box<dyn std::error::Error>> {
    let dispatch = match std::env::var("DISPATCH").as_deref() {
        Ok("pool") => Dispatch::Pool,
        _ => Dispatch::Inline,
    };
    let definition = ToolDefinition::from_json(definition.as_bytes())?;
    Ok(server.add_tool(&definition, Arc::new(handler), dispatch, Vec::new())?)
}

fn add(call: &Arc<Call>) -> Result<(), HostError> {
    let number = |name| call.argument(name).map(|value| value.as_i64().unwrap_or_default());
    let sum = number("a")? + number("b")?;
    call.set_structured(format!("{{\"sum\":{sum}}}").as_bytes())?;
    call.finish()
}

fn echo(call: &Arc<Call>) -> Result<(), HostError> {
    text(call, call.argument("text")?.as_str().unwrap_or_default())
}

fn text(call: &Arc<Call>, text: &str) -> Result<(), HostError> {
    call.add_content(ContentBlock::Text { text })?;
    call.finish()
}

fn report(result: Result<(), HostError>) {
    if let Err(error) = result {
        eprintln!("libmcp-bench-server: {error}");
    }
}
