//! The tools of a server, which may change while it serves.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::runtime::lock::{Mutex, RwLock};

use super::page::PageStyle;
use super::registered_tool::RegisteredTool;
use super::tool_list::ToolList;

/// Named tools. A change makes the current list stale; the next reader builds a new one.
pub struct ToolRegistry {
    tools: Mutex<BTreeMap<Box<str>, Arc<RegisteredTool>>>,
    style: Mutex<PageStyle>,
    current: RwLock<Option<Arc<ToolList>>>,
}

impl ToolRegistry {
    /// An empty registry whose lists have pages of `style`.
    pub fn new(style: PageStyle) -> Self {
        ToolRegistry { tools: Mutex::default(), style: Mutex::new(style), current: RwLock::default() }
    }

    /// Adds a tool, in place of one of the same name. Returns the tool that was replaced.
    pub fn insert(&self, tool: RegisteredTool) -> Option<Arc<RegisteredTool>> {
        let replaced = self.tools.lock().insert(tool.name().into(), Arc::new(tool));
        let stale = self.current.write().take();
        drop(stale);
        replaced
    }

    /// Removes the tool called `name` and returns it. Calls of it that run go on.
    pub fn remove(&self, name: &str) -> Option<Arc<RegisteredTool>> {
        let removed = self.tools.lock().remove(name);
        let stale = self.current.write().take();
        drop(stale);
        removed
    }

    /// Removes every tool.
    pub fn clear(&self) {
        let removed = std::mem::take(&mut *self.tools.lock());
        let stale = self.current.write().take();
        drop((stale, removed));
    }

    /// Makes pages of another style from now on. Returns the list that this makes stale: dropping the last
    /// reference to a tool runs the host's destructor, so the caller must hold no lock when it goes.
    pub fn set_style(&self, style: PageStyle) -> Option<Arc<ToolList>> {
        *self.style.lock() = style;
        self.current.write().take()
    }

    /// The list as it is now.
    pub fn list(&self) -> Arc<ToolList> {
        if let Some(list) = &*self.current.read() {
            return list.clone();
        }
        let mut current = self.current.write();
        let build = || {
            Arc::new(ToolList::new(self.tools.lock().values().cloned().collect(), self.style.lock().clone()))
        };
        current.get_or_insert_with(build).clone()
    }
}
