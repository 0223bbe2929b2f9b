//! Which kinds of answer a client accepts: one JSON object, a stream of events, or both.
//!
//! Clients must name both types. Many deployed ones name one, or `*/*`, or nothing: each is served with what
//! it can take, and refused only when it can take neither.
//!
//! Specification: Streamable HTTP, "Sending Messages"; RFC 9110, 12.5.1.

use http::StatusCode;
use http::header::{ACCEPT, HeaderMap};

use super::refusal::Refusal;

/// What a client accepts. At least one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    /// `application/json`
    pub json: bool,
    /// `text/event-stream`
    pub events: bool,
}

/// Reads the `Accept` headers; refuses a client that takes neither type.
pub(super) fn check(headers: &HeaderMap) -> Result<Accepted, Refusal> {
    let mut json = Preference::default();
    let mut events = Preference::default();
    let mut named = false;
    for value in headers.get_all(ACCEPT) {
        for range in value.as_bytes().split(|&byte| byte == b',') {
            let Some(range) = Range::parse(range) else { continue };
            named = true;
            json.weigh(&range, "application", "json");
            events.weigh(&range, "text", "event-stream");
        }
    }
    let accepted = Accepted { json: json.accepted || !named, events: events.accepted || !named };
    if accepted.json || accepted.events {
        return Ok(accepted);
    }
    let message = "answers are application/json or text/event-stream, and the Accept header allows neither";
    Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, message))
}

/// Refuses a method that only a stream can answer to a client that takes none: a subscription is acknowledged,
/// and told changes, before its result.
pub(super) fn check_method(accepted: Accepted, method: &str) -> Result<(), Refusal> {
    if method == "subscriptions/listen" && !accepted.events {
        let message =
            "subscriptions/listen is answered by text/event-stream, which the Accept header does not allow";
        return Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, message));
    }
    Ok(())
}

/// Refuses a client that listens, and takes no stream.
pub(super) fn check_events(accepted: Accepted) -> Result<(), Refusal> {
    if accepted.events {
        return Ok(());
    }
    let message = "a GET is answered by text/event-stream, which the Accept header does not allow";
    Err(Refusal::new(StatusCode::NOT_ACCEPTABLE, message))
}

/// One element of an `Accept` header.
struct Range<'a> {
    kind: &'a str,
    subtype: &'a str,
    refused: bool,
}

impl<'a> Range<'a> {
    fn parse(text: &'a [u8]) -> Option<Self> {
        let mut parts = std::str::from_utf8(text).ok()?.split(';');
        let (kind, subtype) = parts.next()?.trim().split_once('/')?;
        Some(Range { kind, subtype, refused: parts.any(is_zero_weight) })
    }
}

/// Whether `parameter` is `q=0`, `q=0.0` and so on: "not acceptable".
fn is_zero_weight(parameter: &str) -> bool {
    parameter
        .split_once('=')
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"))
        .is_some_and(|(_, weight)| weight.trim().parse::<f32>().is_ok_and(|weight| weight == 0.0))
}

/// What the most specific range so far says of one type.
#[derive(Default)]
struct Preference {
    specificity: u8,
    accepted: bool,
}

impl Preference {
    fn weigh(&mut self, range: &Range<'_>, kind: &str, subtype: &str) {
        let specificity = match (range.kind, range.subtype) {
            ("*", "*") => 1,
            (k, "*") if k.eq_ignore_ascii_case(kind) => 2,
            (k, s) if k.eq_ignore_ascii_case(kind) && s.eq_ignore_ascii_case(subtype) => 3,
            _ => return,
        };
        if specificity >= self.specificity {
            *self = Preference { specificity, accepted: !range.refused };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use http::HeaderValue;

    use super::*;

    fn accepted(values: &[&str]) -> Option<(bool, bool)> {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(ACCEPT, HeaderValue::from_str(value).unwrap());
        }
        check(&headers).ok().map(|accepted| (accepted.json, accepted.events))
    }

    #[test]
    fn serves_every_client_with_what_it_can_take() {
        let cases: &[(&[&str], (bool, bool))] = &[
            (&[], (true, true)),
            (&[""], (true, true)),
            (&["*/*"], (true, true)),
            (&["application/json, text/event-stream"], (true, true)),
            (&["text/event-stream, application/json"], (true, true)),
            (&["application/json", "text/event-stream"], (true, true)),
            (&["APPLICATION/JSON, Text/Event-Stream"], (true, true)),
            (&["application/*, text/event-stream;q=0.5"], (true, true)),
            (&["application/json"], (true, false)),
            (&["application/json; charset=utf-8"], (true, false)),
            (&["application/*"], (true, false)),
            (&["text/event-stream"], (false, true)),
            (&["text/*;q=0.1"], (false, true)),
            (&["application/json, text/event-stream;q=0"], (true, false)),
            (&["*/*, application/json; Q = 0.000"], (false, true)),
            (&["application/json;q=0, */*"], (false, true)),
            (&["text/html, */*;q=0.1"], (true, true)),
        ];
        for (values, expected) in cases {
            assert_eq!(accepted(values), Some(*expected), "{values:?}");
        }
    }

    #[test]
    fn refuses_a_client_that_takes_neither() {
        for values in
            [&["text/html"][..], &["*/*;q=0"], &["application/xml", "image/*"], &["application/json;q=0"]]
        {
            assert_eq!(accepted(values), None, "{values:?}");
        }
    }
}
