//! Finds the bytes that cannot stand as they are in a JSON string (a quote, a backslash, a control character),
//! a block at a time.
//!
//! In ordinary prose one byte of twenty is such a byte, so that what counts is the work at each of them. A
//! block's bytes are looked at once, whatever is found in it, and short pieces are copied as whole blocks.

/// Bytes in a block.
pub const BLOCK: usize = 32;

/// What a block holds: a bit for each byte, lowest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    /// Quotes.
    pub quotes: u32,
    /// Backslashes.
    pub backslashes: u32,
    /// Control characters.
    pub controls: u32,
}

impl Marks {
    /// Those of a block.
    #[cfg(target_arch = "x86_64")]
    #[inline]
    pub fn of(block: &[u8; BLOCK]) -> Self {
        use std::arch::x86_64::{
            __m128i, _mm_cmpeq_epi8, _mm_loadu_si128, _mm_min_epu8, _mm_movemask_epi8, _mm_set1_epi8,
        };
        let half = |offset: usize| {
            // SAFETY: SSE2 is part of x86_64, and 16 bytes from either offset, 0 or 16, lie within the block.
            // The load needs no alignment.
            unsafe {
                let bytes = _mm_loadu_si128(block.as_ptr().add(offset).cast::<__m128i>());
                let equal =
                    |byte: u8| _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8))) as u32;
                let controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
                (equal(b'"'), equal(b'\\'), _mm_movemask_epi8(controls) as u32)
            }
        };
        let (low, high) = (half(0), half(16));
        Marks {
            quotes: low.0 | high.0 << 16,
            backslashes: low.1 | high.1 << 16,
            controls: low.2 | high.2 << 16,
        }
    }

    /// Those of a block.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline]
    pub fn of(block: &[u8; BLOCK]) -> Self {
        let mut marks = Marks::default();
        for byte in block.iter().rev() {
            marks.quotes = marks.quotes << 1 | u32::from(*byte == b'"');
            marks.backslashes = marks.backslashes << 1 | u32::from(*byte == b'\\');
            marks.controls = marks.controls << 1 | u32::from(*byte < 0x20);
        }
        marks
    }

    /// All three kinds together.
    #[inline]
    pub fn any(self) -> u32 {
        self.quotes | self.backslashes | self.controls
    }
}

/// Whether a byte is special.
#[inline]
pub fn is_special(byte: u8) -> bool {
    matches!(byte, b'"' | b'\\' | 0..=0x1f)
}

/// What escapes a string has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escapes {
    /// None.
    None,
    /// Only a backslash and one byte that may stand behind it.
    Short,
    /// Others, which may be wrong.
    Other,
}

/// Offset, from `from` on, of the quote that ends a string, and the escapes before it. `None` if a control
/// character stands before it, or the text ends.
///
/// Which bytes are escaped is worked out for a whole block without a branch for each backslash: of a run of
/// backslashes, every second one is itself escaped, and what follows an odd run is.
pub fn end_of_string(text: &[u8], from: usize) -> Option<(usize, Escapes)> {
    let mut at = from;
    let mut first_is_escaped = 0;
    let (mut any, mut short) = (false, true);
    while let Some(block) = text.get(at..).and_then(|rest| rest.first_chunk::<BLOCK>()) {
        let marks = Marks::of(block);
        let escaped = escaped(marks.backslashes, &mut first_is_escaped);
        let ends = marks.quotes & !escaped;
        // Bits up to and with the ending quote.
        let inside = ends ^ ends.wrapping_sub(1);
        if marks.controls & inside != 0 {
            return None;
        }
        let mut escapees = escaped & inside;
        any |= escapees != 0;
        while escapees != 0 {
            short &= IS_SHORT[usize::from(block[escapees.trailing_zeros() as usize])];
            escapees &= escapees - 1;
        }
        if ends != 0 {
            return Some((at + ends.trailing_zeros() as usize, escapes(any, short)));
        }
        at += BLOCK;
    }
    let mut is_escaped = first_is_escaped != 0;
    for (offset, byte) in text.get(at..).unwrap_or_default().iter().enumerate() {
        match byte {
            b'"' if !is_escaped => return Some((at + offset, escapes(any, short))),
            0..=0x1f => return None,
            _ => {}
        }
        if is_escaped {
            any = true;
            short &= IS_SHORT[usize::from(*byte)];
        }
        is_escaped = *byte == b'\\' && !is_escaped;
    }
    None
}

fn escapes(any: bool, short: bool) -> Escapes {
    match (any, short) {
        (false, _) => Escapes::None,
        (true, true) => Escapes::Short,
        (true, false) => Escapes::Other,
    }
}

/// Which bytes make an escape behind a backslash, without more behind them.
static IS_SHORT: [bool; 256] = {
    let mut table = [false; 256];
    let mut index = 0;
    while index < b"\"\\/bfnrt".len() {
        table[b"\"\\/bfnrt"[index] as usize] = true;
        index += 1;
    }
    table
};

