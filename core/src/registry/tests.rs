//! Changes while a client goes from page to page: what was there all the time is told once, whatever comes and goes.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::catalog::Catalog;
use super::cursor;
use super::item::Item;
use super::page::{PageBounds, PageStyle};
use super::registered_prompt::RegisteredPrompt;
use super::registered_resource::RegisteredResource;
use super::registered_template::RegisteredTemplate;
use super::registered_tool::RegisteredTool;
use super::variant::Variant;
use crate::call::handler::{Dispatch, Handler};
use crate::call::invocation::Call;
use crate::protocol::cache_hint::{CacheHint, CacheScope};
use crate::protocol::prompt_definition::PromptDefinition;
use crate::protocol::resource_definition::ResourceDefinition;
use crate::protocol::resource_template_definition::ResourceTemplateDefinition;
use crate::protocol::revision::Revision;
use crate::protocol::tool_definition::ToolDefinition;
use crate::schema::compile::SchemaLimits;

/// A kind of item, made by a number. Those of odd numbers are for apps only, where the kind knows that.
trait Sample: Item {
    fn make(number: u8) -> Self;
    /// The key in the definition as it is listed.
    fn key_in(listing: &Value) -> &str;
}

fn handler() -> Arc<dyn Handler> {
    Arc::new(|_: &Arc<Call>| {})
}

impl Sample for RegisteredTool {
    fn make(number: u8) -> Self {
        let visibility = if number % 2 == 1 { json!(["app"]) } else { json!(["model", "app"]) };
        let definition = json!({"name": format!("t{number:02}"), "inputSchema": {"type": "object"},
            "_meta": {"ui": {"visibility": visibility}}});
        let definition = ToolDefinition::from_json(definition.to_string().as_bytes()).unwrap();
        let limits = SchemaLimits::default();
        RegisteredTool::new(&definition, handler(), Dispatch::Inline, Vec::new(), &limits).unwrap()
    }

    fn key_in(listing: &Value) -> &str {
        listing["name"].as_str().unwrap()
    }
}

impl Sample for RegisteredPrompt {
    fn make(number: u8) -> Self {
        let definition = PromptDefinition::new(&format!("\"p\u{e9} {number:02}")).unwrap();
        RegisteredPrompt::new(&definition, handler(), Dispatch::Inline, Vec::new())
    }

    fn key_in(listing: &Value) -> &str {
        listing["name"].as_str().unwrap()
    }
}

impl Sample for RegisteredResource {
    fn make(number: u8) -> Self {
        let definition = ResourceDefinition::new(&format!("file:///r/{number:02}"), "same").unwrap();
        RegisteredResource::new(&definition, handler(), Dispatch::Inline, Vec::new())
    }

    fn key_in(listing: &Value) -> &str {
        listing["uri"].as_str().unwrap()
    }
}

impl Sample for RegisteredTemplate {
    fn make(number: u8) -> Self {
        let definition =
            ResourceTemplateDefinition::new(&format!("file:///{number:02}/{{x}}"), "same").unwrap();
        RegisteredTemplate::new(&definition, &[], handler(), Dispatch::Inline, Vec::new()).unwrap()
    }

    fn key_in(listing: &Value) -> &str {
        listing["uriTemplate"].as_str().unwrap()
    }
}

fn style(page_size: usize) -> PageStyle {
    PageStyle {
        bounds: PageBounds { items: page_size, bytes: 1 << 20 },
        cache: CacheHint { ttl_ms: 0, scope: CacheScope::Public },
        tail: Bytes::from_static(b",\"resultType\":\"complete\""),
    }
}

/// Goes through all pages, with a change between two of them, and returns the keys that were told.
fn walk<T: Sample>(
    catalog: &Catalog<T>,
    page_size: usize,
    variant: Variant,
    mut change: impl FnMut(),
) -> Vec<String> {
    let (mut told, mut after) = (Vec::new(), None::<String>);
    loop {
        let page = catalog.list().page(variant, after.as_deref());
        let page: Value = serde_json::from_slice(&page).unwrap();
        let items = page[T::KIND.member()].as_array().unwrap();
        assert!(items.len() <= page_size, "{page}");
        told.extend(items.iter().map(|item| T::key_in(item).to_owned()));
        let Some(next) = page.get("nextCursor") else { return told };
        after = cursor::decode(T::KIND, next.as_str().unwrap());
        assert!(after.is_some(), "{page}");
        change();
    }
}

