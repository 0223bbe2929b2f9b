//! Several messages in one POST.
//!
//! Specification: 2025-03-26, Streamable HTTP, "Sending Messages to the Server".

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;

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
use crate::transport::http::refusal::Refusal;

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
    ///
    /// In this revision every error has an id. A message to which only one without could be said is passed over; a
    /// batch of such messages alone is refused.
    pub fn take(self, session: &InUse, settings: &Settings) -> Result<Option<Hold>, Refusal> {
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
        let mut taken = false;
        let mut first_fault = None;
        let mut pass_over = |why: String| {
            library_log::debug(format_args!("a message of a batch was passed over: {why}"));
            first_fault.get_or_insert(why);
        };
        for frame in frames {
            match frame {
                Ok(Frame::Request(request)) => {
                    let Some(hold) = hold else { continue };
                    let (headers, principal) = (self.headers.clone(), self.principal.clone());
                    let place = Place::Batch(answers.slot());
                    let arrived = Arrived { request, headers, principal, events: self.events, hold, place };
                    match session.take(arrived, settings.max_in_flight_per_connection) {
                        // The slot stays empty: with the id, this would be taken for the answer to the first.
                        Err(NotTaken::IdInUse(id, _slot)) => pass_over(id_in_use(&id).message),
                        Ok(()) | Err(NotTaken::Ended) => taken = true,
                    }
                }
                Ok(Frame::Notification(notification)) => {
                    session.notification(&notification);
                    taken = true;
                }
                Ok(Frame::Response(response)) => {
                    session.session().response(response);
                    taken = true;
                }
                Err(fault) if fault.has_id() => {
                    answers.slot().answer(Some(fault.answer().message));
                    taken = true;
                }
                Err(fault) => pass_over(fault.message().into()),
            }
        }
        match first_fault {
            Some(why) if !taken => {
                let message = format!("no message of the batch could be taken; of the first: {why}");
                Err(Refusal::new(StatusCode::BAD_REQUEST, message))
            }
            _ => Ok(hold),
        }
    }
}

/// What a client is told that uses an id twice. The error has no id: the client would take it for the answer to the
/// first request.
pub fn id_in_use(id: &RequestId) -> ProtocolError {
    let message = format!("the id {id} belongs to a request that has no answer yet; use another");
    ProtocolError::new(ErrorCode::INVALID_REQUEST, message)
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
