//! Texts that C borrows from a call: NUL-terminated copies that stay where they are until the call goes.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::c_char;

use mcp_core::runtime::lock::Mutex;

/// Which text of a thing was borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Form {
    /// Its bytes as they are.
    Raw,
    /// The JSON text of an argument, which is found anew each time.
    Json,
    /// The values of a header that has several lines.
    Joined,
}

/// The copies, each made once: by where the original lies and how long it is, as it does not move while the
/// call lives.
#[derive(Default)]
pub struct BorrowedTexts(Mutex<BTreeMap<Original, Box<[u8]>>>);

/// The address and the size of what was copied.
type Original = (usize, usize, Form);

impl BorrowedTexts {
    /// The NUL-terminated copy of `original`, and its length without the NUL.
    pub fn keep(&self, original: impl AsRef<[u8]>, form: Form) -> (*const c_char, usize) {
        let original = original.as_ref();
        self.keep_made(original, form, || Cow::Borrowed(original))
    }

    /// The same, for a text that `make` makes from `original`.
    pub fn keep_made<'a, T: ?Sized>(
        &self,
        original: &T,
        form: Form,
        make: impl FnOnce() -> Cow<'a, [u8]>,
    ) -> (*const c_char, usize) {
        let place = (std::ptr::from_ref(original).addr(), std::mem::size_of_val(original), form);
        let mut texts = self.0.lock();
        let text = texts.entry(place).or_insert_with(|| terminated(&make()));
        (text.as_ptr().cast(), text.len() - 1)
    }
}

fn terminated(text: &[u8]) -> Box<[u8]> {
    let mut copy = Vec::with_capacity(text.len() + 1);
    copy.extend_from_slice(text);
    copy.push(0);
    copy.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_a_text_once_and_terminates_it() {
        let texts = BorrowedTexts::default();
        let original = String::from("abc");
        let (first, len) = texts.keep(&original, Form::Raw);
        assert_ne!(texts.keep(&original[..2], Form::Raw).0, first);
        assert_eq!((texts.keep(&original, Form::Raw), len), ((first, 3), 3));
        // SAFETY: the copy has four bytes and lives as long as `texts`.
        assert_eq!(unsafe { std::slice::from_raw_parts(first.cast::<u8>(), 4) }, b"abc\0");
    }
}
