//! What a client of the older revisions sends to the endpoint, taken to its session.
//!
//! Specification: 2025-11-25, Streamable HTTP.

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;

use super::batch::{self, Batch};
use super::http_session::{Arrived, InUse, NotTaken};
use super::session_headers;
use super::sessions::Sessions;
use super::stream_reader::StreamReader;
use super::stream_reply::Place;
use crate::protocol::batch::messages;
use crate::protocol::frame::{Notification, Request, Response};
use crate::server::engine::{Incoming, Server};
use crate::server::legacy::session::Session;
use crate::server::settings::Settings;
use crate::transport::http::accept;
use crate::transport::http::client::Client;
use crate::transport::http::http_reply::Reply;
use crate::transport::http::refusal::Refusal;

/// An `initialize` that was answered.
pub struct Introduced {
    /// The answer.
    pub reply: Arc<Reply>,
    /// The id of the session that it opened; `None` if it failed.
    pub session: Option<String>,
}

/// What became of an array.
pub enum Batched {
    /// A batch; this reads the response.
    Response(StreamReader),
    /// A batch in which nothing is to be answered.
    Taken,
    /// No batch: there is no session, or its revision has none, or the array is empty or too long.
    NoBatch,
}

impl Sessions {
    /// Answers `initialize`, the request that needs no session, and opens one.
    pub fn introduce(
        self: &Arc<Self>,
        client: &Client,
        request: Request,
        server: &Arc<Server>,
    ) -> Result<Introduced, Refusal> {
        let reply = Arc::new(Reply::new(client.accepted));
        let streams = self.streams();
        let incoming = Incoming {
            request,
            headers: Some(client.headers.clone()),
            principal: client.principal.clone(),
            outbox: reply.clone(),
            overloaded: false,
        };
        let opened = Session::initialize(server, incoming, streams.clone());
        let session = match opened {
            Some(session) => Some(self.open(session, streams).ok_or_else(no_room)?),
            None => None,
        };
        Ok(Introduced { reply, session })
    }

    /// Takes a request to its session. An inline handler runs before this returns. What is returned reads the
    /// response.
    pub fn request(
        &self,
        client: &Client,
        request: Request,
        settings: &Settings,
    ) -> Result<StreamReader, Refusal> {
        // A client that begins has not settled its revision, and cannot name the right one.
        let session = match request.method.as_str() {
            "initialize" => self.named_by(client)?,
            _ => self.session_of(client)?,
        };
        let hold = session.streams().respond();
        let reader = StreamReader::of_response(session.clone(), hold, client.accepted);
        let arrived = Arrived {
            request,
            headers: client.headers.clone(),
            principal: client.principal.clone(),
            events: client.accepted.events,
            hold,
            place: Place::Stream,
        };
        match session.take(arrived, settings.max_in_flight_per_connection) {
            Ok(()) => Ok(reader),
            Err(NotTaken::IdInUse(id, _)) => {
                Err(Refusal::new(StatusCode::BAD_REQUEST, batch::id_in_use(&id).message))
            }
            Err(NotTaken::Ended) => Err(no_session()),
        }
    }

    /// Takes a notification to its session.
    pub fn notification(&self, client: &Client, notification: &Notification) -> Result<(), Refusal> {
        self.session_of(client)?.notification(notification);
        Ok(())
    }

    /// Takes the answer to a request of the server's to its session.
    pub fn response(&self, client: &Client, response: Response) -> Result<(), Refusal> {
        self.session_of(client)?.session().response(response);
        Ok(())
    }

    /// Takes a body that is an array to its session.
    pub fn batch(&self, client: &Client, text: &Bytes, settings: &Settings) -> Result<Batched, Refusal> {
        if !session_headers::names_session(client.headers.map()) {
            return Ok(Batched::NoBatch);
        }
        let session = self.session_of(client)?;
        let batches = session.session().revision().has_batches();
        let Some(messages) = batches.then(|| messages(text)).flatten() else { return Ok(Batched::NoBatch) };
        let batch = Batch {
            messages,
            headers: client.headers.clone(),
            principal: client.principal.clone(),
            events: client.accepted.events,
        };
        Ok(match batch.take(&session, settings)? {
            Some(hold) => Batched::Response(StreamReader::of_response(session, hold, client.accepted)),
            None => Batched::Taken,
        })
    }

    /// Opens a stream for what belongs to no request, or takes one up again where it broke off.
    pub fn listen(&self, client: &Client) -> Result<StreamReader, Refusal> {
        let session = self.session_of(client)?;
        accept::check_events(client.accepted)?;
        match session_headers::last_event(client.headers.map())? {
            None => StreamReader::listening(session, client.accepted).ok_or_else(no_session),
            Some(id) => {
                let message =
                    "nothing follows the event that Last-Event-ID names: its stream is over or forgotten";
                let reader = StreamReader::resuming(session, id, client.accepted);
                // Not 404, which would mean the session.
                reader.ok_or_else(|| Refusal::new(StatusCode::BAD_REQUEST, message))
            }
        }
    }

    /// Ends the session.
    pub fn leave(&self, client: &Client) -> Result<(), Refusal> {
        drop(self.session_of(client)?);
        let id = session_headers::session_id(client.headers.map())?.unwrap_or_default();
        if self.end(id, client.principal.as_deref()) { Ok(()) } else { Err(no_session()) }
    }

    /// The session that the client names, in the session's revision.
    fn session_of(&self, client: &Client) -> Result<InUse, Refusal> {
        let session = self.named_by(client)?;
        session_headers::check_revision(client.headers.map(), session.session().revision())?;
        Ok(session)
    }

    fn named_by(&self, client: &Client) -> Result<InUse, Refusal> {
        let Some(id) = session_headers::session_id(client.headers.map())? else {
            let message = "the header Mcp-Session-Id is missing: initialize opens a session and answers with its id \
                           (revisions up to 2025-11-25); a request of 2026-07-28 needs none, but names that \
                           revision in params._meta";
            return Err(Refusal::new(StatusCode::BAD_REQUEST, message));
        };
        self.find(id, client.principal.as_deref()).ok_or_else(no_session)
    }
}

fn no_session() -> Refusal {
    let message =
        "there is no such session (any more); begin another with initialize, without Mcp-Session-Id";
    Refusal::new(StatusCode::NOT_FOUND, message)
}

fn no_room() -> Refusal {
    Refusal::busy("the server has as many sessions open as max_sessions allows; try again later")
}
