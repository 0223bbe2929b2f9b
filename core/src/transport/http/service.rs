//! The transport as a function: a request in, a response out. A listener is one user of it; a host with its own
//! web server is another.
//!
//! Specification: Streamable HTTP, "Sending Messages".

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::HeaderValue;
use http::request::Parts;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;

use super::accept::{self, Accepted};
use super::client::Client;
use super::config::HttpConfig;
use super::host::Hosts;
use super::http_reply::{Beginning, Reply};
use super::http_sse::SseEndpoint;
use super::legacy::{self, Batched, Introduced, Sessions, Start, StreamReader};
use super::open_call::OpenCall;
use super::open_streams::Subscriptions;
use super::origin::Origins;
use super::path::Endpoint;
use super::refusal::Refusal;
use super::reply_body::ReplyBody;
use super::{bind, body, content_type, cors, method, response};
use crate::host_error::HostError;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::{self, Frame};
use crate::protocol::message::Answer;
use crate::server::engine::{Incoming, Server};
use crate::server::era::Era;
use crate::server::in_flight::Handled;
use crate::server::settings::Settings;

/// The Streamable HTTP endpoint of a server.
pub struct HttpService {
    server: Arc<Server>,
    origins: Origins,
    hosts: Hosts,
    endpoint: Endpoint,
    keep_alive: Duration,
    subscriptions: Arc<Subscriptions>,
    sessions: Arc<Sessions>,
    sse: Option<Arc<SseEndpoint>>,
}

/// What a request is for, as far as its head tells.
enum Errand {
    /// To send a message; this is accepted as the answer.
    Message(Accepted),
    /// Something rarer.
    Other(OtherErrand),
}

/// What few requests are for.
enum OtherErrand {
    /// A browser asks for permission.
    Permission,
    /// A client of the older revisions listens, or takes a stream up again.
    Listen(Accepted),
    /// A client of the older revisions ends its session.
    Leave(Accepted),
    /// A client of the transport of revision 2024-11-05 opens its stream.
    OpenSse(Arc<SseEndpoint>, Accepted),
    /// It sends a message.
    SendSse(Arc<SseEndpoint>),
}

impl HttpService {
    /// The endpoint of `server`. Fails if a setting has a value that cannot be used.
    ///
    /// A host with its own web server sets `config.address` to what that one listens on: on an address that only this
    /// machine can reach, pages and names of this machine are let in, and no others but those in the lists.
    pub fn new(server: &Arc<Server>, config: &HttpConfig) -> Result<Self, HostError> {
        let loopback_bind = bind::is_loopback(config.address);
        let endpoint = Endpoint::new("path", &config.path)?;
        let sse = match &config.sse_path {
            Some(path) => Some(SseEndpoint::new(server, path, config.sessions.most)?),
            None => None,
        };
        if sse.as_ref().is_some_and(|sse| sse.is_that_of(&endpoint)) {
            let problem = format!("sse_path: \"{}\" is the path of the endpoint; set another", config.path);
            return Err(HostError::InvalidArgument(problem));
        }
        Ok(HttpService {
            server: server.clone(),
            origins: Origins::new(&config.allowed_origins, loopback_bind)?,
            hosts: Hosts::new(&config.allowed_hosts, loopback_bind)?,
            endpoint,
            keep_alive: config.keep_alive,
            subscriptions: Arc::default(),
            sessions: Sessions::new(server, config.sessions.clone()),
            sse,
        })
    }

    /// Answers one request. To be polled on a Tokio runtime with a clock. On whose behalf it comes, its extension
    /// [`Principal`](super::Principal) says.
    ///
    /// Dropping the future, or the body of the response, before the end means that the client is gone. That cancels
    /// what runs for it, but not for a client of the older revisions, which may come back.
    pub async fn call<B: Body>(&self, request: Request<B>) -> Response<ReplyBody> {
        let (parts, body) = request.into_parts();
        let origin = match self.origins.check(&parts.headers) {
            Ok(origin) => origin.cloned(),
            Err(refusal) => return response::refused(refusal.leaving(&body)),
        };
        let mut response = match self.admit(&parts) {
            Err(refusal) => response::refused(refusal.leaving(&body)),
            Ok(Errand::Message(accepted)) => {
                self.post(parts, body, accepted).await.unwrap_or_else(response::refused)
            }
            Ok(Errand::Other(errand)) => {
                // Boxed, so that what is rare does not make each request's future larger.
                Box::pin(self.run(errand, parts, body)).await.unwrap_or_else(response::refused)
            }
        };
        if let Some(origin) = origin {
            cors::allow(response.headers_mut(), origin);
        }
        response
    }

