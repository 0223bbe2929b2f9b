//! The transport as a function: a request in, a response out. A listener is one user of it; a host with its own
//! web server is another.
//!
//! Specification: Streamable HTTP, "Sending Messages".

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue};
use http::request::Parts;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body::Body;
use tokio::time::Sleep;

use super::accept::{self, Accepted};
use super::config::HttpConfig;
use super::event_stream::EventStream;
use super::host::Hosts;
use super::http_reply::{Beginning, Reply};
use super::open_call::OpenCall;
use super::open_streams::Subscriptions;
use super::origin::Origins;
use super::path::Endpoint;
use super::principal::Principal;
use super::refusal::Refusal;
use super::reply_body::ReplyBody;
use super::request_headers::RequestHeaders;
use super::{bind, body, content_type, cors, method};
use crate::host_error::HostError;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::{self, Frame};
use crate::protocol::message::{Answer, AnswerStatus};
use crate::runtime::library_log::{self, LogSeverity};
use crate::server::engine::{Incoming, Server};
use crate::server::in_flight::Handled;

/// Keeps proxies of the nginx family from holding events back.
const X_ACCEL_BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");

/// The Streamable HTTP endpoint of a server.
pub struct HttpService {
    server: Arc<Server>,
    origins: Origins,
    hosts: Hosts,
    endpoint: Endpoint,
    keep_alive: Duration,
    subscriptions: Arc<Subscriptions>,
}

impl HttpService {
    /// The endpoint of `server`. Fails if a setting has a value that cannot be used.
    ///
    /// A host with its own web server sets `config.address` to what that one listens on: on an address that only this
    /// machine can reach, pages and names of this machine are let in, and no others but those in the lists.
    pub fn new(server: &Arc<Server>, config: &HttpConfig) -> Result<Self, HostError> {
        let loopback_bind = bind::is_loopback(config.address);
        Ok(HttpService {
            server: server.clone(),
            origins: Origins::new(&config.allowed_origins, loopback_bind)?,
            hosts: Hosts::new(&config.allowed_hosts, loopback_bind)?,
            endpoint: Endpoint::new(&config.path)?,
            keep_alive: config.keep_alive,
            subscriptions: Arc::default(),
        })
    }

    /// Answers one request; a [`Principal`] among its extensions says on whose behalf it comes. To be polled on a Tokio runtime with a clock.
    ///
    /// Dropping the future, or the body of the response, before the end means that the client is gone, and
    /// cancels what runs for it.
    pub async fn call<B: Body>(&self, request: Request<B>) -> Response<ReplyBody> {
        let (parts, body) = request.into_parts();
        let origin = match self.origins.check(&parts.headers) {
            Ok(origin) => origin.cloned(),
            Err(refusal) => return refused(refusal.leaving(&body)),
        };
        let mut response = match self.admit(&parts) {
            Err(refusal) => refused(refusal.leaving(&body)),
            Ok(None) => cors::preflight(&parts.headers),
            Ok(Some(accepted)) => match self.post(parts, body, accepted).await {
                Ok(response) => response,
                Err(refusal) => refused(refusal),
            },
        };
        if let Some(origin) = origin {
            cors::allow(response.headers_mut(), origin);
        }
        response
    }

    /// The subscriptions that stream from here.
    pub(super) fn subscriptions(&self) -> &Arc<Subscriptions> {
        &self.subscriptions
    }

    /// What a request is checked for, after its origin and before its body is read. Returns what the client accepts
    /// as the answer to its message; `None` if it sends none but asks for permission.
    fn admit(&self, parts: &Parts) -> Result<Option<Accepted>, Refusal> {
        self.hosts.check(&parts.uri, &parts.headers)?;
        self.endpoint.check(parts.uri.path())?;
        if parts.method == Method::OPTIONS {
            return Ok(None);
        }
        method::check(&parts.method)?;
        let accepted = accept::check(&parts.headers)?;
        content_type::check(&parts.headers)?;
        Ok(Some(accepted))
    }

    async fn post<B: Body>(
        &self,
        mut parts: Parts,
        body: B,
        accepted: Accepted,
    ) -> Result<Response<ReplyBody>, Refusal> {
        let settings = self.server.settings();
        let text = body::collect(body, settings.max_message_bytes).await?;
        match Frame::scan(text, settings.max_depth) {
            Ok(Frame::Request(request)) => {
                accept::check_method(accepted, request.method.as_str())?;
                let principal = Principal::take(&mut parts.extensions);
                Ok(self.answer(request, parts.headers, principal, accepted).await)
            }
            Ok(Frame::Notification(_)) => Ok(accepted_notification()),
            Ok(Frame::Response(_)) => Ok(json(unexpected_response())),
            Err(fault) => Ok(json(fault.answer())),
        }
    }

    async fn answer(
        &self,
        request: frame::Request,
        headers: HeaderMap,
        principal: Option<Arc<str>>,
        accepted: Accepted,
    ) -> Response<ReplyBody> {
        let reply = Arc::new(Reply::new(accepted));
        let headers = Arc::new(RequestHeaders(headers));
        let incoming =
            Incoming { request, headers: Some(headers), principal, outbox: reply.clone(), overloaded: false };
        let mut call = match self.server.handle(incoming) {
            Handled::Answered => OpenCall::answered(reply),
            Handled::Running(in_flight) => OpenCall::running(reply, in_flight, &self.subscriptions),
        };
        match self.begin(&mut call, accepted).await {
            Some(Beginning::Json(answer)) => json(answer),
            Some(Beginning::Events) => self.events(call, false),
            None => self.events(call, true),
        }
    }

    /// Waits until it is known how the response begins; `None` after a silence that a stream can bridge.
    async fn begin(&self, call: &mut OpenCall, accepted: Accepted) -> Option<Beginning> {
        let mut silence = pin!(None::<Sleep>);
        poll_fn(|cx| {
            if let Poll::Ready(beginning) = call.poll_begin(cx) {
                return Poll::Ready(Some(beginning));
            }
            if !accepted.events {
                return Poll::Pending;
            }
            if silence.is_none() {
                silence.set(Some(tokio::time::sleep(self.keep_alive)));
            }
            match silence.as_mut().as_pin_mut() {
                Some(silence) => silence.poll(cx).map(|()| None),
                None => Poll::Pending,
            }
        })
        .await
    }

    fn events(&self, call: OpenCall, begins_silent: bool) -> Response<ReplyBody> {
        let events = EventStream::new(call, self.keep_alive, begins_silent);
        let mut response = Response::new(ReplyBody::events(Box::new(events)));
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        headers.insert(X_ACCEL_BUFFERING, HeaderValue::from_static("no"));
        response
    }
}

/// The response to a request that is turned away.
fn refused(refusal: Refusal) -> Response<ReplyBody> {
    library_log::log(LogSeverity::Debug, || format!("HTTP request refused: {refusal}"));
    refusal.into_response()
}

fn json(answer: Answer) -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::message(answer.message));
    *response.status_mut() = match answer.status {
        AnswerStatus::Ok => StatusCode::OK,
        AnswerStatus::BadRequest => StatusCode::BAD_REQUEST,
        AnswerStatus::NotFound => StatusCode::NOT_FOUND,
    };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// The response to a notification: there is nothing to say.
fn accepted_notification() -> Response<ReplyBody> {
    let mut response = Response::new(ReplyBody::empty());
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

fn unexpected_response() -> Answer {
    let message = "this server sends no requests, so that no response is expected";
    ProtocolError::new(ErrorCode::INVALID_REQUEST, message).answer(None)
}
