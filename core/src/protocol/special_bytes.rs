//! Finds the bytes that cannot stand as they are in a JSON string (a quote, a backslash, a control character),
//! a block at a time.

/// Bytes in a block.
pub const BLOCK: usize = 32;

/// A bit for each byte of a block, lowest first, set where the byte is special.
#[cfg(target_arch = "x86_64")]
#[inline]
pub fn mask(block: &[u8; BLOCK]) -> u32 {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128,
        _mm_set1_epi8,
    };
    let half = |offset: usize| {
        // SAFETY: SSE2 is part of x86_64, and 16 bytes from either offset, 0 or 16, lie within the block. The
        // load needs no alignment.
        unsafe {
            let bytes = _mm_loadu_si128(block.as_ptr().add(offset).cast::<__m128i>());
            let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
            let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
            let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
            _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)) as u32
        }
    };
    half(0) | half(16) << 16
}

/// A bit for each byte of a block, lowest first, set where the byte is special.
#[cfg(not(target_arch = "x86_64"))]
#[inline]
pub fn mask(block: &[u8; BLOCK]) -> u32 {
    block.iter().rev().fold(0, |mask, byte| mask << 1 | u32::from(is_special(*byte)))
}

/// Whether a byte is special.
#[inline]
pub fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f)
}

/// Goes through the special bytes of a text, keeping what it knows of the block it is in.
pub struct SpecialBytes<'a> {
    text: &'a [u8],
    base: usize,
    mask: u32,
}

impl<'a> SpecialBytes<'a> {
    /// Nothing is known yet.
    pub fn new(text: &'a [u8]) -> Self {
        SpecialBytes { text, base: text.len(), mask: 0 }
    }

    /// Offset of the first special byte from `from` on, or the text's length. Offsets must not go back.
    #[inline]
    pub fn next(&mut self, mut from: usize) -> usize {
        loop {
            let offset = from.wrapping_sub(self.base);
            if offset < BLOCK {
                let rest = self.mask & (u32::MAX << offset);
                if rest != 0 {
                    return self.base + rest.trailing_zeros() as usize;
                }
                from = self.base + BLOCK;
            }
            let Some(block) = self.text.get(from..).and_then(|rest| rest.first_chunk::<BLOCK>()) else {
                let tail = self.text.get(from..).unwrap_or_default();
                let found = tail.iter().position(|byte| is_special(*byte));
                return found.map_or(self.text.len(), |found| from + found);
            };
            self.base = from;
            self.mask = mask(block);
        }
    }
}

/// Appends the start of `text` up to its first special byte to `out`, and returns how long it is.
///
/// Whole blocks are copied, and what was copied too much is written over next: for the short pieces of
/// ordinary prose that is much faster than copying each piece exactly.
#[inline]
pub fn append_plain(out: &mut Vec<u8>, text: &[u8]) -> usize {
    let mut taken = 0;
    while let Some(block) = text[taken..].first_chunk::<BLOCK>() {
        out.reserve(BLOCK);
        let length = out.len();
        let plain = (mask(block).trailing_zeros() as usize).min(BLOCK);
        // SAFETY: the reserve made room for a whole block behind the `length` bytes in use, and the two do not
        // overlap, as `out` is borrowed alone. The first `plain` of the bytes behind `length` are then written.
        unsafe {
            std::ptr::copy_nonoverlapping(block.as_ptr(), out.as_mut_ptr().add(length), BLOCK);
            out.set_len(length + plain);
        }
        taken += plain;
        if plain < BLOCK {
            return taken;
        }
    }
    let tail = &text[taken..];
    let plain = tail.iter().position(|byte| is_special(*byte)).unwrap_or(tail.len());
    out.extend_from_slice(&tail[..plain]);
    taken + plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECIAL: [u8; 5] = [b'"', b'\\', 0x00, 0x1f, b'\n'];

    #[test]
    fn finds_special_bytes_at_every_offset() {
        for special in SPECIAL {
            for at in 0..100 {
                let mut text = vec![b'a'; 100];
                text[at] = special;
                let mut finder = SpecialBytes::new(&text);
                assert_eq!((finder.next(0), finder.next(at + 1)), (at, 100));
                let mut out = b"before".to_vec();
                assert_eq!(append_plain(&mut out, &text), at);
                assert_eq!(out, [b"before", &text[..at]].concat());
            }
        }
    }

    #[test]
    fn takes_every_other_byte_as_it_is() {
        let text: Vec<u8> = (0..=255u8).filter(|byte| !is_special(*byte)).collect();
        assert_eq!(SpecialBytes::new(&text).next(0), text.len());
        assert_eq!(append_plain(&mut Vec::new(), &text), text.len());
        let specials: Vec<u8> = (0..=255u8).filter(|byte| is_special(*byte)).collect();
        let mut finder = SpecialBytes::new(&specials);
        assert!((0..specials.len()).all(|at| finder.next(at) == at));
    }
}