    /// The server stops: subscriptions end with their result, sessions end, and streams on which clients listen are
    /// closed. What is in flight may be answered as long as its response is waited for.
    pub fn stop(&self) {
        self.subscriptions.conclude_all();
        self.sessions.stop();
        if let Some(sse) = &self.sse {
            sse.stop();
        }
    }

    /// The sessions of the older revisions.
    #[cfg(test)]
    pub(super) fn sessions(&self) -> &Arc<Sessions> {
        &self.sessions
    }

    /// What a request is checked for, after its origin and before its body is read.
    fn admit(&self, parts: &Parts) -> Result<Errand, Refusal> {
        self.hosts.check(&parts.uri, &parts.headers)?;
        if let Some(sse) = &self.sse
            && sse.is_at(parts.uri.path())
            && self.server.settings().legacy
        {
            return admit_sse(sse, parts).map(Errand::Other);
        }
        self.endpoint.check(parts.uri.path())?;
        if parts.method == Method::POST {
            let accepted = accept::check(&parts.headers)?;
            content_type::check(&parts.headers)?;
            return Ok(Errand::Message(accepted));
        }
        if parts.method == Method::OPTIONS {
            return Ok(Errand::Other(OtherErrand::Permission));
        }
        if self.server.settings().legacy && legacy::is_legacy(&parts.headers) {
            // Without a session, it is a client that tries the older transports: 405 sends it on its way.
            if parts.method == Method::GET && legacy::names_session(&parts.headers) {
                return Ok(Errand::Other(OtherErrand::Listen(accept::check(&parts.headers)?)));
            }
            if parts.method == Method::DELETE {
                return Ok(Errand::Other(OtherErrand::Leave(Accepted { json: true, events: true })));
            }
        }
        Err(method::refuse(&parts.method))
    }

    async fn run<B: Body>(
        &self,
        errand: OtherErrand,
        parts: Parts,
        body: B,
    ) -> Result<Response<ReplyBody>, Refusal> {
        let leaving = |refusal: Refusal| refusal.leaving(&body);
        match errand {
            OtherErrand::Permission => Ok(cors::preflight(&parts.headers, self.server.settings().legacy)),
            OtherErrand::Listen(accepted) => {
                let reader = self.sessions.listen(&Client::new(parts, accepted)).map_err(leaving)?;
                let begins_silent = !reader.has_opening();
                Ok(response::events(reader, self.keep_alive, begins_silent))
            }
            OtherErrand::Leave(accepted) => {
                self.sessions.leave(&Client::new(parts, accepted)).map_err(leaving)?;
                Ok(response::empty(StatusCode::NO_CONTENT))
            }
            OtherErrand::OpenSse(sse, accepted) => {
                let uri = parts.uri.clone();
                let stream = sse.open(&uri, Client::new(parts, accepted)).map_err(leaving)?;
                Ok(response::events(stream, self.keep_alive, false))
            }
            OtherErrand::SendSse(sse) => {
                let sender = sse.sender(&parts).map_err(leaving)?;
                let text = body::collect(body, self.server.settings().max_message_bytes).await?;
                sender.send(text);
                Ok(response::taken())
            }
        }
    }

    async fn post<B: Body>(
        &self,
        parts: Parts,
        body: B,
        accepted: Accepted,
    ) -> Result<Response<ReplyBody>, Refusal> {
        let settings = self.server.settings();
        let text = body::collect(body, settings.max_message_bytes).await?;
        let client = Client::new(parts, accepted);
        if text.trim_ascii_start().starts_with(b"[") {
            return Box::pin(self.batch(text, &client, &settings)).await;
        }
        match Frame::scan(text, settings.max_depth) {
            Ok(Frame::Request(request)) => {
                if settings.legacy && Era::over_http(&request, &*client.headers) == Era::Legacy {
                    return Box::pin(self.answer_in_session(request, &client, &settings)).await;
                }
                accept::check_method(accepted, request.method.as_str())?;
                Ok(self.answer(request, client).await)
            }
            Ok(message) => {
                let is_legacy = settings.legacy && legacy::is_legacy(client.headers.map());
                match message {
                    Frame::Notification(notification) if is_legacy => {
                        self.sessions.notification(&client, &notification)?;
                    }
                    Frame::Response(answer) if is_legacy => self.sessions.response(&client, answer)?,
                    Frame::Response(_) => return Ok(response::json(unexpected_response())),
                    Frame::Notification(_) | Frame::Request(_) => {}
                }
                Ok(response::taken())
            }
            Err(fault) => Ok(response::json(fault.answer())),
        }
    }

