//! One state of the list of tools: it never changes, so that each page is written once.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::cursor::{self, ListKind};
use super::page::PageStyle;
use super::registered_tool::RegisteredTool;
use crate::protocol::json_write;

/// The tools at one moment, by name.
pub struct ToolList {
    tools: Vec<Arc<RegisteredTool>>,
    style: PageStyle,
    /// The pages that follow one another from the first, and where each starts. A page that starts
    /// elsewhere, behind an item that has gone, is written anew each time it is asked for.
    starts: Vec<usize>,
    written: Vec<OnceLock<Bytes>>,
}

impl ToolList {
    /// A list of `tools`, which are in the order of their names, with pages of `style`.
    pub fn new(tools: Vec<Arc<RegisteredTool>>, style: PageStyle) -> Self {
        let mut list = ToolList { tools, style, starts: vec![0], written: Vec::new() };
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

    /// The page behind the item `after`, or the first one, as a JSON object.
    pub fn page(&self, after: Option<&str>) -> Bytes {
        let start = after.map_or(0, |name| self.tools.partition_point(|tool| tool.name() <= name));
        match self.starts.binary_search(&start) {
            Ok(number) => self.written[number].get_or_init(|| self.write_page(start)).clone(),
            Err(_) => self.write_page(start),
        }
    }

    fn write_page(&self, start: usize) -> Bytes {
        let end = self.end_of_page(start);
        let tools = &self.tools[start..end];
        let length: usize = tools.iter().map(|tool| tool.listing.len() + 1).sum();
        let mut out = Vec::with_capacity(length + self.style.tail.len() + 256);
        out.extend_from_slice(b"{\"tools\":[");
        for (index, tool) in tools.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(&tool.listing);
        }
        out.extend_from_slice(b"],");
        if let Some(last) = tools.last().filter(|_| end < self.tools.len()) {
            out.extend_from_slice(b"\"nextCursor\":");
            json_write::string(&mut out, &cursor::encode(ListKind::Tools, last.name()));
            out.push(b',');
        }
        out.extend_from_slice(&self.style.tail);
        out.push(b'}');
        out.into()
    }

    fn end_of_page(&self, start: usize) -> usize {
        start + self.style.bounds.cut(self.tools[start..].iter().map(|tool| tool.listing.len()))
    }
}
