//! A schema that is ready to check values.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

pub use super::bounds::SchemaLimits;
use super::dialect::Dialect;
use super::problem::Problems;
use super::reference::{self, References};
use super::{
    SchemaFault, dynamic_scope, effort, input_root, misspelling, repetition, subschemas, validity, wording,
};
use crate::protocol::{document, json_scan};

/// A compiled schema. Checking a valid value allocates nothing; any number of threads may check at once.
#[derive(Debug)]
pub struct CompiledSchema {
    validator: Validator,
    /// The text of the schema, read again only to word problems.
    text: Box<[u8]>,
    /// The names of the root's `properties`, sorted.
    declared: Box<[Box<str>]>,
    suspicions: Vec<String>,
}

impl CompiledSchema {
    /// Compiles the output schema of a tool: a JSON object, of which values of any type may be valid.
    pub fn compile(text: &[u8], limits: &SchemaLimits) -> Result<Self, SchemaFault> {
        let schema = parsed(text, limits)?;
        input_root::check_object(&schema)?;
        Self::build(&schema, text, limits)
    }

    /// Compiles the input schema of a tool, a schema of objects. What `x-mcp-header` says in it is the affair
    /// of [`super::header_annotation::find`].
    pub fn compile_input(text: &[u8], limits: &SchemaLimits) -> Result<Self, SchemaFault> {
        let schema = parsed(text, limits)?;
        input_root::check(&schema)?;
        Self::build(&schema, text, limits)
    }

    /// Whether the root of the schema has a property of this name.
    pub fn declares(&self, name: &str) -> bool {
        self.declared.binary_search_by(|declared| (**declared).cmp(name)).is_ok()
    }

    /// Keywords that are probably misspelt, and so without effect: a sentence for each, with its place.
    pub fn suspicions(&self) -> &[String] {
        &self.suspicions
    }

    /// Checks `value`, and tells everything that is wrong with it, up to a bound.
    pub fn validate(&self, value: &Value) -> Result<(), Problems> {
        if self.validator.is_valid(value) {
            return Ok(());
        }
        Err(self.problems(value))
    }

    fn build(schema: &Value, text: &[u8], limits: &SchemaLimits) -> Result<Self, SchemaFault> {
        let dialect = Dialect::of_root(schema)?;
        let survey = survey(schema, dialect, limits)?;
        if survey.has_references {
            let references = References::resolve(schema)?;
            repetition::check(&references, limits)?;
            dynamic_scope::check(&references)?;
        }
        let validator = jsonschema::options()
            .with_draft(dialect.draft())
            .offline()
            .should_validate_formats(false)
            .with_pattern_options(
                PatternOptions::fancy_regex()
                    .size_limit(limits.max_pattern_size)
                    .backtrack_limit(limits.max_pattern_backtracks),
            )
            .build(schema)
            .map_err(|error| validity::fault(&error, schema))?;
        let properties = schema.get("properties").and_then(Value::as_object);
        let mut declared: Box<[Box<str>]> =
            properties.into_iter().flatten().map(|(name, _)| name.as_str().into()).collect();
        declared.sort_unstable();
        Ok(CompiledSchema { validator, text: text.into(), declared, suspicions: survey.suspicions })
    }

    #[cold]
    fn problems(&self, value: &Value) -> Problems {
        let mut problems = Problems::default();
        let schema = serde_json::from_slice(&self.text).unwrap_or_default();
        if effort::is_affordable(&schema, value) {
            for error in self.validator.iter_errors(value) {
                wording::describe(&error, &schema, &mut problems);
            }
        }
        if problems.list.is_empty() {
            let message = "does not match the schema; the value is too intricate to say where";
            problems.push("", message, message);
        }
        problems
    }
}

/// What one walk over a schema finds.
#[derive(Default)]
struct Survey {
    schemas: usize,
    has_references: bool,
    suspicions: Vec<String>,
}

/// Walks over `schema`, and checks what must hold for every schema within it.
fn survey(schema: &Value, dialect: Dialect, limits: &SchemaLimits) -> Result<Survey, SchemaFault> {
    let mut survey = Survey::default();
    subschemas::walk(schema, "", &mut |inner, pointer| {
        survey.schemas += 1;
        limits.check_subschemas(survey.schemas, pointer)?;
        survey.has_references |= reference::has_reference(inner);
        misspelling::collect(inner, pointer, &mut survey.suspicions);
        dialect.check_nested(inner, pointer)
    })?;
    Ok(survey)
}

