//! Arguments that some clients send as JSON text: taken for what they hold, where that is plainly meant.

use serde_json::Value;

use super::arguments::Arguments;
use crate::schema::compile::CompiledSchema;
use crate::schema::problem::Problems;

/// Replaces each string that the schema rejects and that holds JSON text which the schema accepts. `None`
/// if problems are left then. A string that the schema accepts is never touched.
pub fn mend(schema: &CompiledSchema, arguments: &Arguments, problems: &Problems) -> Option<Arguments> {
    let mut mended = arguments.decoded().clone();
    for pointer in problems.pointers() {
        if let Some(place) = mended.pointer_mut(pointer)
            && let Value::String(text) = place
            && let Ok(value @ (Value::Object(_) | Value::Array(_) | Value::Number(_) | Value::Bool(_))) =
                serde_json::from_str(text)
        {
            *place = value;
        }
    }
    schema.validate(&mended).ok()?;
    Arguments::decode(Some(mended.to_string().into())).ok()
}
