//! What a client says: each message is scanned and taken to where it belongs.
//!
//! Specification: basic, "Messages".

use std::sync::Arc;

use bytes::Bytes;

use super::reply::Reply;
use super::{Channel, Sink};
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::{Frame, Notification, Request};
use crate::runtime::library_log;
use crate::server::engine::Incoming;
use crate::server::in_flight::Handled;

impl<S: Sink> Channel<S> {
    /// Takes one message, on behalf of `principal` if the host says so. An inline handler runs before this returns.
    /// Whatever is wrong with the message, its sender is told.
    pub fn receive(self: &Arc<Self>, text: Bytes, principal: Option<Arc<str>>) {
        match Frame::scan(text, self.settings.max_depth) {
            Ok(Frame::Request(request)) => self.take_request(request, principal),
            Ok(Frame::Notification(notification)) => self.take_notification(&notification),
            Ok(Frame::Response(_)) => {
                library_log::debug(format_args!("an answer to no request was passed over"));
            }
            Err(fault) if fault.is_notification => {
                library_log::debug(format_args!(
                    "a malformed notification was passed over: {}",
                    fault.message()
                ));
            }
            Err(fault) => self.send(fault.answer().message),
        }
    }

    /// Tells the client that a message was dropped, because it has more than `limit` bytes.
    pub fn refuse_too_long(self: &Arc<Self>, limit: usize) {
        let message = format!(
            "a message of more than {limit} bytes was dropped; the option max_message_bytes sets the limit"
        );
        let error = ProtocolError::new(ErrorCode::INVALID_REQUEST, message);
        self.send(error.answer(None).message);
    }

    fn take_request(self: &Arc<Self>, request: Request, principal: Option<Arc<str>>) {
        let id = request.id.clone();
        let mut state = self.state.lock();
        let overloaded = state.open.len() >= self.settings.max_in_flight_per_connection;
        let Some(ticket) = state.open.begin(&id) else {
            drop(state);
            // With the id, the client would take this for the answer of the first.
            let message = format!("the id {id} belongs to a request that has no answer yet; use another");
            let error = ProtocolError::new(ErrorCode::INVALID_REQUEST, message);
            return self.send(error.answer(None).message);
        };
        drop(state);
        let outbox = Arc::new(Reply { channel: self.clone(), id: id.clone(), ticket });
        let incoming = Incoming { request, headers: None, principal, outbox, overloaded };
        if let Handled::Running(in_flight) = self.route(incoming) {
            self.attach(&id, ticket, in_flight);
        }
    }

    /// Takes a request to its door.
    fn route(&self, incoming: Incoming) -> Handled {
        self.server.handle(incoming)
    }

    /// Specification: basic/patterns/cancellation. Whatever is wrong with a cancellation, it is passed over.
    fn take_notification(&self, notification: &Notification) {
        if notification.method.as_str() != "notifications/cancelled" {
            return;
        }
        let params = &notification.params;
        if let Some(id) = params.request_id.and_then(|span| params.id(span)) {
            let reason = params.reason.and_then(|span| params.string(span)).unwrap_or_default();
            library_log::debug(format_args!("the client cancelled the request {id}: {reason}"));
            self.cancel(&id);
        }
    }
}
