//! What a server offers: tools, prompts, resources and resource templates, which come and go while it serves.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::engine::Server;
use super::list_page;
use super::settings::Settings;
use crate::call::handler::{Dispatch, Handler};
use crate::host_error::HostError;
use crate::protocol::app_ui::{self, Visibility};
use crate::protocol::client_capability::ClientCapability;
use crate::protocol::notification::Change;
use crate::protocol::prompt_definition::PromptDefinition;
use crate::protocol::resource_definition::ResourceDefinition;
use crate::protocol::resource_template_definition::ResourceTemplateDefinition;
use crate::protocol::tool_definition::ToolDefinition;
use crate::registry::catalog::Catalog;
use crate::registry::item::Item;
use crate::registry::list::List;
use crate::registry::registered_prompt::RegisteredPrompt;
use crate::registry::registered_resource::RegisteredResource;
use crate::registry::registered_template::RegisteredTemplate;
use crate::registry::registered_tool::RegisteredTool;
use crate::registry::resource_lookup::{self, FoundResource};

/// Everything that was registered, and what was ever registered: a capability stays declared once it was.
pub(super) struct Offer {
    tools: Catalog<RegisteredTool>,
    prompts: Catalog<RegisteredPrompt>,
    resources: Catalog<RegisteredResource>,
    resource_templates: Catalog<RegisteredTemplate>,
    had_tools: AtomicBool,
    had_prompts: AtomicBool,
    had_resources: AtomicBool,
    had_apps: AtomicBool,
}

/// Lists that a change of settings made stale: dropping them may run the host's destructors.
pub(super) type StaleLists = (
    Option<Arc<List<RegisteredTool>>>,
    Option<Arc<List<RegisteredPrompt>>>,
    Option<Arc<List<RegisteredResource>>>,
    Option<Arc<List<RegisteredTemplate>>>,
);

impl Offer {
    /// Nothing yet.
    pub fn new(settings: &Settings) -> Self {
        Offer {
            tools: catalog(settings),
            prompts: catalog(settings),
            resources: catalog(settings),
            resource_templates: catalog(settings),
            had_tools: AtomicBool::new(false),
            had_prompts: AtomicBool::new(false),
            had_resources: AtomicBool::new(false),
            had_apps: AtomicBool::new(false),
        }
    }

    /// Makes lists as `settings` say from now on. What is returned must be dropped with no lock held.
    pub fn set_style(&self, settings: &Settings) -> StaleLists {
        (
            restyle(&self.tools, settings),
            restyle(&self.prompts, settings),
            restyle(&self.resources, settings),
            restyle(&self.resource_templates, settings),
        )
    }

    /// Removes everything.
    pub fn clear(&self) {
        self.tools.clear();
        self.prompts.clear();
        self.resources.clear();
        self.resource_templates.clear();
    }
}

impl Server {
    /// Adds a tool, in place of one of the same name, and announces the change.
    pub fn add_tool(
        &self,
        definition: &ToolDefinition,
        handler: Arc<dyn Handler>,
        dispatch: Dispatch,
        required_capabilities: Vec<ClientCapability>,
    ) -> Result<(), HostError> {
        let limits = self.settings().schema;
        let tool = RegisteredTool::new(definition, handler, dispatch, required_capabilities, &limits)?;
        let offer = self.offer();
        if definition.ui_resource_uri().is_some() || definition.visibility() != Visibility::ALL {
            offer.had_apps.store(true, Ordering::Release);
        }
        self.add(&offer.tools, tool, &offer.had_tools, Change::Tools);
        Ok(())
    }

    /// Adds a prompt, in place of one of the same name, and announces the change.
    pub fn add_prompt(
        &self,
        definition: &PromptDefinition,
        handler: Arc<dyn Handler>,
        dispatch: Dispatch,
        required_capabilities: Vec<ClientCapability>,
    ) {
        let prompt = RegisteredPrompt::new(definition, handler, dispatch, required_capabilities);
        let offer = self.offer();
        self.add(&offer.prompts, prompt, &offer.had_prompts, Change::Prompts);
    }

    /// Adds a resource, in place of one of the same URI, and announces the change.
    pub fn add_resource(
        &self,
        definition: &ResourceDefinition,
        handler: Arc<dyn Handler>,
        dispatch: Dispatch,
        required_capabilities: Vec<ClientCapability>,
    ) {
        let resource = RegisteredResource::new(definition, handler, dispatch, required_capabilities);
        let offer = self.offer();
        if definition.mime_type().as_deref() == Some(app_ui::MIME_TYPE) {
            offer.had_apps.store(true, Ordering::Release);
        }
        self.add(&offer.resources, resource, &offer.had_resources, Change::Resources);
    }

