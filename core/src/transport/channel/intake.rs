//! What a client says: each message is scanned and taken to where it belongs.
//!
//! Specification: basic, "Messages".

use std::sync::Arc;

use bytes::Bytes;

use super::push::SessionPush;
use super::reply::Reply;
use super::{Channel, Sink};
use crate::protocol::batch;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::{Frame, FrameFault, Notification, Request, Response};
use crate::protocol::message::Message;
use crate::runtime::library_log;
use crate::server::batch_answers::{BatchAnswers, BatchSlot};
use crate::server::engine::Incoming;
use crate::server::era::Era;
use crate::server::in_flight::Handled;
use crate::server::legacy::session::Session;

impl<S: Sink> Channel<S> {
    /// Takes one message, on behalf of `principal` if the host says so. An inline handler runs before this returns.
    /// Whatever is wrong with the message, its sender is told.
    pub fn receive(self: &Arc<Self>, text: Bytes, principal: Option<Arc<str>>) {
        if let Some(session) = self.session().filter(|session| session.revision().has_batches())
            && let Some(messages) = batch::messages(&text)
        {
            return self.take_batch(&session, messages, principal);
        }
        match Frame::scan(text, self.settings.max_depth) {
            Ok(Frame::Request(request)) => self.take_request(request, principal, None),
            Ok(Frame::Notification(notification)) => self.take_notification(&notification),
            Ok(Frame::Response(response)) => self.take_response(response),
            Err(fault) if fault.is_notification => passed_over(fault.message()),
            Err(fault) => self.refuse(&fault),
        }
    }

    /// Specification: 2025-03-26, basic, "Batching".
    fn take_batch(self: &Arc<Self>, session: &Session, messages: Vec<Bytes>, principal: Option<Arc<str>>) {
        let scanned: Vec<_> =
            messages.into_iter().map(|text| Frame::scan(text, self.settings.max_depth)).collect();
        let answered = |frame: &Result<Frame, FrameFault>| match frame {
            Ok(frame) => matches!(frame, Frame::Request(_)),
            Err(fault) => fault.has_id(),
        };
        let requests = scanned.iter().filter(|frame| answered(frame)).count();
        let channel = Arc::downgrade(self);
        let send = move |message| {
            if let Some(channel) = channel.upgrade() {
                channel.post(message);
            }
        };
        let answers = Arc::new(BatchAnswers::new(requests, Box::new(send)));
        for frame in scanned {
            match frame {
                Ok(Frame::Request(request)) => {
                    self.take_request(request, principal.clone(), Some(answers.slot()));
                }
                Ok(Frame::Notification(notification)) => self.take_notification(&notification),
                Ok(Frame::Response(response)) => session.response(response),
                Err(fault) if fault.has_id() => answers.slot().answer(Some(fault.answer().message)),
                Err(fault) => passed_over(fault.message()),
            }
        }
    }

    fn take_response(&self, response: Response) {
        match self.session() {
            Some(session) => session.response(response),
            None => library_log::debug(format_args!("an answer to no request was passed over")),
        }
    }

    fn refuse(self: &Arc<Self>, fault: &FrameFault) {
        if fault.has_id() {
            return self.send(fault.answer().message);
        }
        self.complain(fault.message(), fault.answer().message);
    }

    /// Tells the client that a message was dropped, because it has more than `limit` bytes.
    pub fn refuse_too_long(self: &Arc<Self>, limit: usize) {
        let message = format!(
            "a message of more than {limit} bytes was dropped; the option max_message_bytes sets the limit"
        );
        self.complain(
            &message,
            ProtocolError::new(ErrorCode::INVALID_REQUEST, &*message).answer(None).message,
        );
    }

    /// Sends an error that has no id. In the older revisions every error has one: their clients are not told.
    fn complain(self: &Arc<Self>, what: &str, error: Message) {
        if self.session().is_none_or(|session| session.revision().has_errors_without_id()) {
            return self.send(error);
        }
        library_log::warning(format_args!("a message was passed over: {what}"));
    }

    fn take_request(
        self: &Arc<Self>,
        request: Request,
        principal: Option<Arc<str>>,
        batch: Option<BatchSlot>,
    ) {
        let id = request.id.clone();
        let mut state = self.state.lock();
        if state.gone {
            return;
        }
        let overloaded = state.open.count() >= self.settings.max_in_flight_per_connection;
        let Some(ticket) = state.open.begin(&id) else {
            drop(state);
            // With the id, the client would take this for the answer of the first. The slot of a batch stays empty.
            let message = format!("the id {id} belongs to a request that has no answer yet; use another");
            let error = ProtocolError::new(ErrorCode::INVALID_REQUEST, &*message).answer(None).message;
            return self.complain(&message, error);
        };
        let is_batched = batch.is_some();
        if let Some(slot) = batch {
            state.batched.insert(id.clone(), slot);
        }
        let session = state.session.clone();
        drop(state);
        let outbox = Arc::new(Reply { channel: self.clone(), id: id.clone(), ticket });
        let incoming = Incoming { request, headers: None, principal, outbox, overloaded };
        if let Handled::Running(in_flight) = self.route(session, incoming, is_batched) {
            self.attach(&id, ticket, in_flight);
        }
    }

    /// Takes a request to its door. What comes in a batch is of the session: the modern era has none.
    fn route(
        self: &Arc<Self>,
        session: Option<Arc<Session>>,
        incoming: Incoming,
        is_batched: bool,
    ) -> Handled {
        let era = Era::over_channel(&incoming.request, session.is_some());
        let is_modern = !is_batched && (!self.settings.legacy || era == Era::Modern);
        match session {
            _ if is_modern => self.server.handle(incoming),
            Some(session) => session.handle(incoming),
            None => {
                let push = Arc::new(SessionPush(self.clone()));
                Session::open(&self.server, incoming, push, |opened| self.keep_session(opened));
                Handled::Answered
            }
        }
    }

    /// Specification: basic/patterns/cancellation. Whatever is wrong with a cancellation, it is passed over.
    fn take_notification(&self, notification: &Notification) {
        if notification.method.as_str() != "notifications/cancelled" {
            if let Some(session) = self.session() {
                session.notification(notification);
            }
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

fn passed_over(why: &str) {
    library_log::debug(format_args!("a malformed message was passed over: {why}"));
}