fn parsed(text: &[u8], limits: &SchemaLimits) -> Result<Value, SchemaFault> {
    document::check_json(text, "")?;
    limits.check_depth(json_scan::check(text).unwrap_or_default())?;
    serde_json::from_slice(text).map_err(|_| {
        SchemaFault::new(
            "",
            "a number in the schema is out of range, or an escape stands for half a character",
        )
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use serde_json::json;

    fn compiled(schema: &Value) -> Result<CompiledSchema, SchemaFault> {
        CompiledSchema::compile(schema.to_string().as_bytes(), &SchemaLimits::default())
    }

    fn fault_of(schema: &Value) -> String {
        compiled(schema).unwrap_err().to_string()
    }

    /// What an integer is does not depend on its spelling (B077).
    #[test]
    fn knows_integers_by_value() {
        for dialect in
            ["", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema"]
        {
            let mut schema =
                json!({"type": "object", "properties": {"n": {"type": "integer"}, "x": {"type": "number"}}});
            if !dialect.is_empty() {
                schema["$schema"] = dialect.into();
            }
            let schema = compiled(&schema).unwrap();
            for (text, valid) in [
                (r#"{"n":3}"#, true),
                (r#"{"n":3.0}"#, true),
                (r#"{"n":3e0}"#, true),
                (r#"{"n":-0.0}"#, true),
                (r#"{"n":18446744073709551616}"#, true),
                (r#"{"n":0.5}"#, false),
                (r#"{"n":true}"#, false),
                (r#"{"n":"5812"}"#, false),
                (r#"{"x":1}"#, true),
                (r#"{"x":1.5}"#, true),
                (r#"{"x":true}"#, false),
            ] {
                assert_eq!(
                    schema.validator.is_valid(&serde_json::from_str(text).unwrap()),
                    valid,
                    "{dialect} {text}"
                );
            }
        }
    }

    #[test]
    fn knows_multiples_of_fractions() {
        let schema = compiled(&json!({"multipleOf": 0.1, "maximum": 7})).unwrap();
        for (value, valid) in
            [(json!(0.3), true), (json!(7), true), (json!(0.35), false), (json!(7.1), false)]
        {
            assert_eq!(schema.validator.is_valid(&value), valid, "{value}");
        }
    }

    /// B069: recursion, references with siblings, names with `/` and `~`.
    #[test]
    fn follows_references_at_every_depth() {
        let schema = compiled(&json!({
            "type": "object",
            "$defs": {
                "N": {"type": "object", "properties": {
                    "v": {"$ref": "#/$defs/V", "description": "beside"},
                    "kids": {"type": "array", "items": {"$ref": "#/$defs/N"}}}},
                "V": {"enum": ["a", "b"]},
                "a/b~c": {"type": "integer"},
                "unused": {"type": "null"}},
            "properties": {"root": {"$ref": "#/$defs/N"}, "odd": {"$ref": "#/$defs/a~1b~0c"}}}))
        .unwrap();
        let nested = |leaf: &str| {
            let mut value = json!({"v": leaf});
            for _ in 0..4 {
                value = json!({"v": "a", "kids": [value]});
            }
            json!({"root": value, "odd": 1})
        };
        assert_eq!(schema.validate(&nested("b")), Ok(()));
        let problems = schema.validate(&nested("c")).unwrap_err();
        assert_eq!(problems.list[0].pointer, "/root/kids/0/kids/0/kids/0/kids/0/v");
        assert!(!schema.validator.is_valid(&json!({"odd": "x"})));
    }

    /// B071 and the specification's rule for dialects.
    #[test]
    fn checks_by_the_dialect_that_the_schema_names() {
        let tuple = |dialect: &str| json!({"$schema": dialect, "items": [{"type": "string"}]});
        let old = compiled(&tuple("http://json-schema.org/draft-07/schema#")).unwrap();
        assert!(old.validator.is_valid(&json!(["a"])) && !old.validator.is_valid(&json!([1])));
        assert!(
            fault_of(&tuple("https://json-schema.org/draft/2020-12/schema"))
                .starts_with("/items: must be one schema")
        );
        let nested = json!({"properties": {"a": {"$schema": "https://example.test/x"}}});
        assert!(
            fault_of(&nested).starts_with(
                "/properties/a/$schema: the dialect \"https://example.test/x\" is not supported"
            )
        );
        let other = json!({"not": {"$schema": "http://json-schema.org/draft-07/schema#"}});
        assert!(fault_of(&other).starts_with("/not/$schema: an inner schema must be of the same dialect"));
        for uri in ["https://json-schema.org/draft-07/schema", "http://json-schema.org/draft-07/schema#"] {
            let schema = json!({"$schema": "http://json-schema.org/draft-07/schema",
                "properties": {"a": {"$id": "urn:a", "$schema": uri, "items": [{"type": "string"}]}}});
            assert!(!compiled(&schema).unwrap().validator.is_valid(&json!({"a": [1]})), "{uri}");
        }
        assert!(compiled(&json!({"properties": {"$schema": {"type": "string"}}})).is_ok());
    }

    #[test]
    fn refuses_invalid_schemas_in_words_for_their_author() {
        for (schema, wanted) in [
            (
                json!({"properties": {"a": {"type": "int"}}}),
                "/properties/a/type: \"int\" is not a JSON Schema type; did you mean \"integer\"?",
            ),
            (
                json!({"type": ["string", "nul"]}),
                "/type/1: \"nul\" is not a JSON Schema type; did you mean \"null\"?",
            ),
            (
                json!({"type": "any"}),
                "/type: \"any\" is not a JSON Schema type; the types are string, integer, number, boolean, object, array, null",
            ),
            (json!({"type": 5}), "/type: must be the name of a type or an array of names, not 5"),
            (json!({"type": []}), "/type: must name at least one type, and none twice"),
            (
                json!({"properties": {"type": 5}}),
                "/properties/type: a schema must be an object, true or false, not 5",
            ),
            (
                json!({"properties": {"a": {"required": true}}}),
                "/properties/a/required: must be an array of names, and stands beside \"properties\", not inside a property",
            ),
            (json!({"required": ["a", "a"]}), "/required: has equal items, but each must be different"),
            (json!({"minimum": "1"}), "/minimum: expected number, got string \"1\"; send it without quotes"),
            (json!({"minLength": -1}), "/minLength: -1 is less than the minimum of 0"),
            (json!({"properties": []}), "/properties: expected object, got an array of 0 items"),
            (json!({"enum": 5}), "/enum: expected array, got 5"),
            (json!({"pattern": "("}), "/pattern: the pattern \"(\" is not valid, or too large when compiled"),
            (
                json!({"pattern": "(a{1000}){1000}"}),
                "/pattern: the pattern \"(a{1000}){1000}\" is not valid, or too large when compiled",
            ),
            (
                json!({"additionalProperties": "no"}),
                "/additionalProperties: a schema must be an object, true or false, not string \"no\"",
            ),
            (json!({"$ref": "#/$defs/b"}), "/$ref: \"#/$defs/b\" leads nowhere"),
            (json!(true), "a schema must be a JSON object, not true; {} lets everything pass"),
        ] {
            assert_eq!(fault_of(&schema), wanted);
        }
    }

    #[test]
    fn refuses_schemas_past_a_bound() {
        let limits = SchemaLimits { max_depth: 10, max_subschemas: 5, ..SchemaLimits::default() };
        let compile = |schema: &Value| CompiledSchema::compile(schema.to_string().as_bytes(), &limits);
        let deep = (0..6).fold(json!({}), |inner, _| json!({"not": {"not": inner}}));
        assert!(
            compile(&deep)
                .unwrap_err()
                .message
                .starts_with("the schema is nested 13 levels deep, 10 are allowed")
        );
        let wide = json!({"anyOf": [{}, {}, {}, {}, {}]});
        assert_eq!(
            compile(&wide).unwrap_err().to_string(),
            "/anyOf/4: with this one the schema holds more than 5 schemas"
        );
        let endless = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(CompiledSchema::compile(endless.as_bytes(), &SchemaLimits::default()).is_err());
        let unlimited = SchemaLimits { max_depth: usize::MAX, ..SchemaLimits::default() };
        let schema = format!("{{\"default\":{}1{}}}", "[".repeat(200), "]".repeat(200));
        let fault = CompiledSchema::compile(schema.as_bytes(), &unlimited).unwrap_err();
        assert!(fault.message.contains("127 are allowed"), "{fault}");
    }

    /// A pattern that steps back for ever ends in a refusal, soon.
    #[test]
    fn gives_up_on_a_pattern_that_explodes() {
        let schema = compiled(&json!({"pattern": r"^(?!x)((a|aa)+)\1$"})).unwrap();
        let problems = schema.validate(&json!("a".repeat(3_001) + "b")).unwrap_err();
        assert_eq!(problems.list.len(), 1);
        let linear = compiled(&json!({"pattern": "^(a+)+$"})).unwrap();
        assert!(!linear.validator.is_valid(&json!("a".repeat(100_000) + "b")));
    }

    /// Finding words for problems must not cost much more than finding the problems, however many there are.
    #[test]
    fn spends_little_on_words_for_many_problems() {
        let names: Vec<String> = (0..20).map(|n| format!("declared_argument_{n}")).collect();
        let properties: serde_json::Map<String, Value> =
            names.iter().map(|n| (n.clone(), json!({}))).collect();
        let closed = json!({"type": "object", "additionalProperties": false, "properties": properties});
        let unknown: serde_json::Map<String, Value> =
            (0..20_000).map(|n| (format!("declared_argumant_{n}"), json!(1))).collect();
        let choice: Vec<String> = (0..50).map(|n| format!("choice_number_{n}")).collect();
        let choices = json!({"items": {"enum": choice}});
        for (schema, value) in
            [(closed, Value::Object(unknown)), (choices, Value::from(vec!["choice_numbar"; 20_000]))]
        {
            let compiled = compiled(&schema).unwrap();
            let finding = fastest(|| {
                assert!(effort::is_affordable(&schema, &value));
                assert_ne!(compiled.validator.iter_errors(&value).count(), 0);
            });
            let telling = fastest(|| assert!(compiled.problems(&value).count() > 19_000));
            assert!(telling < finding * 5, "{telling:?} against {finding:?}");
        }
    }

    fn fastest(work: impl Fn()) -> std::time::Duration {
        let timed = || {
            let start = std::time::Instant::now();
            work();
            start.elapsed()
        };
        (0..3).map(|_| timed()).min().unwrap()
    }

    #[test]
    fn knows_its_declared_names() {
        let schema = br#"{"type": "object", "properties": {"b": {}, "a": {}, "\u00e9": {}, "B": {}},
            "anyOf": [{"properties": {"c": {}}}]}"#;
        let schema = CompiledSchema::compile_input(schema, &SchemaLimits::default()).unwrap();
        assert!(schema.declared.is_sorted());
        for (name, declared) in [("a", true), ("b", true), ("é", true), ("c", false), ("", false)] {
            assert_eq!(schema.declares(name), declared, "{name}");
        }
    }

    #[test]
    fn takes_no_notice_of_formats() {
        for format in ["uint32", "email", "double"] {
            let schema = json!({"$schema": "http://json-schema.org/draft-07/schema#", "format": format});
            assert!(compiled(&schema).unwrap().validator.is_valid(&json!("x")), "{format}");
        }
    }

    /// B075: each of these makes some host drop the whole server.
    #[test]
    fn refuses_input_schemas_whose_root_is_no_object() {
        for schema in ["null", "true", "{}", r#"{"type":"array"}"#, r#"{"anyOf":[{"type":"object"}]}"#] {
            let fault =
                CompiledSchema::compile_input(schema.as_bytes(), &SchemaLimits::default()).unwrap_err();
            assert!(fault.message.contains("must have \"type\": \"object\" at its root"), "{fault}");
        }
    }

    #[test]
    fn survives_a_large_invalid_value() {
        let schema =
            compiled(&json!({"anyOf": [{"items": {"type": "string"}}, {"items": {"type": "null"}}]}))
                .unwrap();
        let problems = schema.validate(&Value::from(vec![1; 100_000])).unwrap_err();
        assert_eq!(
            problems.list[0].message,
            "does not match the schema; the value is too intricate to say where"
        );
    }

    /// Alternatives that refer to one another: what is wrong deep inside is found, or given up on, soon.
    #[test]
    fn survives_a_deep_invalid_value_of_a_recursive_schema() {
        let node = |ops: Value| {
            json!({"type": "object", "required": ["op", "args"], "properties": {
                "op": {"enum": ops}, "args": {"type": "array", "items": {"$ref": "#/$defs/e"}}}})
        };
        let schema = compiled(&json!({"$ref": "#/$defs/e", "$defs": {"e": {"anyOf": [
            node(json!(["and", "or"])), node(json!(["not"])), {"type": "integer"}]}}}))
        .unwrap();
        let nested = |depth| (0..depth).fold(json!("x"), |inner, _| json!({"op": "not", "args": [inner]}));
        let problems = schema.validate(&nested(3)).unwrap_err();
        assert_eq!(problems.list.len(), 1, "{problems:?}");
        assert_eq!(problems.list[0].pointer, "/args/0/args/0/args/0");
        assert_eq!(problems.list[0].message, "expected object or integer, got string \"x\"");
        assert_eq!(schema.validate(&nested(60)).unwrap_err().list.len(), 1);
    }
}
