//! One request of the modern era: admitted, and handed to the method that it names.

use std::sync::Arc;

use super::admission::{self, Admitted};
use super::{call_tool, discover, list_tools, listen};
use crate::call::headers::Headers;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::Request;
use crate::server::engine::Server;
use crate::server::in_flight::Handled;
use crate::server::outbox::Outbox;
use crate::server::settings::Settings;

/// A request on its way through the door.
pub struct Visit<'a> {
    /// The server.
    pub server: &'a Arc<Server>,
    /// Its settings, the same ones from the beginning of the request to its end.
    pub settings: Arc<Settings>,
    /// The request.
    pub request: Request,
    /// Its HTTP headers, where it came by HTTP.
    pub headers: Option<Arc<dyn Headers>>,
    /// Where its answer goes.
    pub outbox: Arc<dyn Outbox>,
}

impl Visit<'_> {
    /// Takes the request to its method. Whatever is wrong with it is answered here.
    pub fn handle(self) -> Handled {
        let id = self.request.id.clone();
        let outbox = self.outbox.clone();
        let handled =
            admission::admit(&self.request, self.headers.as_ref()).and_then(|admitted| self.route(admitted));
        handled.unwrap_or_else(|error| {
            outbox.answer(error.answer(Some(&id)));
            Handled::Answered
        })
    }

    fn route(self, admitted: Admitted) -> Result<Handled, ProtocolError> {
        match self.request.method.as_str() {
            "tools/call" if self.server.offers_tools() => call_tool::handle(self, admitted),
            "tools/list" if self.server.offers_tools() => list_tools::handle(&self),
            "server/discover" => discover::handle(&self),
            "subscriptions/listen" => listen::handle(self),
            method => Err(unknown_method(method)),
        }
    }
}

fn unknown_method(method: &str) -> ProtocolError {
    let shown: String = method.chars().take(100).collect();
    let message = match method {
        "initialize" => format!(
            "there is no initialize in this revision; supported protocol versions are {}",
            crate::protocol::revision::Revision::supported_json()
        ),
        _ => format!("this server has no method \"{shown}\""),
    };
    ProtocolError::new(ErrorCode::METHOD_NOT_FOUND, message)
}
