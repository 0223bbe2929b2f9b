//! One state of the list of tools: it never changes, so that each page is written once.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::cursor::{self, ListKind};
use super::page::PageBounds;
use super::registered_tool::RegisteredTool;

/// The tools at one moment, by name.
pub struct ToolList {
    tools: Vec<Arc<RegisteredTool>>,
    bounds: PageBounds,
    /// The pages that follow one another from the first, and where each starts. A page that starts
    /// elsewhere, behind an item that has gone, is written anew each time it is asked for.
    starts: Vec<usize>,
    written: Vec<OnceLock<Bytes>>,
}

impl ToolList {
    /// A list of `tools`, which are in the order of their names, cut into pages by `bounds`.
    pub fn new(tools: Vec<Arc<RegisteredTool>>, bounds: PageBounds) -> Self {
        let mut list = ToolList { tools, bounds, starts: vec![0], written: Vec::new() };
        while let Some(next) = list.starts.last().map(|&start| list.end_of_page(start))
            && next < list.tools.len()
        {
            list.starts.push(next);
        }
        list.written = list.starts.iter().map(|_| OnceLock::new()).collect();
        list
    }

    /// The tool called `name`.
    pub fn find(&self, name: &str) -> Option<&Arc<RegisteredTool>> {
        self.tools.binary_search_by(|tool| tool.name().cmp(name)).ok().map(|index| &self.tools[index])
    }

    /// The names of all tools, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.name())
    }

    /// The page behind the item `after`, or the first one, as `write` writes it.
    pub fn page(&self, after: Option<&str>, write: impl FnOnce(Page<'_>) -> Bytes) -> Bytes {
        let start = after.map_or(0, |name| self.tools.partition_point(|tool| tool.name() <= name));
        match self.starts.binary_search(&start) {
            Ok(number) => self.written[number].get_or_init(|| write(self.cut(start))).clone(),
            Err(_) => write(self.cut(start)),
        }
    }

    fn cut(&self, start: usize) -> Page<'_> {
        let end = self.end_of_page(start);
        let tools = &self.tools[start..end];
        let last = tools.last().filter(|_| end < self.tools.len());
        Page { tools, next: last.map(|last| cursor::encode(ListKind::Tools, last.name())) }
    }

    fn end_of_page(&self, start: usize) -> usize {
        start + self.bounds.cut(self.tools[start..].iter().map(|tool| tool.listing.len()))
    }
}

/// A part of the list.
pub struct Page<'a> {
    /// Its tools.
    pub tools: &'a [Arc<RegisteredTool>],
    /// The cursor to the next page, where there is one.
    pub next: Option<String>,
}
