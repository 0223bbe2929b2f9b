//! Which resource a URI means, where a list has it, or several templates could make it.

use std::cmp::Reverse;
use std::sync::Arc;

use super::list::List;
use super::registered_resource::RegisteredResource;
use super::registered_template::RegisteredTemplate;
use crate::call::contract::ResourceContract;
use crate::call::handler::{Dispatch, Handler};

/// The resource that a URI means.
pub struct FoundResource {
    /// Of the resource itself, or of the template that makes it.
    pub contract: Arc<ResourceContract>,
    /// The code that reads it.
    pub handler: Arc<dyn Handler>,
    /// Where that code runs.
    pub dispatch: Dispatch,
    /// The variables of the template, decoded; none for a resource of the list.
    pub variables: Vec<(String, String)>,
}

/// The resource that `uri` means: the one that is listed by it; or else, of the templates that match it, the one with
/// the most literal characters; and of several such the one that was made first.
pub fn find(
    uri: &str,
    resources: &List<RegisteredResource>,
    templates: &List<RegisteredTemplate>,
) -> Option<FoundResource> {
    if let Some(resource) = resources.find(uri) {
        return Some(FoundResource {
            contract: resource.contract.clone(),
            handler: resource.handler.clone(),
            dispatch: resource.dispatch,
            variables: Vec::new(),
        });
    }
    let mut best: Option<(&RegisteredTemplate, Vec<(&str, String)>)> = None;
    for template in templates.items() {
        if best.as_ref().is_none_or(|(best, _)| closeness(template) > closeness(best))
            && let Some(variables) = template.uri_template.matches(uri)
        {
            best = Some((template, variables));
        }
    }
    let (template, variables) = best?;
    Some(FoundResource {
        contract: template.contract.clone(),
        handler: template.handler.clone(),
        dispatch: template.dispatch,
        variables: variables.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    })
}

fn closeness(template: &RegisteredTemplate) -> (usize, Reverse<u64>) {
    (template.uri_template.literal_length(), Reverse(template.number))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::call::invocation::Call;
    use crate::protocol::cache_hint::{CacheHint, DEFAULT_SCOPE, DEFAULT_TTL_MS};
    use crate::protocol::resource_definition::ResourceDefinition;
    use crate::protocol::resource_template_definition::ResourceTemplateDefinition;
    use crate::registry::catalog::Catalog;
    use crate::registry::page::{PageBounds, PageStyle};

    fn style() -> PageStyle {
        PageStyle {
            bounds: PageBounds { items: 0, bytes: 1000 },
            cache: CacheHint { ttl_ms: DEFAULT_TTL_MS, scope: DEFAULT_SCOPE },
            tail: bytes::Bytes::new(),
        }
    }

    fn handler() -> Arc<dyn Handler> {
        Arc::new(|_: &Arc<Call>| {})
    }

    /// What each of `uris` means among these resources and templates, which are registered in this order.
    fn meant(resources: &[&str], templates: &[&str], uri: &str) -> Option<(String, Vec<(String, String)>)> {
        let (listed, made) = (Catalog::new(style()), Catalog::new(style()));
        for uri in resources {
            let definition = ResourceDefinition::new(uri, "n").unwrap();
            listed.insert(RegisteredResource::new(&definition, handler(), Dispatch::Inline, Vec::new()));
        }
        for template in templates {
            let definition = ResourceTemplateDefinition::new(template, "n").unwrap();
            let dispatch = Dispatch::Inline;
            let template = RegisteredTemplate::new(&definition, &[], handler(), dispatch, Vec::new());
            made.insert(template.unwrap());
        }
        let found = find(uri, &listed.list(), &made.list())?;
        Some((found.contract.key.to_string(), found.variables))
    }

    #[test]
    fn a_listed_resource_comes_before_every_template() {
        let (key, variables) = meant(&["a:b/1"], &["a:b/{x}"], "a:b/1").unwrap();
        assert_eq!((&*key, variables), ("a:b/1", vec![]));
        let (key, variables) = meant(&["a:b/1"], &["a:b/{x}"], "a:b/%32").unwrap();
        assert_eq!((&*key, variables), ("a:b/{x}", vec![("x".to_owned(), "2".to_owned())]));
        assert!(meant(&["a:b/1"], &["a:b/{x}"], "a:c/1").is_none());
        assert!(meant(&[], &[], "a:b").is_none());
    }

    #[test]
    fn the_closest_template_wins_and_then_the_one_that_was_made_first() {
        let close = ["a:{+any}", "a:b/{x}/d", "a:{x}/{y}/d", "a:b/{x}/{y}"];
        for turn in 0..close.len() {
            let mut templates = close;
            templates.rotate_left(turn);
            assert_eq!(meant(&[], &templates, "a:b/c/d").unwrap().0, "a:b/{x}/d", "{templates:?}");
        }
        for templates in [["a:{x}/c", "a:b/{x}"], ["a:b/{x}", "a:{x}/c"]] {
            assert_eq!(meant(&[], &templates, "a:b/c").unwrap().0, templates[0]);
        }
    }
}