    /// Adds a resource template, in place of one of the same URI template, and announces the change. The variables
    /// in `traversal` may have values that lead out of their place, as `../x` does; see
    /// [`UriTemplate::allow_traversal`](crate::protocol::uri_template::UriTemplate::allow_traversal).
    pub fn add_resource_template(
        &self,
        definition: &ResourceTemplateDefinition,
        traversal: &[&str],
        handler: Arc<dyn Handler>,
        dispatch: Dispatch,
        required_capabilities: Vec<ClientCapability>,
    ) -> Result<(), HostError> {
        let template =
            RegisteredTemplate::new(definition, traversal, handler, dispatch, required_capabilities)?;
        let offer = self.offer();
        self.add(&offer.resource_templates, template, &offer.had_resources, Change::Resources);
        Ok(())
    }

    /// Removes a tool and announces the change. Calls of it that run go on.
    pub fn remove_tool(&self, name: &str) -> Result<(), HostError> {
        self.remove(&self.offer().tools, name, "tool", Change::Tools)
    }

    /// Removes a prompt and announces the change. Calls of it that run go on.
    pub fn remove_prompt(&self, name: &str) -> Result<(), HostError> {
        self.remove(&self.offer().prompts, name, "prompt", Change::Prompts)
    }

    /// Removes the resource of this URI and announces the change. Reads of it that run go on.
    pub fn remove_resource(&self, uri: &str) -> Result<(), HostError> {
        self.remove(&self.offer().resources, uri, "resource", Change::Resources)
    }

    /// Removes the resource template of this text and announces the change. Reads of its resources that run go on.
    pub fn remove_resource_template(&self, uri_template: &str) -> Result<(), HostError> {
        self.remove(&self.offer().resource_templates, uri_template, "resource template", Change::Resources)
    }

    /// The tools.
    pub fn tools(&self) -> &Catalog<RegisteredTool> {
        &self.offer().tools
    }

    /// The prompts.
    pub fn prompts(&self) -> &Catalog<RegisteredPrompt> {
        &self.offer().prompts
    }

    /// The resources.
    pub fn resources(&self) -> &Catalog<RegisteredResource> {
        &self.offer().resources
    }

    /// The resource templates.
    pub fn resource_templates(&self) -> &Catalog<RegisteredTemplate> {
        &self.offer().resource_templates
    }

    /// The resource that `uri` means, listed or made by a template.
    pub fn find_resource(&self, uri: &str) -> Option<FoundResource> {
        resource_lookup::find(uri, &self.resources().list(), &self.resource_templates().list())
    }

    /// Whether the `tools` capability is declared.
    pub fn offers_tools(&self) -> bool {
        self.offer().had_tools.load(Ordering::Acquire) || self.settings().tools
    }

    /// Whether the `prompts` capability is declared.
    pub fn offers_prompts(&self) -> bool {
        self.offer().had_prompts.load(Ordering::Acquire) || self.settings().prompts
    }

    /// Whether the `resources` capability is declared.
    pub fn offers_resources(&self) -> bool {
        self.offer().had_resources.load(Ordering::Acquire) || self.settings().resources
    }

    /// Whether there was a user interface, or a tool that has to do with one (MCP Apps).
    pub fn offers_apps(&self) -> bool {
        self.offer().had_apps.load(Ordering::Acquire)
    }

    fn add<T: Item>(&self, catalog: &Catalog<T>, item: T, had: &AtomicBool, change: Change) {
        let replaced = catalog.insert(item);
        had.store(true, Ordering::Release);
        self.announce(change, None);
        drop(replaced);
    }

    fn remove<T: Item>(
        &self,
        catalog: &Catalog<T>,
        key: &str,
        kind: &str,
        change: Change,
    ) -> Result<(), HostError> {
        let Some(_removed) = catalog.remove(key) else {
            return Err(HostError::NotFound(format!("there is no {kind} \"{key}\"")));
        };
        self.announce(change, None);
        Ok(())
    }
}

fn catalog<T: Item>(settings: &Settings) -> Catalog<T> {
    Catalog::new(list_page::style(settings, T::KIND))
}

