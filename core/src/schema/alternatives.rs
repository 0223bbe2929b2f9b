//! What to say where a value matches none of several alternatives (`anyOf`, `oneOf`): the problems of the one
//! that was probably meant, not of all.

use jsonschema::error::ValidationErrorKind as Kind;
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::problem::Problems;
use super::wording;
use crate::protocol::document::cut_to;

/// Adds what is wrong with a value that `error` says matches none of its alternatives; `branches` are the errors
/// of each.
pub(super) fn describe(
    error: &ValidationError<'_>,
    branches: &[Vec<ValidationError<'static>>],
    schema: &Value,
    problems: &mut Problems,
) {
    let at = error.instance_path().as_str();
    let nearest = branches.iter().map(|branch| distance(branch, at)).min().unwrap_or(MEANT);
    let meant: Vec<_> = branches.iter().filter(|branch| distance(branch, at) == nearest).collect();
    if nearest == OTHER_TYPE {
        wording::wrong_type(at, error.instance(), expected_types(branches, at), problems);
        return;
    }
    if let [only] = meant.as_slice() {
        only.iter().for_each(|error| wording::describe(error, schema, problems));
        return;
    }
    let (message, rule) = told(&meant, at, schema, problems);
    let count = branches.len();
    problems.push(
        at,
        format!("matches none of {count} alternatives{message}"),
        format!("must match one of {count} alternatives{rule}"),
    );
}

/// The value is of another type than the alternative asks for.
const OTHER_TYPE: u8 = 2;
/// The type fits, but a fixed value, as a tag that tells alternatives apart, does not.
const OTHER_TAG: u8 = 1;
/// Type and tags fit.
const MEANT: u8 = 0;

/// How far the value at `at` is from an alternative with these errors.
fn distance(branch: &[ValidationError<'static>], at: &str) -> u8 {
    let here = |error: &&ValidationError<'static>| error.instance_path().as_str() == at;
    if branch.iter().filter(here).any(|error| matches!(error.kind(), Kind::Type { .. })) {
        return OTHER_TYPE;
    }
    if branch.iter().any(|error| is_tag(error, at)) {
        return OTHER_TAG;
    }
    MEANT
}

/// Whether the error is about a fixed value, of the value at `at` or of a member of it.
fn is_tag(error: &ValidationError<'_>, at: &str) -> bool {
    let below = error.instance_path().as_str().strip_prefix(at).unwrap_or_default();
    matches!(error.kind(), Kind::Constant { .. } | Kind::Enum { .. }) && below.matches('/').count() <= 1
}

/// The types that the alternatives ask for at `at`.
fn expected_types(branches: &[Vec<ValidationError<'static>>], at: &str) -> Vec<JsonType> {
    let mut types: Vec<JsonType> = Vec::new();
    for error in branches.iter().flatten().filter(|error| error.instance_path().as_str() == at) {
        if let Kind::Type { kind } = error.kind() {
            types.extend(
                wording::types(kind).into_iter().filter(|kind| !types.contains(kind)).collect::<Vec<_>>(),
            );
        }
    }
    types
}

/// The first problem of each of the alternatives, for message and rule.
fn told(
    meant: &[&Vec<ValidationError<'static>>],
    at: &str,
    schema: &Value,
    problems: &mut Problems,
) -> (String, String) {
    const TOLD: usize = 4;
    const LENGTH: usize = 200;
    let (mut message, mut rule) = (String::new(), String::new());
    for (index, branch) in meant.iter().take(TOLD).enumerate() {
        let found = problems.aside(|found| {
            branch.iter().take(1).for_each(|error| wording::describe(error, schema, found));
        });
        let Some(first) = found.first() else { continue };
        let place = first.pointer.strip_prefix(at).unwrap_or(&first.pointer);
        let place = if place.is_empty() { String::new() } else { format!("{place}: ") };
        let separator = if index == 0 { ":" } else { ";" };
        message.push_str(&format!("{separator} {place}{}", cut_to(&first.message, LENGTH)));
        rule.push_str(&format!("{separator} {place}{}", cut_to(&first.rule, LENGTH)));
    }
    (message, rule)
}
