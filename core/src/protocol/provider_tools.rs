//! A list of tools in the shape that the API of a model provider takes in a request, for a host that talks to the
//! model itself.
//!
//! A provider refuses a whole request for the sake of one tool that it does not like. So names are made to fit
//! ([`super::provider_tool_name`]), and of the root of an input schema the keywords go that the provider is known to
//! refuse there. That only lets more arguments pass than the tool takes; the call checks them all the same. Below
//! the root a schema stays as its author wrote it.
//!
//! | | OpenAI | Anthropic | Gemini |
//! |---|---|---|---|
//! | name | letters, digits, `_`, `-`; 64 | the same | also dots, begins with a letter or `_`; 63 |
//! | `$schema` | stays | stays | goes |
//! | `oneOf`, `anyOf`, `allOf` | go | go | stay |
//! | `enum`, `const`, `not` | go | stay | stay |
//! | `properties`, if missing | is added, empty | | |

use super::provider_tool_name::NameRule;
use super::{json_members, json_write};

/// Whose API, and which.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Provider {
    /// OpenAI's Chat Completions, and the many APIs that follow it: `tools`.
    OpenAiChat,
    /// OpenAI's Responses: `tools`. Its default is `"strict": true`, which takes only schemas written for it;
    /// these are sent with `false`.
    OpenAiResponses,
    /// Anthropic's Messages: `tools`.
    Anthropic,
    /// Google's Gemini, `generateContent`: `tools`, with the schema as `parametersJsonSchema`.
    Gemini,
}

/// A tool to be written.
#[derive(Clone, Copy, Debug)]
pub struct ProviderTool<'a> {
    /// Its name in the protocol.
    pub name: &'a str,
    /// What it does.
    pub description: Option<&'a str>,
    /// The JSON Schema of its arguments, a JSON object.
    pub input_schema: &'a [u8],
}

impl Provider {
    /// Which names the provider takes. A call by such a name is brought back with [`NameRule::original_name`].
    pub fn name_rule(self) -> NameRule {
        match self {
            // Anthropic takes 128 by now, but not everywhere where its models are served.
            Provider::OpenAiChat | Provider::OpenAiResponses | Provider::Anthropic => {
                NameRule { longest: 64, dots: false, begins_with_letter: false }
            }
            // It says 64, and has refused names of 64.
            Provider::Gemini => NameRule { longest: 63, dots: true, begins_with_letter: true },
        }
    }

    /// Appends the JSON array for `tools`.
    pub fn write(self, tools: &[ProviderTool<'_>], out: &mut Vec<u8>) {
        let names: Vec<_> = tools.iter().map(|tool| tool.name).collect();
        let wraps = self == Provider::Gemini && !tools.is_empty();
        out.extend_from_slice(if wraps { b"[{\"functionDeclarations\":[" } else { b"[" });
        for (index, (tool, name)) in tools.iter().zip(self.name_rule().exported_names(&names)).enumerate() {
            if index > 0 {
                out.push(b',');
            }
            self.write_tool(tool, &name, out);
        }
        out.extend_from_slice(if wraps { b"]}]" } else { b"]" });
    }

    fn write_tool(self, tool: &ProviderTool<'_>, name: &str, out: &mut Vec<u8>) {
        let (start, schema, end): (&str, &str, &str) = match self {
            Provider::OpenAiChat => ("{\"type\":\"function\",\"function\":{", "parameters", "}}"),
            Provider::OpenAiResponses => ("{\"type\":\"function\",", "parameters", ",\"strict\":false}"),
            Provider::Anthropic => ("{", "input_schema", "}"),
            Provider::Gemini => ("{", "parametersJsonSchema", "}"),
        };
        out.extend_from_slice(start.as_bytes());
        out.extend_from_slice(b"\"name\":");
        json_write::string(out, name);
        if let Some(description) = tool.description {
            out.extend_from_slice(b",\"description\":");
            json_write::string(out, description);
        }
        out.push(b',');
        json_write::string(out, schema);
        out.push(b':');
        self.write_schema(tool.input_schema, out);
        out.extend_from_slice(end.as_bytes());
    }

    fn write_schema(self, schema: &[u8], out: &mut Vec<u8>) {
        let mut kept = Vec::with_capacity(schema.len());
        json_members::append_without(&mut kept, schema, self.refused_keywords());
        let needs_properties = matches!(self, Provider::OpenAiChat | Provider::OpenAiResponses);
        if needs_properties && json_members::get(&kept, "properties").is_none() {
            kept = json_members::with(&kept, "properties", b"{}");
        }
        out.extend_from_slice(&kept);
    }

    /// What the provider refuses at the root of a schema.
    fn refused_keywords(self) -> &'static [&'static str] {
        match self {
            Provider::OpenAiChat | Provider::OpenAiResponses => {
                &["oneOf", "anyOf", "allOf", "enum", "const", "not"]
            }
            Provider::Anthropic => &["oneOf", "anyOf", "allOf"],
            Provider::Gemini => &["$schema"],
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ALL: [Provider; 4] =
        [Provider::OpenAiChat, Provider::OpenAiResponses, Provider::Anthropic, Provider::Gemini];

    fn tool<'a>(name: &'a str, description: Option<&'a str>, schema: &'a str) -> ProviderTool<'a> {
        ProviderTool { name, description, input_schema: schema.as_bytes() }
    }

