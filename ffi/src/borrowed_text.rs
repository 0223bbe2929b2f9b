//! Texts that C borrows from a call: NUL-terminated copies that stay where they are until the call goes.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::c_char;

use mcp_core::runtime::lock::Mutex;

/// The copies, each made once.
#[derive(Default)]
pub struct BorrowedTexts {
    copies: Mutex<BTreeMap<Original, Box<[u8]>>>,
    /// Copies of what may change or go while the call lives, each content once.
    passing: Mutex<BTreeSet<Box<[u8]>>>,
}

/// What was copied.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Original {
    /// Bytes of the call, which do not move while it lives, by their address and their number. Two that are
    /// empty may share an address, and one copy.
    Bytes(usize, usize),
    /// The JSON text of the argument at an address, which has a size and so the address for itself.
    Json(usize),
    /// The values of a header, by its name in lower case.
    Header(Box<str>),
}

impl BorrowedTexts {
    /// The NUL-terminated copy of `original`, bytes of the call, and its length without the NUL.
    pub fn keep(&self, original: impl AsRef<[u8]>) -> (*const c_char, usize) {
        let original = original.as_ref();
        self.keep_made(Original::Bytes(original.as_ptr().addr(), original.len()), || original.to_vec())
    }

    /// The same, for the JSON text of an argument of the call.
    pub fn keep_json(
        &self,
        argument: &serde_json::Value,
        make: impl FnOnce() -> Vec<u8>,
    ) -> (*const c_char, usize) {
        self.keep_made(Original::Json(std::ptr::from_ref(argument).addr()), make)
    }

    /// The same, for the values of the call's header `name`, in lower case.
    pub fn keep_header(&self, name: String, make: impl FnOnce() -> Vec<u8>) -> (*const c_char, usize) {
        self.keep_made(Original::Header(name.into()), make)
    }

    /// The same, for a text that need not stay where it is, nor as it is.
    pub fn keep_passing(&self, text: impl Into<Vec<u8>>) -> (*const c_char, usize) {
        let text = terminated(text.into());
        let mut passing = self.passing.lock();
        if let Some(kept) = passing.get(&text) {
            return (kept.as_ptr().cast(), kept.len() - 1);
        }
        // The text stays where it is when its owner moves.
        let lent = (text.as_ptr().cast(), text.len() - 1);
        passing.insert(text);
        lent
    }

    fn keep_made(&self, original: Original, make: impl FnOnce() -> Vec<u8>) -> (*const c_char, usize) {
        let mut texts = self.copies.lock();
        let text = texts.entry(original).or_insert_with(|| terminated(make()));
        (text.as_ptr().cast(), text.len() - 1)
    }
}

fn terminated(mut text: Vec<u8>) -> Box<[u8]> {
    text.reserve_exact(1);
    text.push(0);
    text.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_a_text_once_and_terminates_it() {
        let texts = BorrowedTexts::default();
        let original = String::from("abc");
        let (first, len) = texts.keep(&original);
        assert_ne!(texts.keep(&original[..2]).0, first);
        assert_eq!((texts.keep(&original), len), ((first, 3), 3));
        // SAFETY: the copy has four bytes and lives as long as `texts`.
        assert_eq!(unsafe { std::slice::from_raw_parts(first.cast::<u8>(), 4) }, b"abc\0");
    }

    #[test]
    fn keeps_what_a_passing_text_was_and_what_it_became() {
        let texts = BorrowedTexts::default();
        let (first, _) = texts.keep_passing("one");
        let (second, len) = texts.keep_passing("three");
        assert_eq!(texts.keep_passing(b"one".to_vec()), (first, 3));
        assert_eq!((texts.keep_passing("three"), len), ((second, 5), 5));
        // SAFETY: the copies have their bytes and a NUL, and live as long as `texts`.
        let read = |start: *const c_char, len| unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) };
        assert_eq!((read(first, 4), read(second, 6)), (b"one\0".as_slice(), b"three\0".as_slice()));
    }

    #[test]
    fn tells_headers_apart_whose_first_values_are_empty() {
        let texts = BorrowedTexts::default();
        let (first, len) = texts.keep_header("a".into(), || b", one".to_vec());
        assert_eq!(len, 5);
        assert_ne!(texts.keep_header("b".into(), Vec::new).0, first);
        assert_eq!(texts.keep_header("a".into(), Vec::new), (first, 5));
    }
}
