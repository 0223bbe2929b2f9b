#![allow(missing_docs)]
use super::problem::Problems;
use serde_json::Value;
#[derive(Clone, Copy, Debug, Default)]
pub struct SchemaLimits {
    pub max_depth: usize,
    pub max_subschemas: usize,
}
pub struct CompiledSchema {
    v: jsonschema::Validator,
    names: Vec<String>,
}
impl CompiledSchema {
    pub fn compile(text: &[u8], _l: &SchemaLimits) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        let names = value
            .get("properties")
            .and_then(Value::as_object)
            .map(|o| o.keys().cloned().collect())
            .unwrap_or_default();
        Ok(Self { v: jsonschema::validator_for(&value).map_err(|e| e.to_string())?, names })
    }
    pub fn compile_input(text: &[u8], l: &SchemaLimits) -> Result<Self, String> {
        Self::compile(text, l)
    }
    pub fn validate(&self, value: &Value) -> Result<(), Problems> {
        if self.v.is_valid(value) {
            return Ok(());
        }
        Err(Problems(
            self.v.iter_errors(value).map(|e| (e.instance_path().to_string(), e.to_string())).collect(),
        ))
    }
    pub fn declares(&self, name: &str) -> bool {
        self.names.iter().any(|n| n == name)
    }
}
