//! The tools of a server, which may change while it serves.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::runtime::lock::{Mutex, RwLock};

use super::page::PageBounds;
use super::registered_tool::RegisteredTool;
use super::tool_list::ToolList;

/// Named tools. A change makes the current list stale; the next reader builds a new one.
pub struct ToolRegistry {
    tools: Mutex<BTreeMap<Box<str>, Arc<RegisteredTool>>>,
    bounds: Mutex<PageBounds>,
    current: RwLock<Option<Arc<ToolList>>>,
}

impl ToolRegistry {
    /// An empty registry whose lists are cut by `bounds`.
    pub fn new(bounds: PageBounds) -> Self {
        ToolRegistry { tools: Mutex::default(), bounds: Mutex::new(bounds), current: RwLock::default() }
    }

    /// Adds a tool, in place of one of the same name. Returns the tool that was replaced.
    pub fn insert(&self, tool: RegisteredTool) -> Option<Arc<RegisteredTool>> {
        let replaced = self.tools.lock().insert(tool.name().into(), Arc::new(tool));
        self.invalidate();
        replaced
    }

    /// Removes the tool called `name` and returns it. Calls of it that run go on.
    pub fn remove(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        let removed = self.tools.lock().remove(name);
        self.invalidate();
        removed
    }

    /// Removes every tool.
    pub fn clear(&self) {
        let removed = std::mem::take(&mut *self.tools.lock());
        self.invalidate();
        drop(removed);
    }

    /// Cuts pages by other bounds from now on.
    pub fn set_bounds(&self, bounds: PageBounds) {
        *self.bounds.lock() = bounds;
        self.invalidate();
    }

    /// Forgets written pages: something that stands on them changed.
    pub fn invalidate(&self) {
        let stale = self.current.write().take();
        // Dropping the last reference to a tool runs the host's destructor, so no lock is held here.
        drop(stale);
    }

    /// The list as it is now.
    pub fn list(&self) -> Arc<ToolList> {
        if let Some(list) = &*self.current.read() {
            return list.clone();
        }
        let mut current = self.current.write();
        let build =
            || Arc::new(ToolList::new(self.tools.lock().values().cloned().collect(), *self.bounds.lock()));
        current.get_or_insert_with(build).clone()
    }
}
