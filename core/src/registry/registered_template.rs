//! A resource template as the server keeps it: parsed, and with the code behind it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::item::Item;
use super::list_kind::ListKind;
use super::listings::Listings;
use crate::call::contract::ResourceContract;
use crate::call::handler::{Dispatch, Handler};
use crate::host_error::HostError;
use crate::protocol::client_capability::ClientCapability;
use crate::protocol::resource_template_definition::ResourceTemplateDefinition;
use crate::protocol::revision::Revision;
use crate::protocol::uri_template::UriTemplate;

/// A resource template that can be listed, and whose resources can be read.
pub struct RegisteredTemplate {
    /// Its URI template and what is told of the contents of its resources.
    pub contract: Arc<ResourceContract>,
    /// The code behind it.
    pub handler: Arc<dyn Handler>,
    /// Where that code runs.
    pub dispatch: Dispatch,
    /// Which URIs it has.
    pub uri_template: UriTemplate,
    /// The templates of the process in the order in which they were made.
    pub number: u64,
    listings: Listings,
}

impl RegisteredTemplate {
    /// The template that `definition` defines. The values of the variables in `traversal` may lead anywhere, see
    /// [`UriTemplate::allow_traversal`]. Refused are what is no URI template, and a variable that it does not have.
    pub fn new(
        definition: &ResourceTemplateDefinition,
        traversal: &[&str],
        handler: Arc<dyn Handler>,
        dispatch: Dispatch,
        required_capabilities: Vec<ClientCapability>,
    ) -> Result<Self, HostError> {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let text = definition.uri_template();
        let invalid = |why| HostError::InvalidArgument(format!("resource template \"{text}\": {why}"));
        let mut uri_template = UriTemplate::parse(text).map_err(invalid)?;
        for variable in traversal {
            uri_template.allow_traversal(variable).map_err(HostError::InvalidArgument)?;
        }
        let contract = ResourceContract {
            key: text.into(),
            name: definition.name().into(),
            mime_type: definition.mime_type().map(Into::into),
            contents_meta: None,
            variables: uri_template.variables().map(Into::into).collect(),
            required_capabilities,
        };
        Ok(RegisteredTemplate {
            contract: Arc::new(contract),
            handler,
            dispatch,
            uri_template,
            number: MADE.fetch_add(1, Ordering::Relaxed),
            listings: Listings::new(|revision, out| definition.write(revision, out)),
        })
    }
}

impl Item for RegisteredTemplate {
    const KIND: ListKind = ListKind::ResourceTemplates;

    fn key(&self) -> &str {
        &self.contract.key
    }

    fn listing(&self, revision: Revision) -> &[u8] {
        self.listings.of(revision)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::call::invocation::Call;

    fn register(uri_template: &str, traversal: &[&str]) -> Result<RegisteredTemplate, HostError> {
        let definition = ResourceTemplateDefinition::new(uri_template, "n").unwrap();
        let handler = Arc::new(|_: &Arc<Call>| {});
        RegisteredTemplate::new(&definition, traversal, handler, Dispatch::Inline, Vec::new())
    }

    #[test]
    fn refuses_what_cannot_be_matched_and_names_the_template() {
        for (uri_template, traversal, named) in [
            ("a:{x*}", [].as_slice(), "resource template \"a:{x*}\": "),
            ("a:{x", &[], "resource template \"a:{x\": "),
            ("a:{path}", &["paht"], "did you mean \"path\"?"),
        ] {
            let Err(HostError::InvalidArgument(message)) = register(uri_template, traversal) else {
                panic!("{uri_template} was taken");
            };
            assert!(message.contains(named), "{message}");
        }
    }

    #[test]
    fn a_value_leads_out_of_its_place_only_where_that_is_allowed() {
        let uri = "a:%2E%2E/b";
        assert!(register("a:{+path}", &[]).unwrap().uri_template.matches(uri).is_none());
        let template = register("a:{+path}", &["path"]).unwrap();
        assert_eq!(template.uri_template.matches(uri).unwrap(), [("path", "../b".to_owned())]);
        assert_eq!(*template.contract.variables, ["path".into()]);
    }
}
