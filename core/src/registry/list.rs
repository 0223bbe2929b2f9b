//! One state of a list: it never changes, so that each page is written once.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;

use super::item::Item;
use super::page::PageStyle;
use super::variant::Variant;
use super::view::View;

/// The items of one kind at one moment, by their keys.
pub struct List<T> {
    items: Arc<[Arc<T>]>,
    /// Those for clients that are no hosts of MCP Apps; `items` itself, where that makes no difference.
    without_apps: Arc<[Arc<T>]>,
    style: PageStyle,
    /// By the place of the variant, each made when it is first asked for.
    views: [OnceLock<View<T>>; Variant::COUNT],
}

impl<T: Item> List<T> {
    /// A list of `items`, which are in the order of their keys, with pages of `style`.
    pub fn new(items: Vec<Arc<T>>, style: PageStyle) -> Self {
        let items: Arc<[Arc<T>]> = items.into();
        let without_apps = if items.iter().any(|item| item.is_for_apps_only()) {
            items.iter().filter(|item| !item.is_for_apps_only()).cloned().collect()
        } else {
            items.clone()
        };
        let style = if items.len() == without_apps.len() { style } else { style.private() };
        List { items, without_apps, style, views: Default::default() }
    }

    /// The items, in the order of their keys.
    pub fn items(&self) -> &[Arc<T>] {
        &self.items
    }

    /// The item of this key.
    pub fn find(&self, key: &str) -> Option<&Arc<T>> {
        self.items.binary_search_by(|item| item.key().cmp(key)).ok().map(|index| &self.items[index])
    }

    /// Whether hosts of MCP Apps see more of it than other clients.
    pub fn depends_on_apps(&self) -> bool {
        self.items.len() != self.without_apps.len()
    }

    /// The page behind the item `after`, or the first one, as `variant` sees it: a JSON object.
    pub fn page(&self, variant: Variant, after: Option<&str>) -> Bytes {
        let variant = Variant { apps: variant.apps && self.depends_on_apps(), ..variant };
        let items = if variant.apps { &self.items } else { &self.without_apps };
        self.views[variant.index()]
            .get_or_init(|| View::new(items.clone(), variant.revision, &self.style))
            .page(after, &self.style)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;
    use crate::protocol::cache_hint::{CacheHint, CacheScope};
    use crate::protocol::revision::Revision;
    use crate::registry::cursor;
    use crate::registry::list_kind::ListKind;
    use crate::registry::listings::Listings;
    use crate::registry::page::PageBounds;

    struct Thing {
        key: String,
        for_apps: bool,
        listings: Listings,
    }

    impl Item for Thing {
        const KIND: ListKind = ListKind::Tools;

        fn key(&self) -> &str {
            &self.key
        }

        fn listing(&self, revision: Revision) -> &[u8] {
            self.listings.of(revision)
        }

        fn is_for_apps_only(&self) -> bool {
            self.for_apps
        }
    }

    /// A list of these keys, two on a page. Those that begin with `app` are for apps only. An older revision adds its
    /// name to each.
    fn list(keys: &[&str]) -> List<Thing> {
        let thing = |key: &&str| {
            let listing = |revision: Revision, out: &mut Vec<u8>| {
                let shown = if revision.is_modern() { "" } else { revision.name() };
                out.extend_from_slice(json!({"name": format!("{key}{shown}")}).to_string().as_bytes());
            };
            Arc::new(Thing {
                key: (*key).into(),
                for_apps: key.starts_with("app"),
                listings: Listings::new(listing),
            })
        };
        let style = PageStyle {
            bounds: PageBounds { items: 2, bytes: 1000 },
            cache: CacheHint { ttl_ms: 5, scope: CacheScope::Public },
            tail: Bytes::from_static(b",\"resultType\":\"complete\""),
        };
        List::new(keys.iter().map(thing).collect(), style)
    }

    fn page(list: &List<Thing>, revision: Revision, apps: bool, after: Option<&str>) -> Value {
        serde_json::from_slice(&list.page(Variant { revision, apps }, after)).unwrap()
    }

    #[test]
    fn a_page_has_the_shape_of_its_revision() {
        let list = list(&["a", "b", "c"]);
        let cursor = cursor::encode(ListKind::Tools, "b");
        assert_eq!(
            page(&list, Revision::V2026_07_28, false, None),
            json!({"tools": [{"name": "a"}, {"name": "b"}], "nextCursor": cursor, "ttlMs": 5,
                "cacheScope": "public", "resultType": "complete"})
        );
        assert_eq!(
            page(&list, Revision::V2025_03_26, false, None),
            json!({"tools": [{"name": "a2025-03-26"}, {"name": "b2025-03-26"}], "nextCursor": cursor})
        );
        assert_eq!(
            page(&list, Revision::V2024_11_05, false, Some("b")),
            json!({"tools": [{"name": "c2024-11-05"}]})
        );
    }

    #[test]
    fn what_is_for_apps_only_is_shown_to_their_hosts_only_and_makes_the_list_private() {
        let list = list(&["a", "app", "b", "c"]);
        assert!(list.depends_on_apps());
        for revision in [Revision::V2026_07_28, Revision::V2025_11_25] {
            let pages = |apps, after| page(&list, revision, apps, after);
            let count = |page: Value| page["tools"].as_array().unwrap().len();
            let names = |page: Value| page["tools"].to_string();
            assert!(names(pages(true, None)).contains("app"));
            assert!(!names(pages(false, None)).contains("app"));
            // A host's page is cut behind what others do not see, and its cursor means the same to them.
            assert_eq!((count(pages(true, Some("app"))), count(pages(false, Some("app")))), (2, 2));
            assert_eq!(count(pages(false, Some("b"))), 1);
            let private = revision.is_modern().then_some(json!("private"));
            for apps in [true, false] {
                assert_eq!(pages(apps, None).get("cacheScope"), private.as_ref());
                assert_eq!(pages(apps, Some("app")).get("cacheScope"), private.as_ref());
            }
        }
        assert!(list.find("app").is_some() && list.find("ap").is_none());
    }

    #[test]
    fn clients_that_see_a_list_alike_share_its_pages() {
        let list = list(&["a", "b", "c"]);
        let place = |revision, apps, after| list.page(Variant { revision, apps }, after).as_ptr();
        for after in [None, Some("b")] {
            let first = place(Revision::V2026_07_28, false, after);
            assert_eq!(place(Revision::V2026_07_28, false, after), first);
            assert_eq!(place(Revision::V2026_07_28, true, after), first);
            assert_ne!(place(Revision::V2025_11_25, false, after), first);
        }
    }

    #[test]
    fn an_empty_list_has_an_empty_page() {
        let list = list(&[]);
        assert_eq!(page(&list, Revision::V2025_06_18, false, None), json!({"tools": []}));
        assert_eq!(page(&list, Revision::V2025_06_18, false, Some("z")), json!({"tools": []}));
        assert!(page(&list, Revision::V2026_07_28, true, None).get("nextCursor").is_none());
    }
}
