//! What a server says of caching its results, each kind of which has a setting of its own.

use crate::protocol::cache_hint::{CacheHint, CacheScope, DEFAULT_SCOPE, DEFAULT_TTL_MS};
use crate::registry::list_kind::ListKind;

/// The hints of the results that have one.
///
/// Specification: server/utilities/caching, "Cacheable Results".
#[derive(Clone, Debug)]
pub struct Caching {
    /// Of `tools/list`.
    pub tools: CacheHint,
    /// Of `prompts/list`.
    pub prompts: CacheHint,
    /// Of `resources/list`.
    pub resources: CacheHint,
    /// Of `resources/templates/list`.
    pub resource_templates: CacheHint,
    /// Of `resources/read`, where the handler says nothing else.
    pub resource_read: CacheHint,
    /// Of `server/discover`.
    pub discover: CacheHint,
}

impl Caching {
    /// Changes every hint.
    pub fn set_all(&mut self, set: impl Fn(&mut CacheHint)) {
        let Caching { tools, prompts, resources, resource_templates, resource_read, discover } = self;
        for hint in [tools, prompts, resources, resource_templates, resource_read, discover] {
            set(hint);
        }
    }

    /// The hint of a list.
    pub fn of_list(&self, list: ListKind) -> CacheHint {
        match list {
            ListKind::Tools => self.tools,
            ListKind::Prompts => self.prompts,
            ListKind::Resources => self.resources,
            ListKind::ResourceTemplates => self.resource_templates,
        }
    }

    /// The hint of what was read on behalf of `principal`, where the handler says nothing else: what one principal
    /// may read is not for others.
    pub fn of_read(&self, principal: Option<&str>) -> CacheHint {
        match principal {
            Some(_) => CacheHint { scope: CacheScope::Private, ..self.resource_read },
            None => self.resource_read,
        }
    }
}

impl Default for Caching {
    fn default() -> Self {
        let hint = CacheHint { ttl_ms: DEFAULT_TTL_MS, scope: DEFAULT_SCOPE };
        Caching {
            tools: hint,
            prompts: hint,
            resources: hint,
            resource_templates: hint,
            resource_read: hint,
            discover: hint,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_for_a_principal_is_private() {
        let mut caching = Caching::default();
        caching.set_all(|hint| hint.ttl_ms = 7);
        assert_eq!(caching.of_read(None), CacheHint { ttl_ms: 7, scope: CacheScope::Public });
        assert_eq!(caching.of_read(Some("a")), CacheHint { ttl_ms: 7, scope: CacheScope::Private });
    }
}
