//! Several messages in one POST.
//!
//! Specification: 2025-03-26, Streamable HTTP, "Sending Messages to the Server".

use std::sync::Arc;

use bytes::Bytes;

use super::event_id::StreamId;
use super::http_session::{Arrived, InUse, NotTaken};
use super::store::Hold;
use super::stream_reply::Place;
use super::streams::Streams;
use crate::call::headers::Headers;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::{Frame, FrameFault};
use crate::protocol::message::{Answer, AnswerStatus, Message};
use crate::protocol::request_id::RequestId;
use crate::runtime::library_log;
use crate::server::batch_answers::BatchAnswers;
use crate::server::settings::Settings;

/// A batch, as it came.
pub struct Batch {
    /// Its messages.
    pub messages: Vec<Bytes>,
    /// The headers of the POST.
    pub headers: Arc<dyn Headers>,
    /// On whose behalf it came.
    pub principal: Option<Arc<str>>,
    /// Whether its client accepts a stream.
    pub events: bool,
}

impl Batch {
    /// Takes the messages to `session`. The stream of the response is returned; `None` if nothing is to be answered.
    pub fn take(self, session: &InUse, settings: &Settings) -> Option<Hold> {
        let frames: Vec<_> =
            self.messages.into_iter().map(|text| Frame::scan(text, settings.max_depth)).collect();
        let requests = frames.iter().filter(|frame| wants_answer(frame)).count();
        let hold = (requests > 0).then(|| session.streams().respond());
        let response = hold.map(|hold| Response { streams: session.streams().clone(), stream: hold.stream });
        let send = move |message| {
            if let Some(response) = &response {
                response.send(message);
            }
        };
        let answers = Arc::new(BatchAnswers::new(requests, Box::new(send)));
        for frame in frames {
            match frame {
                Ok(Frame::Request(request)) => {
                    let Some(hold) = hold else { continue };
                    let (headers, principal) = (self.headers.clone(), self.principal.clone());
                    let place = Place::Batch(answers.slot());
                    let arrived = Arrived { request, headers, principal, events: self.events, hold, place };
                    let taken = session.take(arrived, settings.max_in_flight_per_connection);
                    if let Err(NotTaken::IdInUse(id, place)) = taken {
                        passed_over(&id_in_use(&id).message);
                        drop(place);
                    }
                }
                Ok(Frame::Notification(notification)) => session.notification(&notification),
                Ok(Frame::Response(response)) => session.session().response(response),
                Err(fault) if fault.has_id() => answers.slot().answer(Some(fault.answer().message)),
                Err(fault) => passed_over(fault.message()),
            }
        }
        hold
    }
}

/// What a client is told that uses an id twice. The error has no id: the client would take it for the answer to the
/// first request.
pub fn id_in_use(id: &RequestId) -> ProtocolError {
    let message = format!("the id {id} belongs to a request that has no answer yet; use another");
    ProtocolError::new(ErrorCode::INVALID_REQUEST, message)
}

/// In the revision that has batches every error has an id: one without could make the whole answer unreadable.
fn passed_over(why: &str) {
    library_log::debug(format_args!("a message of a batch was passed over: {why}"));
}

fn wants_answer(frame: &Result<Frame, FrameFault>) -> bool {
    match frame {
        Ok(frame) => matches!(frame, Frame::Request(_)),
        Err(fault) => fault.has_id(),
    }
}

/// The response to a batch. It ends without an answer where no request got one, as they were all cancelled.
struct Response {
    streams: Arc<Streams>,
    stream: StreamId,
}

impl Response {
    fn send(&self, message: Message) {
        self.streams.answer(self.stream, Answer { message, status: AnswerStatus::Ok });
    }
}

impl Drop for Response {
    fn drop(&mut self) {
        self.streams.remove_unanswered(self.stream);
    }
}
