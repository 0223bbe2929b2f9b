//! JSON-RPC batches: several messages in one array, which one revision has.
//!
//! Specification: 2025-03-26, basic, "Batching".

use bytes::Bytes;

use super::json_scan::{JsonFault, Scanner};
use super::message::Message;

/// Messages that one batch may hold.
pub const MAX_MESSAGES: usize = 1000;

/// The messages of a batch; `None` if `text` is no array, is not JSON, or holds none or too many: it is then to be
/// taken, and refused, as a single message.
pub fn messages(text: &Bytes) -> Option<Vec<Bytes>> {
    let start = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut scanner = Scanner::new(text, start);
    if scanner.peek() != Some(b'[') {
        return None;
    }
    let mut messages = Vec::new();
    scanner
        .array::<JsonFault>(|scanner| {
            let span = scanner.value()?;
            if messages.len() <= MAX_MESSAGES {
                messages.push(text.slice(span.start..span.end));
            }
            Ok(())
        })
        .ok()?;
    scanner.end().ok()?;
    (1..=MAX_MESSAGES).contains(&messages.len()).then_some(messages)
}

/// The answers to a batch, as one message.
pub fn join(answers: &[Message]) -> Message {
    let mut out = Vec::with_capacity(answers.iter().map(|answer| answer.len() + 1).sum::<usize>() + 1);
    out.push(b'[');
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        answer.append_to(&mut out);
    }
    out.push(b']');
    Message::whole(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn takes_a_batch_apart_and_joins_its_answers() {
        let text = Bytes::from_static(b" [{\"a\":[1,2]}, 5 ,{}] ");
        assert_eq!(messages(&text).unwrap(), ["{\"a\":[1,2]}", "5", "{}"]);
        assert_eq!(messages(&Bytes::from_static(b"\xEF\xBB\xBF[1]")).unwrap(), ["1"]);
        for single in ["{}", "[]", "[1", "[1] 2", "", "5"] {
            assert!(messages(&Bytes::from_static(single.as_bytes())).is_none(), "{single}");
        }
        let many = format!("[{}0]", "0,".repeat(MAX_MESSAGES));
        assert!(messages(&Bytes::from(many)).is_none());
        let joined = join(&[Message::whole(b"{}".to_vec()), Message::whole(b"1".to_vec())]);
        assert_eq!(joined.parts().concat(), b"[{},1]");
    }
}
