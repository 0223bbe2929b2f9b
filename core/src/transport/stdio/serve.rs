//! Serves a server over a pair of streams: reads lines, hands requests in, writes answers.
//!
//! One thread does both, and inline handlers run on it. It never blocks in a read or a write, so a client
//! that is slow to read its answers can still cancel; only past [`MAX_UNSENT_BYTES`] must it read first.
//!
//! Specification: basic/transports/stdio.

use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{io, mem};

use super::connection::Connection;
use super::line_reader::{Line, LineReader, Read};
use super::output_queue::{OutputQueue, Written};
use super::output_stream::OutputStream;
use super::owned_streams::{OwnedStreams, StreamsFault};
use super::readiness::{self, Interest, Ready};
use crate::host_error::HostError;
use crate::runtime::library_thread;
use crate::server::engine::Server;
use crate::transport::channel::{Channel, MAX_UNSENT_BYTES};

/// Answers that are ready within this time of one another share one write.
const SHARED_WRITE: Duration = Duration::from_micros(200);

/// The stack of the thread, in bytes: inline handlers run on it.
const STACK: usize = 8 << 20;

/// Serves `server` on standard input and output until the input ends or the server is shut down, and
/// returns when every answer is out or the drain bound is over.
///
/// While it serves, descriptor 0 is /dev/null and descriptor 1 standard error.
pub fn serve(server: &Arc<Server>) -> Result<(), HostError> {
    serve_flushing(server, &|| {})
}

/// Serves as [`serve`] does, for a language that keeps a buffer of its own for standard output, beside that of C: `flush`
/// is to empty it. It is called on this thread, right after the streams were taken and before they are given back.
pub fn serve_flushing(server: &Arc<Server>, flush: &dyn Fn()) -> Result<(), HostError> {
    server.check_process()?;
    server.check_may_wait()?;
    let streams = OwnedStreams::take().map_err(|fault| match fault {
        StreamsFault::AlreadyTaken => HostError::Busy(fault.to_string()),
        _ => HostError::Io(fault.to_string()),
    })?;
    serve_streams(server, streams, flush)
}

/// Serves `server` on a pair of streams, as [`serve_flushing`] does on the standard ones.
fn serve_streams(server: &Arc<Server>, streams: OwnedStreams, flush: &dyn Fn()) -> Result<(), HostError> {
    flush();
    let streams = Arc::new(streams);
    let failed = |error: io::Error| HostError::Io(format!("cannot serve the streams: {error}"));
    let channel = Channel::new(server, Connection::new().map_err(failed)?);
    let serving = server.services().begin(channel.clone())?;
    let loop_ = IoLoop {
        reader: LineReader::new(channel.settings().max_message_bytes),
        output: OutputStream::new(streams.output()).map_err(failed)?,
        channel,
        sending: OutputQueue::new(),
        reading: true,
        deadline: None,
        unsent_since: None,
    };
    let served = streams.clone();
    let thread = library_thread::spawn("mcp-stdio", STACK, move || {
        let result = loop_.run(&served);
        drop(served);
        result
    });
    let result = thread.map_err(failed)?.join();
    flush();
    drop(streams);
    drop(serving);
    match result {
        Ok(result) => result.map_err(failed),
        Err(_) => Err(HostError::Io("the thread that serves the streams panicked".into())),
    }
}

struct IoLoop {
    channel: Arc<Channel<Connection>>,
    reader: LineReader,
    output: OutputStream,
    /// What is being written; the rest waits in the channel.
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
        self.channel.abandon();
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
                    Read::End => self.begin_end(Instant::now() + self.channel.settings().drain),
                }
            }
        }
    }

    fn wait(&self, streams: &OwnedStreams, blocked: bool) -> io::Result<Ready> {
        let wakeup = self.channel.sink().wakeup();
        wakeup.about_to_wait();
        if !blocked && self.channel.unsent_bytes() > 0 || self.has_news() {
            wakeup.awake();
            return Ok(Ready::default());
        }
        let full = self.sending.waiting() + self.channel.unsent_bytes() > MAX_UNSENT_BYTES;
        let interest = Interest {
            input: (self.reading && !full).then(|| streams.input()),
            output: self.output.descriptor(),
            writing: blocked,
            until: self.deadline,
        };
        readiness::wait(interest, wakeup)
    }

    /// Whether the connection was told to stop, or its last call was answered, since this was looked at.
    fn has_news(&self) -> bool {
        let stop = self.channel.sink().stop_deadline();
        stop.is_some_and(|stop| self.deadline.is_none_or(|deadline| stop < deadline))
            || self.deadline.is_some() && self.channel.open_requests() == 0 && self.sending.is_empty()
    }

    fn heed_stop(&mut self) {
        if let Some(stop) = self.channel.sink().stop_deadline() {
            self.begin_end(stop);
        }
    }

    /// Reads no more, ends the subscriptions and what waits for the client, and gives the other calls until `deadline`.
    fn begin_end(&mut self, deadline: Instant) {
        if self.deadline.is_none() {
            // At the end of the input the lines that were read are still to be taken.
            while let Some(line) = self.reader.next_line() {
                self.take(line);
            }
            self.channel.conclude();
        }
        self.reading = false;
        self.deadline = Some(self.deadline.map_or(deadline, |before| before.min(deadline)));
    }

    fn is_over(&self, blocked: bool) -> bool {
        let Some(deadline) = self.deadline else { return false };
        let nothing_left = self.channel.open_requests() == 0 && self.channel.unsent_bytes() == 0 && !blocked;
        nothing_left || Instant::now() >= deadline
    }

    fn flush_if_due(&mut self) -> io::Result<()> {
        if self.channel.unsent_bytes() == 0 {
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
                self.channel.take_outgoing(|queue| mem::swap(queue, &mut self.sending));
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
            Line::Message(text) => self.channel.receive(text, None),
            Line::TooLong { limit } => self.channel.refuse_too_long(limit),
        }
    }
}

fn is_disconnect(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}