    /// Answers a request of the modern era.
    async fn answer(&self, request: frame::Request, client: Client) -> Response<ReplyBody> {
        let Client { headers, principal, accepted } = client;
        let reply = Arc::new(Reply::new(accepted));
        let incoming =
            Incoming { request, headers: Some(headers), principal, outbox: reply.clone(), overloaded: false };
        let call = match self.server.handle(incoming) {
            Handled::Answered => OpenCall::answered(reply),
            Handled::Running(in_flight) => OpenCall::running(reply, in_flight, &self.subscriptions),
        };
        self.respond(call, accepted).await
    }

    async fn respond(&self, mut call: OpenCall, accepted: Accepted) -> Response<ReplyBody> {
        match response::begin(accepted, self.keep_alive, |cx| call.poll_begin(cx)).await {
            Some(Beginning::Json(answer)) => response::json(answer),
            Some(Beginning::Events) => response::events(call, self.keep_alive, false),
            None => response::events(call, self.keep_alive, true),
        }
    }

    /// Answers a request of the older revisions.
    async fn answer_in_session(
        &self,
        request: frame::Request,
        client: &Client,
        settings: &Settings,
    ) -> Result<Response<ReplyBody>, Refusal> {
        if request.method.as_str() != "initialize" || legacy::names_session(client.headers.map()) {
            let reader = self.sessions.request(client, request, settings)?;
            return Ok(self.respond_in_session(reader, client.accepted).await);
        }
        let Introduced { reply, session } = self.sessions.introduce(client, request, &self.server)?;
        let mut response = self.respond(OpenCall::answered(reply), client.accepted).await;
        if let Some(id) = session.and_then(|id| HeaderValue::try_from(id).ok()) {
            response.headers_mut().insert(legacy::SESSION_ID, id);
        }
        Ok(response)
    }

    /// Answers an array, which is a batch in one of the older revisions and a mistake elsewhere.
    async fn batch(
        &self,
        text: Bytes,
        client: &Client,
        settings: &Settings,
    ) -> Result<Response<ReplyBody>, Refusal> {
        if settings.legacy && legacy::is_legacy(client.headers.map()) {
            match self.sessions.batch(client, &text, settings)? {
                Batched::Response(reader) => {
                    return Ok(self.respond_in_session(reader, client.accepted).await);
                }
                Batched::Taken => return Ok(response::taken()),
                Batched::NoBatch => {}
            }
        }
        match Frame::scan(text, settings.max_depth) {
            Err(fault) => Ok(response::json(fault.answer())),
            Ok(_) => Ok(response::taken()),
        }
    }

    async fn respond_in_session(&self, mut reader: StreamReader, accepted: Accepted) -> Response<ReplyBody> {
        let begun = response::begin(accepted, self.keep_alive, |cx| reader.poll_begin(cx)).await;
        let begins_silent = match begun {
            Some(Start::With(Beginning::Json(answer))) => return response::json(answer),
            Some(Start::Nothing) if !accepted.events => return response::taken(),
            // Where nothing comes, a client that accepts a stream gets one without an answer.
            Some(Start::Nothing | Start::With(Beginning::Events)) => false,
            None => !reader.has_opening(),
        };
        response::events(reader, self.keep_alive, begins_silent)
    }
}

/// What a client of the transport of revision 2024-11-05 wants.
fn admit_sse(sse: &Arc<SseEndpoint>, parts: &Parts) -> Result<OtherErrand, Refusal> {
    match parts.method {
        Method::OPTIONS => Ok(OtherErrand::Permission),
        Method::GET => {
            let accepted = accept::check(&parts.headers)?;
            accept::check_events(accepted)?;
            Ok(OtherErrand::OpenSse(sse.clone(), accepted))
        }
        Method::POST => {
            content_type::check(&parts.headers)?;
            Ok(OtherErrand::SendSse(sse.clone()))
        }
        _ => Err(method::refuse(&parts.method)),
    }
}

fn unexpected_response() -> Answer {
    let message = "no request of this server waits for a response here";
    ProtocolError::new(ErrorCode::INVALID_REQUEST, message).answer(None)
}
