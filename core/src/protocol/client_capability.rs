//! What a client declares that it can do, and what a tool requires of it.

use std::fmt::Display;

use bytes::Bytes;
use serde_json::{Map, Value};

use super::error::{ErrorCode, ProtocolError};

/// The `clientCapabilities` object of one request, as the client wrote it.
#[derive(Clone, Debug)]
pub struct ClientCapabilities(Bytes);

impl ClientCapabilities {
    /// The JSON text must be an object.
    pub fn new(json: Bytes) -> Self {
        ClientCapabilities(json)
    }

    /// The JSON text.
    pub fn json(&self) -> &Bytes {
        &self.0
    }

    /// Those of `required` that the client did not declare.
    pub fn missing<'a>(&self, required: &'a [ClientCapability]) -> Vec<&'a ClientCapability> {
        if required.is_empty() {
            return Vec::new();
        }
        let declared: Value = serde_json::from_slice(&self.0).unwrap_or_default();
        required.iter().filter(|capability| !capability.is_declared_in(&declared)).collect()
    }

    /// Fails with `-32021` if the client did not declare all of `required`, which `what` needs.
    ///
    /// Specification: basic, "Per-request protocol fields".
    pub fn require(&self, what: &impl Display, required: &[ClientCapability]) -> Result<(), ProtocolError> {
        let missing = self.missing(required);
        if missing.is_empty() { Ok(()) } else { Err(missing_capability(what, missing)) }
    }
}

/// `-32021`: `what` needs a client that declares `missing`.
pub fn missing_capability<'a>(
    what: &impl Display,
    missing: impl IntoIterator<Item = &'a ClientCapability> + Clone,
) -> ProtocolError {
    let names: Vec<_> = missing.clone().into_iter().map(ToString::to_string).collect();
    let message = format!("{what} needs a client that declares the capability {}", names.join(", "));
    let data = format!("{{\"requiredCapabilities\":{}}}", ClientCapability::required_json(missing));
    ProtocolError::new(ErrorCode::MISSING_CAPABILITY, message).with_data(data)
}

/// A capability that a client may declare, such as `sampling` or `elicitation.url`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCapability {
    path: Vec<String>,
}

impl ClientCapability {
    /// The names that can be required, but for those of extensions.
    pub const KNOWN: [&str; 7] = [
        "roots",
        "sampling",
        "sampling.context",
        "sampling.tools",
        "elicitation",
        "elicitation.form",
        "elicitation.url",
    ];

    /// The capability called `name`: one of [`Self::KNOWN`], or `extensions.` and an extension's identifier.
    pub fn named(name: &str) -> Result<Self, String> {
        if let Some(extension) = name.strip_prefix("extensions.").filter(|id| id.contains('/')) {
            return Ok(ClientCapability { path: vec!["extensions".into(), extension.into()] });
        }
        if Self::KNOWN.contains(&name) {
            return Ok(ClientCapability { path: name.split('.').map(String::from).collect() });
        }
        Err(format!(
            "\"{name}\" is no client capability; use one of {}, or extensions.PREFIX/NAME",
            Self::KNOWN.join(", ")
        ))
    }

    /// The object that `-32021` carries as `requiredCapabilities`.
    pub fn required_json<'a>(capabilities: impl IntoIterator<Item = &'a ClientCapability>) -> String {
        let mut root = Map::new();
        for capability in capabilities {
            let mut place = &mut root;
            for step in &capability.path {
                let entry = place.entry(step.as_str()).or_insert_with(|| Value::Object(Map::new()));
                match entry {
                    Value::Object(next) => place = next,
                    _ => break,
                }
            }
        }
        Value::Object(root).to_string()
    }

    fn is_declared_in(&self, declared: &Value) -> bool {
        let mut place = declared;
        for (depth, step) in self.path.iter().enumerate() {
            match place.get(step) {
                Some(next @ Value::Object(_)) => place = next,
                // An empty elicitation object means forms (client/elicitation, "Capabilities").
                None if depth == 1 && self.path == ["elicitation", "form"] => {
                    return place.as_object().is_some_and(Map::is_empty);
                }
                _ => return false,
            }
        }
        true
    }
}

impl Display for ClientCapability {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.path.join("."))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn finds_what_a_client_did_not_declare() {
        let cases = [
            ("{}", "sampling", false),
            (r#"{"sampling":{}}"#, "sampling", true),
            (r#"{"sampling":{}}"#, "sampling.tools", false),
            (r#"{"sampling":{"tools":{}}}"#, "sampling.tools", true),
            (r#"{"elicitation":{}}"#, "elicitation.form", true),
            (r#"{"elicitation":{"url":{}}}"#, "elicitation.form", false),
            (r#"{"elicitation":{"url":{}}}"#, "elicitation.url", true),
            (r#"{"extensions":{"com.x/y":{}}}"#, "extensions.com.x/y", true),
            (r#"{"sampling":true}"#, "sampling", false),
        ];
        for (declared, name, expected) in cases {
            let declared_capabilities = ClientCapabilities::new(Bytes::from(declared));
            let required = [ClientCapability::named(name).unwrap()];
            assert_eq!(declared_capabilities.missing(&required).is_empty(), expected, "{declared} {name}");
        }
    }

    #[test]
    fn says_what_is_required_as_the_protocol_does() {
        let names = ["sampling", "elicitation.url"];
        let required: Vec<_> = names.iter().map(|n| ClientCapability::named(n).unwrap()).collect();
        assert_eq!(ClientCapability::required_json(&required), r#"{"elicitation":{"url":{}},"sampling":{}}"#);
    }

    #[test]
    fn refuses_an_unknown_name() {
        assert!(ClientCapability::named("samplin").unwrap_err().contains("sampling"));
        assert!(ClientCapability::named("extensions.noprefix").is_err());
    }
}
