//! A list as one kind of client sees it, cut into pages.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::cursor;
use super::item::Item;
use super::page::PageStyle;
use crate::protocol::json_write;
use crate::protocol::revision::Revision;

/// The pages of some items in one revision.
pub struct View<T> {
    items: Arc<[Arc<T>]>,
    revision: Revision,
    /// The pages that follow one another from the first, and where each starts. A page that starts
    /// elsewhere, behind an item that has gone, is written anew each time it is asked for.
    starts: Vec<usize>,
    written: Vec<OnceLock<Bytes>>,
}

impl<T: Item> View<T> {
    /// The pages of `items`, which are in the order of their keys.
    pub fn new(items: Arc<[Arc<T>]>, revision: Revision, style: &PageStyle) -> Self {
        let mut view = View { items, revision, starts: vec![0], written: Vec::new() };
        while let Some(next) = view.starts.last().map(|&start| view.end_of_page(start, style))
            && next < view.items.len()
        {
            view.starts.push(next);
        }
        view.written = view.starts.iter().map(|_| OnceLock::new()).collect();
        view
    }

    /// The page behind the item `after`, or the first one, as a JSON object.
    pub fn page(&self, after: Option<&str>, style: &PageStyle) -> Bytes {
        let start = after.map_or(0, |key| self.items.partition_point(|item| item.key() <= key));
        match self.starts.binary_search(&start) {
            Ok(number) => self.written[number].get_or_init(|| self.write_page(start, style)).clone(),
            Err(_) => self.write_page(start, style),
        }
    }

    fn write_page(&self, start: usize, style: &PageStyle) -> Bytes {
        let end = self.end_of_page(start, style);
        let items = &self.items[start..end];
        let length: usize = items.iter().map(|item| item.listing(self.revision).len() + 1).sum();
        let mut out = Vec::with_capacity(length + style.tail.len() + 256);
        out.extend_from_slice(b"{\"");
        out.extend_from_slice(T::KIND.member().as_bytes());
        out.extend_from_slice(b"\":[");
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(item.listing(self.revision));
        }
        out.push(b']');
        if let Some(last) = items.last().filter(|_| end < self.items.len()) {
            out.extend_from_slice(b",\"nextCursor\":");
            json_write::string(&mut out, &cursor::encode(T::KIND, last.key()));
        }
        if self.revision.is_modern() {
            out.push(b',');
            style.cache.write(&mut out);
            out.extend_from_slice(&style.tail);
        }
        out.push(b'}');
        out.into()
    }

    fn end_of_page(&self, start: usize, style: &PageStyle) -> usize {
        let lengths = self.items[start..].iter().map(|item| item.listing(self.revision).len());
        start + style.bounds.cut(lengths)
    }
}