fn restyle<T: Item>(catalog: &Catalog<T>, settings: &Settings) -> Option<Arc<List<T>>> {
    catalog.set_style(list_page::style(settings, T::KIND))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::*;
    use crate::call::invocation::Call;
    use crate::protocol::revision::Revision;
    use crate::registry::variant::Variant;
    use crate::server::conversation::{add_defined, server};

    fn nothing() -> Arc<dyn Handler> {
        Arc::new(|_: &Arc<Call>| {})
    }

    fn add_prompt(server: &Server, name: &str) {
        let definition = PromptDefinition::new(name).unwrap();
        server.add_prompt(&definition, nothing(), Dispatch::Inline, Vec::new());
    }

    fn add_resource(server: &Server, uri: &str) {
        let definition = ResourceDefinition::new(uri, "n").unwrap();
        server.add_resource(&definition, nothing(), Dispatch::Inline, Vec::new());
    }

    fn add_template(server: &Server, uri_template: &str) {
        let definition = ResourceTemplateDefinition::new(uri_template, "n").unwrap();
        let dispatch = Dispatch::Inline;
        server.add_resource_template(&definition, &[], nothing(), dispatch, Vec::new()).unwrap();
    }

    fn first_page<T: Item>(catalog: &Catalog<T>) -> Value {
        let variant = Variant { revision: Revision::V2026_07_28, apps: false };
        serde_json::from_slice(&catalog.list().page(variant, None)).unwrap()
    }

    #[test]
    fn lists_what_was_added_and_not_what_was_removed() {
        let server = server();
        for name in ["b", "a"] {
            add_prompt(&server, name);
            add_resource(&server, &format!("x:{name}"));
            add_template(&server, &format!("x:{name}/{{v}}"));
        }
        let prompts = json!([{"name": "a"}, {"name": "b"}]);
        assert_eq!(first_page(server.prompts())["prompts"], prompts);
        let resources = json!([{"uri": "x:a", "name": "n"}, {"uri": "x:b", "name": "n"}]);
        assert_eq!(first_page(server.resources())["resources"], resources);
        let templates =
            json!([{"uriTemplate": "x:a/{v}", "name": "n"}, {"uriTemplate": "x:b/{v}", "name": "n"}]);
        assert_eq!(first_page(server.resource_templates())["resourceTemplates"], templates);
        server.remove_prompt("a").unwrap();
        server.remove_resource("x:a").unwrap();
        server.remove_resource_template("x:a/{v}").unwrap();
        assert_eq!(first_page(server.prompts())["prompts"], json!([{"name": "b"}]));
        assert!(server.find_resource("x:a").is_none() && server.find_resource("x:a/1").is_none());
        let found = server.find_resource("x:b/1").unwrap();
        assert_eq!((&*found.contract.key, &*found.contract.name), ("x:b/{v}", "n"));
        assert_eq!(found.variables, [("v".to_owned(), "1".to_owned())]);
        for error in [
            server.remove_prompt("a").unwrap_err(),
            server.remove_resource("x:a").unwrap_err(),
            server.remove_resource_template("x:a").unwrap_err(),
        ] {
            assert!(matches!(error, HostError::NotFound(_)), "{error}");
        }
    }

    #[test]
    fn each_kind_is_offered_by_an_option_or_once_there_was_one_of_it() {
        let offers = |server: &Server| (server.offers_prompts(), server.offers_resources());
        for (option, offered) in [("prompts", (true, false)), ("resources", (false, true))] {
            let server = server();
            assert_eq!(offers(&server), (false, false));
            server.configure(|settings| settings.set(option, "true")).unwrap();
            assert_eq!(offers(&server), offered);
        }
        let server = server();
        add_prompt(&server, "p");
        server.remove_prompt("p").unwrap();
        assert_eq!(offers(&server), (true, false));
        add_template(&server, "x:{v}");
        server.remove_resource_template("x:{v}").unwrap();
        assert_eq!(offers(&server), (true, true));
    }

    #[test]
    fn each_list_has_the_cache_settings_of_its_kind() {
        let server = server();
        add_prompt(&server, "p");
        for (list, ttl) in [("prompts", "1"), ("resources", "2"), ("resource_templates", "3")] {
            server.configure(|settings| settings.set(&format!("{list}_cache_ttl_ms"), ttl)).unwrap();
        }
        assert_eq!(first_page(server.tools())["ttlMs"], 0);
        assert_eq!(first_page(server.prompts())["ttlMs"], 1);
        assert_eq!(first_page(server.resources())["ttlMs"], 2);
        assert_eq!(first_page(server.resource_templates())["ttlMs"], 3);
    }

    #[test]
    fn user_interfaces_are_offered_once_there_was_one_or_a_tool_for_one() {
        let tool = |meta: Value| json!({"name": "t", "inputSchema": {"type": "object"}, "_meta": meta});
        for (meta, offered) in [
            (json!({"ui": {"resourceUri": "ui://a"}}), true),
            (json!({"ui": {"visibility": ["app"]}}), true),
            (json!({"ui": {"visibility": ["app", "model"]}}), false),
            (json!({}), false),
        ] {
            let server = server();
            add_defined(&server, tool(meta), Dispatch::Inline, |_: &_| {});
            assert_eq!(server.offers_apps(), offered);
        }
        let server = server();
        add_resource(&server, "ui://plain");
        assert!(!server.offers_apps());
        let mut definition = ResourceDefinition::new("ui://a", "n").unwrap();
        definition.set_ui(b"{}").unwrap();
        server.add_resource(&definition, nothing(), Dispatch::Inline, Vec::new());
        assert!(server.offers_apps());
    }
}
