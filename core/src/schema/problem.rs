//! What is wrong with a value that a schema refuses, in words made for a language model.

use crate::protocol::nearest_name::did_you_mean;

/// Most problems told at once.
pub(super) const MAX_PROBLEMS: usize = 50;

/// Most lookups for a "did you mean" in the problems of one value: each compares a name with all that are known.
const MAX_HINTS: usize = 10;

/// One thing that is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// JSON Pointer to the place in the value.
    pub pointer: String,
    /// What is wrong there. May quote the value, shortened.
    pub message: String,
    /// The rule that is broken. Says nothing of the value.
    pub rule: String,
}

/// Everything that is wrong with a value, up to a bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problems {
    /// The problems, at most 50, no two alike.
    pub list: Vec<Problem>,
    /// How many more there are, each counted, alike or not.
    pub more: usize,
    /// How many hints were looked up.
    hints: usize,
}

impl Problems {
    /// Adds a problem, unless the same rule is known to be broken in the same place.
    pub(super) fn push(&mut self, pointer: &str, message: impl Into<String>, rule: impl Into<String>) {
        if self.is_full() {
            self.more += 1;
            return;
        }
        let problem = Problem { pointer: pointer.into(), message: message.into(), rule: rule.into() };
        let known = |other: &Problem| other.pointer == problem.pointer && other.rule == problem.rule;
        if !self.list.iter().any(known) {
            self.list.push(problem);
        }
    }

    /// Whether more problems are only counted, so that no words need to be found for them.
    pub(super) fn is_full(&self) -> bool {
        self.list.len() >= MAX_PROBLEMS
    }

    /// As [`did_you_mean`], for the first few problems; nothing for the others.
    pub(super) fn hint<'a>(
        &mut self,
        written: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> String {
        if self.hints >= MAX_HINTS {
            return String::new();
        }
        self.hints += 1;
        did_you_mean(written, candidates)
    }

    /// Lets `describe` find words for a part of the value's problems, which are returned, not added. Hints count.
    pub(super) fn aside(&mut self, describe: impl FnOnce(&mut Problems)) -> Vec<Problem> {
        let mut part = Problems { hints: self.hints, ..Problems::default() };
        describe(&mut part);
        self.hints = part.hints;
        part.list
    }

    /// The places of the problems.
    pub fn pointers(&self) -> impl Iterator<Item = &str> {
        self.list.iter().map(|problem| problem.pointer.as_str())
    }

    /// How many problems there are in all.
    pub fn count(&self) -> usize {
        self.list.len() + self.more
    }
}
