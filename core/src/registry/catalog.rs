//! The items of one kind that a server has, which may change while it serves.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::runtime::lock::{Mutex, RwLock};

use super::item::Item;
use super::list::List;
use super::page::PageStyle;

/// Items by their keys. A change makes the current list stale; the next reader builds a new one.
pub struct Catalog<T> {
    items: Mutex<BTreeMap<Box<str>, Arc<T>>>,
    style: Mutex<PageStyle>,
    current: RwLock<Option<Arc<List<T>>>>,
}

impl<T: Item> Catalog<T> {
    /// An empty catalog whose lists have pages of `style`.
    pub fn new(style: PageStyle) -> Self {
        Catalog { items: Mutex::default(), style: Mutex::new(style), current: RwLock::default() }
    }

    /// Adds an item, in place of one of the same key. Returns the item that was replaced.
    pub fn insert(&self, item: T) -> Option<Arc<T>> {
        let replaced = self.items.lock().insert(item.key().into(), Arc::new(item));
        let stale = self.current.write().take();
        drop(stale);
        replaced
    }

    /// Removes the item of this key and returns it. Calls of it that run go on.
    pub fn remove(&self, key: &str) -> Option<Arc<T>> {
        let removed = self.items.lock().remove(key);
        let stale = self.current.write().take();
        drop(stale);
        removed
    }

    /// Removes every item.
    pub fn clear(&self) {
        let removed = std::mem::take(&mut *self.items.lock());
        let stale = self.current.write().take();
        drop((stale, removed));
    }

    /// Makes pages of another style from now on. Returns the list that this makes stale: dropping the last
    /// reference to an item runs the host's destructor, so the caller must hold no lock when it goes.
    pub fn set_style(&self, style: PageStyle) -> Option<Arc<List<T>>> {
        *self.style.lock() = style;
        self.current.write().take()
    }

    /// The list as it is now.
    pub fn list(&self) -> Arc<List<T>> {
        if let Some(list) = &*self.current.read() {
            return list.clone();
        }
        let mut current = self.current.write();
        let build =
            || Arc::new(List::new(self.items.lock().values().cloned().collect(), self.style.lock().clone()));
        current.get_or_insert_with(build).clone()
    }
}
