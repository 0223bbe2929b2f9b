//! Where a list is cut into pages.

use bytes::Bytes;

use crate::protocol::cache_hint::{CacheHint, CacheScope};

/// A page holds as many items as fit this many bytes of JSON, because many clients never ask for a second
/// page; at least one.
pub const DEFAULT_PAGE_BYTES: usize = 1 << 20;

/// Items on a page; 0 is as many as fit [`DEFAULT_PAGE_BYTES`].
pub const DEFAULT_PAGE_SIZE: usize = 0;

/// How the pages of a list are made.
#[derive(Clone, Debug)]
pub struct PageStyle {
    /// Where the list is cut.
    pub bounds: PageBounds,
    /// What a page of the modern era says of caching.
    pub cache: CacheHint,
    /// The members that follow it there, each with a comma before it, as JSON text.
    pub tail: Bytes,
}

impl PageStyle {
    /// The same for a list that not every client sees alike, which no cache may share between them.
    pub fn private(self) -> Self {
        PageStyle { cache: CacheHint { scope: CacheScope::Private, ..self.cache }, ..self }
    }
}

/// How large a page may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageBounds {
    /// Most items on it; 0 is any number.
    pub items: usize,
    /// Most bytes of JSON in it, unless one item alone has more.
    pub bytes: usize,
}

impl PageBounds {
    /// How many of the items whose lengths `lengths` gives, in order, make the first page.
    pub fn cut(self, lengths: impl Iterator<Item = usize>) -> usize {
        let most = if self.items == 0 { usize::MAX } else { self.items };
        let mut bytes = 0usize;
        let fits = |length: usize| {
            bytes = bytes.saturating_add(length + 1);
            bytes <= self.bytes
        };
        lengths
            .map(fits)
            .enumerate()
            .take_while(|(index, fits)| *index == 0 || (*fits && *index < most))
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_by_items_and_by_bytes_and_never_to_nothing() {
        let cut = |items, bytes| PageBounds { items, bytes }.cut([9, 9, 9, 9].into_iter());
        assert_eq!(cut(0, 1000), 4);
        assert_eq!(cut(3, 1000), 3);
        assert_eq!(cut(0, 20), 2);
        assert_eq!(cut(0, 5), 1);
        assert_eq!(cut(1, 1000), 1);
        assert_eq!(PageBounds { items: 0, bytes: 10 }.cut([].into_iter()), 0);
    }
}