/// Nothing twice, in order, and all that stays and that the variant shows.
fn check<T: Sample>(told: &[String], variant: Variant) {
    assert!(told.is_sorted_by(|a, b| a < b), "{told:?}");
    for item in (0..ALL).filter(|number| stays(*number)).map(T::make) {
        let shown = variant.apps || !item.is_for_apps_only();
        assert_eq!(told.iter().any(|key| key == item.key()), shown, "{} in {told:?}", item.key());
    }
}

/// Numbers are below it.
const ALL: u8 = 16;

/// Whether the item is there all the time, and sometimes registered again; the others come and go.
fn stays(number: u8) -> bool {
    number % 4 < 2
}

fn apply<T: Sample>(catalog: &Catalog<T>, number: u8, comes: bool) {
    if comes || stays(number) {
        drop(catalog.insert(T::make(number)));
    } else {
        drop(catalog.remove(T::make(number).key()));
    }
}

fn walks_through_changes<T: Sample>(
    page_size: usize,
    variant: Variant,
    first: &BTreeSet<u8>,
    changes: &[Vec<(u8, bool)>],
) {
    let catalog = Catalog::<T>::new(style(page_size));
    for number in (0..ALL).filter(|number| stays(*number) || first.contains(number)) {
        apply(&catalog, number, true);
    }
    let mut changes = changes.iter();
    let told = walk(&catalog, page_size, variant, || {
        for (number, comes) in changes.next().into_iter().flatten() {
            apply(&catalog, *number, *comes);
        }
    });
    check::<T>(&told, variant);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_there_all_the_time_is_told_once(
        page_size in 1..=usize::from(ALL) + 1,
        revision in proptest::sample::select(
            [Revision::V2026_07_28, Revision::V2025_11_25, Revision::V2024_11_05].as_slice(),
        ),
        apps: bool,
        first in proptest::collection::btree_set(0..ALL, 0..8),
        changes in proptest::collection::vec(
            proptest::collection::vec((0..ALL, any::<bool>()), 0..6),
            0..usize::from(ALL),
        ),
    ) {
        let variant = Variant { revision, apps };
        walks_through_changes::<RegisteredTool>(page_size, variant, &first, &changes);
        walks_through_changes::<RegisteredPrompt>(page_size, variant, &first, &changes);
        walks_through_changes::<RegisteredResource>(page_size, variant, &first, &changes);
        walks_through_changes::<RegisteredTemplate>(page_size, variant, &first, &changes);
    }
}

/// Walks with each page size while other threads change what is there.
fn walks_beside_changing_threads<T: Sample>() {
    const WALKS: usize = 40;
    for page_size in 1..=usize::from(ALL) {
        let catalog = Catalog::<T>::new(style(page_size));
        (0..ALL).for_each(|number| apply(&catalog, number, true));
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for turn in 0..2 {
                let (catalog, over) = (&catalog, &over);
                scope.spawn(move || {
                    for step in turn.. {
                        if over.load(Ordering::Relaxed) {
                            break;
                        }
                        apply(catalog, (step * 5 % u32::from(ALL)) as u8, step / 3 % 2 == 0);
                    }
                });
            }
            let walkers = [Revision::V2026_07_28, Revision::V2025_06_18].map(|revision| {
                let catalog = &catalog;
                scope.spawn(move || {
                    for round in 0..WALKS {
                        let variant = Variant { revision, apps: round % 2 == 0 };
                        check::<T>(&walk(catalog, page_size, variant, || {}), variant);
                    }
                })
            });
            let ends = walkers.map(std::thread::ScopedJoinHandle::join);
            over.store(true, Ordering::Relaxed);
            ends.into_iter().for_each(|end| end.unwrap());
        });
    }
}

#[test]
fn tools_may_change_on_other_threads_meanwhile() {
    walks_beside_changing_threads::<RegisteredTool>();
}

#[test]
fn prompts_may_change_on_other_threads_meanwhile() {
    walks_beside_changing_threads::<RegisteredPrompt>();
}

#[test]
fn resources_may_change_on_other_threads_meanwhile() {
    walks_beside_changing_threads::<RegisteredResource>();
}

#[test]
fn resource_templates_may_change_on_other_threads_meanwhile() {
    walks_beside_changing_threads::<RegisteredTemplate>();
}
