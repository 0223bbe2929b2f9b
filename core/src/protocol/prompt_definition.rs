//! A prompt as its author defines it and as `prompts/list` publishes it (specification, server/prompts, "Prompt").

use super::definition::{Definition, DefinitionFault, Kind};
use super::definition_field::Field;
use super::prompt_argument::{self, PromptArgument};

/// The definition of a prompt.
pub type PromptDefinition = Definition<PromptKind>;

/// The kind of definition that prompts have.
#[derive(Clone, Debug)]
pub struct PromptKind;

impl Kind for PromptKind {
    const WORD: &'static str = "prompt";
    const FIELDS: &'static [Field] =
        &[Field::Name, Field::Title, Field::Description, Field::Icons, Field::Arguments, Field::Meta];
    const IDENTITY: Field = Field::Name;
    const REQUIRED: &'static [(Field, &'static str)] = &[];
}

impl PromptDefinition {
    /// A definition with a name, which is not empty.
    pub fn new(name: &str) -> Result<Self, DefinitionFault> {
        Self::of(name)
    }

    /// The name, by which it is got.
    pub fn name(&self) -> &str {
        self.identity()
    }

    /// The arguments that it declares, in their order.
    pub fn arguments(&self) -> Vec<PromptArgument> {
        self.raw(Field::Arguments).map(prompt_argument::read_list).unwrap_or_default()
    }

    /// Declares another argument. Its name must be a new one.
    pub fn add_argument(
        &mut self,
        argument: &PromptArgument,
        description: Option<&str>,
    ) -> Result<(), DefinitionFault> {
        let before = self.raw(Field::Arguments).unwrap_or(b"[]");
        self.set_json(Field::Arguments, &prompt_argument::with_argument(before, argument, description))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::protocol::revision::Revision;

    #[test]
    fn lists_what_each_revision_knows() {
        let text = r#"{"name":"code_review","title":"Review","description":"d","icons":[{"src":"data:,"}],
            "arguments":[{"name":"code","title":"Code","required":true}],"_meta":{}}"#;
        let definition = PromptDefinition::from_json(text.as_bytes()).unwrap();
        assert_eq!(definition.name(), "code_review");
        assert_eq!(definition.arguments(), [PromptArgument { name: "code".into(), required: true }]);
        for (revision, wanted) in [
            (
                Revision::V2025_11_25,
                r#"{"name":"code_review","title":"Review","description":"d","icons":[{"src":"data:,"}],"arguments":[{"name":"code","title":"Code","required":true}],"_meta":{}}"#,
            ),
            (
                Revision::V2025_06_18,
                r#"{"name":"code_review","title":"Review","description":"d","arguments":[{"name":"code","title":"Code","required":true}],"_meta":{}}"#,
            ),
            (
                Revision::V2024_11_05,
                r#"{"name":"code_review","description":"d","arguments":[{"name":"code","required":true}]}"#,
            ),
        ] {
            let mut out = Vec::new();
            definition.write(revision, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
        }
    }

    #[test]
    fn declares_arguments_one_by_one() {
        let argument = |name: &str, required| PromptArgument { name: name.into(), required };
        let mut definition = PromptDefinition::new("p").unwrap();
        assert_eq!(definition.arguments(), []);
        definition.add_argument(&argument("a", true), None).unwrap();
        definition.add_argument(&argument("b", false), Some("the b")).unwrap();
        let fault = definition.add_argument(&argument("a", false), None).unwrap_err();
        assert_eq!(
            fault.to_string(),
            "prompt \"p\": /arguments/2/name: there is another argument called \"a\""
        );
        assert!(definition.add_argument(&argument("", true), None).is_err());
        assert_eq!(definition.arguments(), [argument("a", true), argument("b", false)]);
    }

    #[test]
    fn names_the_prompt_and_the_place_of_a_fault() {
        for (text, wanted) in [
            ("{}", "prompt: \"name\" is missing"),
            (r#"{"name":""}"#, "prompt: /name: must not be empty"),
            (
                r#"{"name":"p","inputSchema":{}}"#,
                "prompt \"p\": unknown key \"inputSchema\"; known are name, title, description, icons, arguments, _meta",
            ),
            (
                r#"{"name":"p","arguments":[{"name":"a"},{"name":"a"}]}"#,
                "prompt \"p\": /arguments/1/name: there is another argument called \"a\"",
            ),
        ] {
            assert_eq!(PromptDefinition::from_json(text.as_bytes()).unwrap_err().to_string(), wanted);
        }
    }
}