/// The bytes of a block that an escape stands before. `first` says whether its first byte is one of them, and
/// is told whether the next block's is.
#[inline]
fn escaped(backslashes: u32, first: &mut u32) -> u32 {
    const EVEN: u32 = 0x5555_5555;
    let backslashes = backslashes & !*first;
    let follows = backslashes << 1 | *first;
    // Adding a run's start to the run carries past its end; the parity of that place tells the run's own.
    let odd_starts = backslashes & !EVEN & !follows;
    let (carried, overflow) = odd_starts.overflowing_add(backslashes);
    *first = u32::from(overflow);
    (EVEN ^ carried << 1) & follows
}

/// Appends `text` to `out`; where a special byte stands, `special` appends what is to be there instead.
#[inline]
pub fn append_replacing(out: &mut Vec<u8>, text: &[u8], special: impl Fn(&mut Vec<u8>, u8)) {
    let mut blocks = text.chunks_exact(BLOCK);
    let mut base = 0;
    for block in blocks.by_ref() {
        let Some(block) = block.first_chunk::<BLOCK>() else { continue };
        let mut marks = Marks::of(block).any();
        let mut from = base;
        while marks != 0 {
            let at = base + marks.trailing_zeros() as usize;
            append_short(out, text, from, at);
            special(out, text[at]);
            from = at + 1;
            marks &= marks - 1;
        }
        base += BLOCK;
        append_short(out, text, from, base);
    }
    for byte in blocks.remainder() {
        if is_special(*byte) {
            special(out, *byte);
        } else {
            out.push(*byte);
        }
    }
}

/// Appends `text[from..to]`, at most a block. Where a whole block can be read it is copied whole, which is much
/// faster than an exact copy; what is too much is written over next.
// A call of it would cost as much as its work.
#[inline(always)]
pub fn append_short(out: &mut Vec<u8>, text: &[u8], from: usize, to: usize) {
    let Some(block) = text[from..].first_chunk::<BLOCK>().filter(|_| to - from <= BLOCK) else {
        return out.extend_from_slice(&text[from..to]);
    };
    if out.capacity() - out.len() < BLOCK {
        out.reserve(BLOCK);
    }
    let length = out.len();
    // SAFETY: there is room for a whole block behind the `length` bytes in use, and the two do not overlap, as
    // `out` is borrowed alone. The first `to - from` of the bytes behind `length`, at most a block, are then
    // written.
    unsafe {
        std::ptr::copy_nonoverlapping(block.as_ptr(), out.as_mut_ptr().add(length), BLOCK);
        out.set_len(length + (to - from));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn finds_special_bytes_at_every_offset() {
        for special in [b'"', b'\\', 0x00, 0x1f, b'\n'] {
            for at in 0..100 {
                let mut text = vec![b'a'; 100];
                text[at] = special;
                let mut out = b"before".to_vec();
                append_replacing(&mut out, &text, |out, byte| out.extend([byte, b'!']));
                assert_eq!(out, [b"before", &text[..=at], b"!", &text[at + 1..]].concat());
            }
        }
    }

    #[test]
    fn takes_every_other_byte_as_it_is() {
        let all: Vec<u8> = (0..=255).collect();
        let mut out = Vec::new();
        append_replacing(&mut out, &all, |_, byte| assert!(is_special(byte)));
        let plain: Vec<u8> = all.into_iter().filter(|byte| !is_special(*byte)).collect();
        assert_eq!(out, plain);
    }

    /// The same by the book: byte after byte.
    fn slow_end(text: &[u8]) -> Option<(usize, Escapes)> {
        let (mut at, mut escapes) = (0, Escapes::None);
        loop {
            match text.get(at)? {
                b'"' => return Some((at, escapes)),
                b'\\' => {
                    let short = b"\"\\/bfnrt".contains(text.get(at + 1)?) && escapes != Escapes::Other;
                    escapes = if short { Escapes::Short } else { Escapes::Other };
                    at += 2;
                }
                0..=0x1f => return None,
                _ => at += 1,
            }
        }
    }

    #[test]
    fn finds_the_end_of_a_string_behind_any_run_of_backslashes() {
        for before in 0..70 {
            for run in 0..70 {
                for end in [&b"\" b \\\" c \\\" d\""[..], b"n \"", b"u \"", b"x\""] {
                    let text = [&vec![b'a'; before][..], &vec![b'\\'; run], end, &[b'x'; 40]].concat();
                    assert_eq!(end_of_string(&text, 0), slow_end(&text), "{before} {run} {end:?}");
                }
                let cut = vec![b'\\'; run];
                assert_eq!(end_of_string(&cut, 0), None, "{run}");
            }
        }
    }

    #[test]
    fn finds_no_end_behind_a_control_character() {
        for at in 0..80 {
            let mut text = [&vec![b'a'; 80][..], b"\"", &[b'\n'; 40]].concat();
            assert_eq!(end_of_string(&text, 0), Some((80, Escapes::None)));
            text[at] = 0x1f;
            assert_eq!(end_of_string(&text, 0), None, "{at}");
        }
    }
}
