//! How large and how intricate a schema may be.

use super::SchemaFault;

/// Nesting of arrays and objects in the text of a schema, see [`SchemaLimits::max_depth`].
const DEPTH: usize = 100;
/// The depth that the parser can take without a risk for the stack.
const DEPTH_CEILING: usize = 127;
/// Schemas within a schema, see [`SchemaLimits::max_subschemas`].
const SUBSCHEMAS: usize = 10_000;
/// Schemas applied to one value, see [`SchemaLimits::max_checks_per_value`].
const CHECKS_PER_VALUE: usize = 10_000;
/// Schemas that lead to one another on one value, see [`SchemaLimits::max_reference_chain`].
const REFERENCE_CHAIN: usize = 32;
/// Size of a compiled pattern in bytes, see [`SchemaLimits::max_pattern_size`].
const PATTERN_SIZE: usize = 4 << 20;
/// Steps back while matching a pattern, see [`SchemaLimits::max_pattern_backtracks`].
const PATTERN_BACKTRACKS: usize = 100_000;

/// Bounds of a schema; one that passes a bound is refused when it is compiled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaLimits {
    /// Deepest nesting of arrays and objects in the text. Default 100, at most 127.
    pub max_depth: usize,
    /// Most schemas within the schema, itself included. Default 10,000.
    pub max_subschemas: usize,
    /// Most schemas that are applied to one and the same value when every reference is followed: a few lines of
    /// references to references can ask for billions of checks. Default 10,000.
    pub max_checks_per_value: usize,
    /// Longest way from schema to schema that stays on the same value, by reference or by `allOf` and its like,
    /// in a schema with references. With the depth of a value it decides how much stack a check can take.
    /// Default 32.
    pub max_reference_chain: usize,
    /// Largest compiled regular expression of `pattern` or `patternProperties`, in bytes. Default 4 MiB.
    pub max_pattern_size: usize,
    /// Most steps back while matching one string against a pattern that needs them (back references and most
    /// look-around; other patterns run in linear time). A string that needs more is refused. Default 100,000.
    pub max_pattern_backtracks: usize,
}

impl Default for SchemaLimits {
    fn default() -> Self {
        SchemaLimits {
            max_depth: DEPTH,
            max_subschemas: SUBSCHEMAS,
            max_checks_per_value: CHECKS_PER_VALUE,
            max_reference_chain: REFERENCE_CHAIN,
            max_pattern_size: PATTERN_SIZE,
            max_pattern_backtracks: PATTERN_BACKTRACKS,
        }
    }
}

impl SchemaLimits {
    /// Checks the nesting depth of the text of a schema.
    pub(super) fn check_depth(&self, depth: usize) -> Result<(), SchemaFault> {
        let limit = self.max_depth.min(DEPTH_CEILING);
        if depth <= limit {
            return Ok(());
        }
        let message = format!(
            "the schema is nested {depth} levels deep, {limit} are allowed; move inner parts to \"$defs\" and refer to them"
        );
        Err(SchemaFault::new("", message))
    }

    /// Checks the number of schemas counted so far, the last of which stands at `pointer`.
    pub(super) fn check_subschemas(&self, count: usize, pointer: &str) -> Result<(), SchemaFault> {
        if count <= self.max_subschemas {
            return Ok(());
        }
        let message = format!("with this one the schema holds more than {} schemas", self.max_subschemas);
        Err(SchemaFault::new(pointer, message))
    }
}
