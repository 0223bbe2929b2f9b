//! Serves a server over a pair of streams: reads lines, hands requests in, writes answers.
//!
//! One thread does both, and inline handlers run on it. It never blocks in a read or a write, so a client
//! that is slow to read its answers can still cancel; only past [`MAX_UNSENT_BYTES`] must it read first.
//!
//! Specification: basic/transports/stdio.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::connection::{Connection, MAX_UNSENT_BYTES, Reply};
use super::line_reader::{Line, LineReader, Read};
use super::output_queue::{OutputQueue, Written};
use super::output_stream::OutputStream;
use super::owned_streams::{OwnedStreams, StreamsFault};
use super::readiness::{self, Interest, Ready};
use crate::host_error::HostError;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::{Frame, Notification, Request};
use crate::runtime::{library_log, library_thread};
use crate::server::engine::{Incoming, Server};
use crate::server::in_flight::Handled;
use crate::server::settings::Settings;

/// Answers that are ready within this time of one another share one write.
const SHARED_WRITE: Duration = Duration::from_micros(200);

/// The stack of the thread, in bytes: inline handlers run on it.
const STACK: usize = 8 << 20;

/// Serves `server` on standard input and output until the input ends or the server is shut down, and
/// returns when every answer is out or the drain bound is over.
///
/// While it serves, descriptor 0 is /dev/null and descriptor 1 standard error.
pub fn serve(server: &Arc<Server>) -> Result<(), HostError> {
    server.check_process()?;
    server.check_may_wait()?;
    let streams = OwnedStreams::take().map_err(|fault| match fault {
        StreamsFault::AlreadyTaken => HostError::Busy(fault.to_string()),
        _ => HostError::Io(fault.to_string()),
    })?;
    serve_streams(server, streams)
}

/// Serves `server` on a pair of streams, as [`serve`] does on the standard ones.
pub fn serve_streams(server: &Arc<Server>, streams: OwnedStreams) -> Result<(), HostError> {
    let failed = |error: io::Error| HostError::Io(format!("cannot serve the streams: {error}"));
    let connection = Connection::new().map_err(failed)?;
    let serving = server.services().begin(connection.clone())?;
    let settings = server.settings();
    let loop_ = IoLoop {
        reader: LineReader::new(settings.max_message_bytes),
        output: OutputStream::new(streams.output()).map_err(failed)?,
        server: server.clone(),
        settings,
        connection,
        sending: OutputQueue::new(),
        reading: true,
        deadline: None,
        unsent_since: None,
    };
    let thread = library_thread::spawn("mcp-stdio", STACK, move || {
        let result = loop_.run(&streams);
        drop(streams);
        result
    });
    let result = thread.map_err(failed)?.join();
    drop(serving);
    match result {
        Ok(result) => result.map_err(failed),
        Err(_) => Err(HostError::Io("the thread that serves the streams panicked".into())),
    }
}

struct IoLoop {
    server: Arc<Server>,
    settings: Arc<Settings>,
    connection: Arc<Connection>,
    reader: LineReader,
    output: OutputStream,
    /// What is being written; the rest waits in the connection.
    sending: OutputQueue,
    reading: bool,
    /// When to be over, once the end has begun.
    deadline: Option<Instant>,
    /// When the oldest message that is not yet written was made.
    unsent_since: Option<Instant>,
}

impl IoLoop {
    fn run(mut self, streams: &OwnedStreams) -> io::Result<()> {
        let result = self.serve(streams);
        // Whoever has no answer now gets none.
        self.connection.abandon(true);
        match result {
            // The client went away: that is an end like any other.
            Err(error) if is_disconnect(&error) => Ok(()),
            other => other,
        }
    }

    fn serve(&mut self, streams: &OwnedStreams) -> io::Result<()> {
        loop {
            while let Some(line) = self.reader.next_line() {
                self.take(line);
                self.flush_if_due()?;
            }
            let blocked = self.flush()? == Written::Blocked;
            self.heed_stop();
            if self.is_over(blocked) {
                return Ok(());
            }
            let ready = self.wait(streams, blocked)?;
            if ready.output_gone {
                return Err(io::ErrorKind::BrokenPipe.into());
            }
            if ready.input && self.reading {
                match self.reader.read_from(streams.input())? {
                    Read::Bytes | Read::Nothing => {}
                    Read::End => self.begin_end(Instant::now() + self.settings.drain),
                }
            }
        }
    }