    fn written(provider: Provider, tools: &[ProviderTool<'_>]) -> String {
        let mut out = Vec::new();
        provider.write(tools, &mut out);
        assert!(serde_json::from_slice::<serde_json::Value>(&out).is_ok());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn writes_the_shape_of_each_provider() {
        let schema = r#"{"type":"object","properties":{"b":{"type":"integer"},"a":{}},"required":["b"]}"#;
        let tools = [tool("math.add", Some("Adds \"two\"."), schema), tool("now", None, schema)];
        for (provider, wanted) in [
            (
                Provider::OpenAiChat,
                r#"[{"type":"function","function":{"name":"math_add","description":"Adds \"two\".","parameters":S}},{"type":"function","function":{"name":"now","parameters":S}}]"#,
            ),
            (
                Provider::OpenAiResponses,
                r#"[{"type":"function","name":"math_add","description":"Adds \"two\".","parameters":S,"strict":false},{"type":"function","name":"now","parameters":S,"strict":false}]"#,
            ),
            (
                Provider::Anthropic,
                r#"[{"name":"math_add","description":"Adds \"two\".","input_schema":S},{"name":"now","input_schema":S}]"#,
            ),
            (
                Provider::Gemini,
                r#"[{"functionDeclarations":[{"name":"math.add","description":"Adds \"two\".","parametersJsonSchema":S},{"name":"now","parametersJsonSchema":S}]}]"#,
            ),
        ] {
            assert_eq!(written(provider, &tools), wanted.replace(":S", &format!(":{schema}")));
            assert_eq!(written(provider, &[]), "[]");
        }
    }

    #[test]
    fn takes_away_what_a_provider_refuses_at_the_root_only() {
        let inner = r#"{"anyOf":[{"type":"object"}],"not":{},"$schema":"x"}"#;
        let schema = format!(
            r#"{{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","anyOf":[{{"required":["a"]}}],"not":{{}},"properties":{{"oneOf":{inner}}},"$defs":{{}}}}"#
        );
        for (provider, kept) in [
            (Provider::OpenAiChat, &["$schema", "type", "properties", "$defs"][..]),
            (Provider::OpenAiResponses, &["$schema", "type", "properties", "$defs"]),
            (Provider::Anthropic, &["$schema", "type", "not", "properties", "$defs"]),
            (Provider::Gemini, &["type", "anyOf", "not", "properties", "$defs"]),
        ] {
            let mut out = Vec::new();
            provider.write_schema(schema.as_bytes(), &mut out);
            let members = crate::protocol::document::object(&out, "").unwrap();
            assert_eq!(members.iter().map(|(key, _)| &**key).collect::<Vec<_>>(), kept, "{provider:?}");
            assert!(String::from_utf8_lossy(&out).contains(inner), "{provider:?}");
        }
    }

    #[test]
    fn adds_properties_where_they_are_missed() {
        for provider in ALL {
            let mut out = Vec::new();
            provider.write_schema(br#"{"type":"object"}"#, &mut out);
            let adds = matches!(provider, Provider::OpenAiChat | Provider::OpenAiResponses);
            let wanted = if adds { r#"{"type":"object","properties":{}}"# } else { r#"{"type":"object"}"# };
            assert_eq!(String::from_utf8(out).unwrap(), wanted, "{provider:?}");
        }
    }

    #[test]
    fn finds_the_tool_that_a_model_calls() {
        let names = ["math.add", "math_add", "now"];
        for provider in ALL {
            let rule = provider.name_rule();
            for (name, exported) in names.iter().zip(rule.exported_names(&names)) {
                assert_eq!(rule.original_name(&exported, &names), Some(*name), "{provider:?}");
            }
        }
    }
}
