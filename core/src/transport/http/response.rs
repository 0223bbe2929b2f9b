//! The responses of the endpoint: one JSON object, a stream of events, or nothing; which of them, is decided late.

use std::future::poll_fn;
use std::pin::pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use tokio::time::Sleep;

use super::accept::Accepted;
use super::event_stream::{EventStream, Source};
use super::refusal::Refusal;
use super::reply_body::ReplyBody;
use crate::protocol::message::{Answer, AnswerStatus};
use crate::runtime::library_log::{self, LogSeverity};

/// Keeps proxies of the nginx family from holding events back.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// Waits until `poll` knows how a response begins; `None` after a silence of `keep_alive`, which a stream can bridge
/// if the client accepts one.
pub(super) async fn begin<T>(
    accepted: Accepted,
    keep_alive: Duration,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
) -> Option<T> {
    let mut silence = pin!(None::<Sleep>);
    poll_fn(|cx| {
        if let Poll::Ready(beginning) = poll(cx) {
            return Poll::Ready(Some(beginning));
        }
        if !accepted.events {
            return Poll::Pending;
        }
        if silence.is_none() {
            silence.set(Some(tokio::time::sleep(keep_alive)));
        }
        match silence.as_mut().as_pin_mut() {
            Some(silence) => silence.poll(cx).map(|()| None),
            None => Poll::Pending,
        }
    })
    .await
}

/// A response that is a stream of what `source` says, with a sign of life after each silence of `keep_alive`, and at
/// its beginning if it `begins_silent`.
pub(super) fn events<S: Source>(source: S, keep_alive: Duration, begins_silent: bool) -> Response<ReplyBody> {
    let events = EventStream::new(source, keep_alive, begins_silent);
    let mut response = Response::new(ReplyBody::events(Box::new(events)));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
    response
}

/// A response that is one JSON object.
pub(super) fn json(answer: Answer) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::message(answer.message));
    *response.status_mut() = match answer.status {
        AnswerStatus::Ok => StatusCode::OK,
        AnswerStatus::BadRequest => StatusCode::BAD_REQUEST,
        AnswerStatus::NotFound => StatusCode::NOT_FOUND,
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The response to a message that wants no answer.
pub(super) fn taken() -> Response<ReplyBody> {
    empty(StatusCode::ACCEPTED)
}

/// A response without a body.
pub(super) fn empty(status: StatusCode) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::empty());
    *response.status_mut() = status;
    response
}

/// The response to a request that is turned away.
pub(super) fn refused(refusal: Refusal) -> Response<ReplyBody> {
    library_log::log(LogSeverity::Debug, || format!("HTTP request refused: {refusal}"));
    refusal.into_response()
}
