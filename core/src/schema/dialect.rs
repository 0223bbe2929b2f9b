//! Which dialect of JSON Schema a schema is written in (specification, basic, "Schema Dialect").

use jsonschema::Draft;
use serde_json::Value;

use super::SchemaFault;
use crate::protocol::document::cut;

/// A supported dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// 2020-12, that of a schema without `$schema`.
    Draft202012,
    /// 2019-09.
    Draft201909,
    /// draft-07.
    Draft07,
}

impl Dialect {
    /// The dialect that the root of a schema names.
    pub(super) fn of_root(schema: &Value) -> Result<Self, SchemaFault> {
        match schema.get("$schema") {
            None => Ok(Dialect::Draft202012),
            Some(named) => Self::named(named, ""),
        }
    }

    /// Checks that a subschema at `pointer`, if it names a dialect, names this one.
    pub(super) fn check_nested(self, schema: &Value, pointer: &str) -> Result<(), SchemaFault> {
        let Some(named) = schema.get("$schema") else { return Ok(()) };
        if Self::named(named, pointer)? == self {
            return Ok(());
        }
        let message = "an inner schema must be of the same dialect as the whole";
        Err(SchemaFault::new(format!("{pointer}/$schema"), message))
    }

    /// The draft that the validator knows the dialect by.
    pub(super) fn draft(self) -> Draft {
        match self {
            Dialect::Draft202012 => Draft::Draft202012,
            Dialect::Draft201909 => Draft::Draft201909,
            Dialect::Draft07 => Draft::Draft7,
        }
    }

    fn named(named: &Value, pointer: &str) -> Result<Self, SchemaFault> {
        let fault = |message| SchemaFault::new(format!("{pointer}/$schema"), message);
        let Some(uri) = named.as_str() else {
            return Err(fault(format!("must be a string, the URI of a dialect; {SUPPORTED}")));
        };
        let bare = uri.strip_prefix("https://").or_else(|| uri.strip_prefix("http://")).unwrap_or("");
        match bare.strip_suffix('#').unwrap_or(bare) {
            "json-schema.org/draft/2020-12/schema" => Ok(Dialect::Draft202012),
            "json-schema.org/draft/2019-09/schema" => Ok(Dialect::Draft201909),
            "json-schema.org/draft-07/schema" => Ok(Dialect::Draft07),
            _ => Err(fault(format!("the dialect \"{}\" is not supported; {SUPPORTED}", cut(uri)))),
        }
    }
}

const SUPPORTED: &str = "supported are https://json-schema.org/draft/2020-12/schema (the default), \
    https://json-schema.org/draft/2019-09/schema and http://json-schema.org/draft-07/schema#";

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn knows_its_dialects_in_every_spelling() {
        for (uri, dialect) in [
            ("https://json-schema.org/draft/2020-12/schema", Dialect::Draft202012),
            ("http://json-schema.org/draft/2020-12/schema#", Dialect::Draft202012),
            ("https://json-schema.org/draft/2019-09/schema#", Dialect::Draft201909),
            ("http://json-schema.org/draft-07/schema#", Dialect::Draft07),
            ("http://json-schema.org/draft-07/schema", Dialect::Draft07),
            ("https://json-schema.org/draft-07/schema", Dialect::Draft07),
        ] {
            assert_eq!(Dialect::of_root(&serde_json::json!({ "$schema": uri })), Ok(dialect), "{uri}");
        }
        assert_eq!(Dialect::of_root(&serde_json::json!({})), Ok(Dialect::Draft202012));
    }

    #[test]
    fn names_the_dialect_that_it_refuses() {
        for named in ["http://json-schema.org/draft-04/schema#", "https://example.test/x", "", "draft-07"] {
            let fault = Dialect::of_root(&serde_json::json!({ "$schema": named })).unwrap_err();
            assert_eq!(fault.pointer, "/$schema");
            assert!(fault.message.contains(&format!("\"{named}\" is not supported; supported are https:")));
        }
        let fault = Dialect::of_root(&serde_json::json!({ "$schema": 5 })).unwrap_err();
        assert!(fault.to_string().starts_with("/$schema: must be a string"));
    }
}
