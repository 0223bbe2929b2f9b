#![allow(missing_docs)]
use std::borrow::Cow;
pub fn decode(raw: &[u8]) -> Result<Cow<'_, str>, String> {
    std::str::from_utf8(raw).map(Cow::Borrowed).map_err(|e| e.to_string())
}