    fn wait(&self, streams: &OwnedStreams, blocked: bool) -> io::Result<Ready> {
        self.connection.wakeup().about_to_wait();
        if !blocked && self.connection.unsent_bytes() > 0 || self.has_news() {
            self.connection.wakeup().awake();
            return Ok(Ready::default());
        }
        let full = self.sending.waiting() + self.connection.unsent_bytes() > MAX_UNSENT_BYTES;
        let interest = Interest {
            input: (self.reading && !full).then(|| streams.input()),
            output: self.output.descriptor(),
            writing: blocked,
            until: self.deadline,
        };
        readiness::wait(interest, self.connection.wakeup())
    }

    /// Whether the connection was told to stop, or its last call was answered, since this was looked at.
    fn has_news(&self) -> bool {
        let stop = self.connection.stop_deadline();
        stop.is_some_and(|stop| self.deadline.is_none_or(|deadline| stop < deadline))
            || self.deadline.is_some() && self.connection.open_requests() == 0 && self.sending.is_empty()
    }

    fn heed_stop(&mut self) {
        if let Some(stop) = self.connection.stop_deadline() {
            self.begin_end(stop);
        }
    }

    /// Reads no more, ends the subscriptions, and gives the calls until `deadline`.
    fn begin_end(&mut self, deadline: Instant) {
        if self.deadline.is_none() {
            // At the end of the input the lines that were read are still to be taken.
            while let Some(line) = self.reader.next_line() {
                self.take(line);
            }
            self.connection.conclude_subscriptions();
        }
        self.reading = false;
        self.deadline = Some(self.deadline.map_or(deadline, |before| before.min(deadline)));
    }

    fn is_over(&self, blocked: bool) -> bool {
        let Some(deadline) = self.deadline else { return false };
        let nothing_left =
            self.connection.open_requests() == 0 && self.connection.unsent_bytes() == 0 && !blocked;
        nothing_left || Instant::now() >= deadline
    }

    fn flush_if_due(&mut self) -> io::Result<()> {
        if self.connection.unsent_bytes() == 0 {
            return Ok(());
        }
        let now = Instant::now();
        let since = *self.unsent_since.get_or_insert(now);
        if now.duration_since(since) >= SHARED_WRITE {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<Written> {
        self.unsent_since = None;
        loop {
            if self.sending.is_empty() {
                self.connection.take_outgoing(&mut self.sending);
            }
            if self.sending.is_empty() {
                return Ok(Written::All);
            }
            if self.sending.write_to(&self.output)? == Written::Blocked {
                return Ok(Written::Blocked);
            }
        }
    }

    fn take(&self, line: Line) {
        match line {
            Line::Message(text) => self.take_message(text),
            Line::TooLong { limit } => {
                let message = format!(
                    "a message of more than {limit} bytes was dropped; the option max_message_bytes sets the limit"
                );
                let error = ProtocolError::new(ErrorCode::INVALID_REQUEST, message);
                self.connection.send(error.answer(None).message);
            }
        }
    }

    fn take_message(&self, text: Bytes) {
        match Frame::scan(text, self.settings.max_depth) {
            Ok(Frame::Request(request)) => self.take_request(request),
            Ok(Frame::Notification(notification)) => self.take_notification(&notification),
            Ok(Frame::Response(_)) => {
                library_log::debug(format_args!("an answer to no request was passed over"))
            }
            Err(fault) if fault.is_notification => {
                library_log::debug(format_args!(
                    "a malformed notification was passed over: {}",
                    fault.message()
                ));
            }
            Err(fault) => self.connection.send(fault.answer().message),
        }
    }

    fn take_request(&self, request: Request) {
        let id = request.id.clone();
        let overloaded = self.connection.open_requests() >= self.settings.max_in_flight_per_connection;
        if !self.connection.begin(&id) {
            // With the id, the client would take this for the answer of the first.
            let message = format!("the id {id} belongs to a request that has no answer yet; use another");
            let error = ProtocolError::new(ErrorCode::INVALID_REQUEST, message);
            return self.connection.send(error.answer(None).message);
        }
        let outbox = Arc::new(Reply::new(self.connection.clone(), id.clone()));
        let incoming = Incoming { request, headers: None, principal: None, outbox, overloaded };
        if let Handled::Running(in_flight) = self.server.handle(incoming) {
            self.connection.attach(&id, in_flight);
        }
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
            self.connection.cancel(&id);
        }
    }
}

fn is_disconnect(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}
