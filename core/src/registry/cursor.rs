//! The cursor between two pages: the key of the last item served, so that pages stay right when items
//! come and go.
//!
//! Specification: server/utilities/pagination.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::list_kind::ListKind;

/// The cursor behind the item `last` of a list.
pub fn encode(list: ListKind, last: &str) -> String {
    let mut bytes = checksum(list, last).to_be_bytes().to_vec();
    bytes.extend_from_slice(last.as_bytes());
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The key in `cursor`, or `None` if it is no cursor of this list.
pub fn decode(list: ListKind, cursor: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
    let (sum, key) = bytes.split_first_chunk::<4>()?;
    let key = std::str::from_utf8(key).ok()?;
    (u32::from_be_bytes(*sum) == checksum(list, key)).then(|| key.into())
}

/// FNV-1a. It tells our cursors from mistakes, not from forgeries: a forged one does no harm.
fn checksum(list: ListKind, key: &str) -> u32 {
    let bytes = list.method().bytes().chain([0]).chain(key.bytes());
    bytes.fold(0x811c_9dc5, |sum, byte| (sum ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_its_own_cursors_and_no_others() {
        let cursor = encode(ListKind::Tools, "tool_0007");
        assert_eq!(decode(ListKind::Tools, &cursor).as_deref(), Some("tool_0007"));
        for end in 0..cursor.len() {
            assert_eq!(decode(ListKind::Tools, &cursor[..end]), None, "truncated at {end}");
        }
        for other in [ListKind::Prompts, ListKind::Resources, ListKind::ResourceTemplates] {
            assert_eq!(decode(other, &cursor), None, "{other:?}");
            assert_eq!(decode(other, &encode(other, "tool_0007")).as_deref(), Some("tool_0007"));
        }
        for bogus in ["", "bogus", "tool_0007", "!!!", "MQ==", &"A".repeat(1 << 20)] {
            assert_eq!(decode(ListKind::Tools, bogus), None);
        }
    }
}
