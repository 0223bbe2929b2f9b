//! The ids of events, by which a client says where it was when a stream broke off: which stream of its session, and
//! which event on it.
//!
//! An id is good within its session alone, whose own id is what nobody can guess.
//!
//! Specification: 2025-11-25, Streamable HTTP, "Resumability and Redelivery".

use std::fmt;

/// One stream of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum StreamId {
    /// The response to a POST.
    Response(u64),
    /// The response to a GET: the client listens for what belongs to no request of its own.
    Listening(u64),
}

/// One event of a stream. They are numbered from 1; 0 is where a stream begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventId {
    /// The stream.
    pub stream: StreamId,
    /// The number.
    pub number: u64,
}

impl EventId {
    /// Reads an id as [`fmt::Display`] writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let (stream, number) = text.split_once('-')?;
        let stream = match stream.split_at_checked(1)? {
            ("r", digits) => StreamId::Response(decimal(digits)?),
            ("l", digits) => StreamId::Listening(decimal(digits)?),
            _ => return None,
        };
        Some(EventId { stream, number: decimal(number)? })
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, stream) = match self.stream {
            StreamId::Response(stream) => ('r', stream),
            StreamId::Listening(stream) => ('l', stream),
        };
        write!(f, "{kind}{stream}-{}", self.number)
    }
}

fn decimal(digits: &str) -> Option<u64> {
    // `parse` would take a sign.
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes_and_nothing_else() {
        for stream in [StreamId::Response(0), StreamId::Listening(12), StreamId::Response(u64::MAX)] {
            let id = EventId { stream, number: 345 };
            assert_eq!(EventId::parse(&id.to_string()), Some(id));
        }
        for text in ["", "r", "r1", "r1-", "r-1", "x1-1", "r1-+1", "r+1-1", "r1-1-1", "r1-1 ", "é1-1", "5"] {
            assert_eq!(EventId::parse(text), None, "{text}");
        }
    }
}
