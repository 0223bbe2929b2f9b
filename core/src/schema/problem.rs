//! What is wrong with a value that a schema refuses, in words made for a language model.

/// Most problems told at once.
pub(super) const MAX_PROBLEMS: usize = 50;

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
    /// How many more there are.
    pub more: usize,
}

impl Problems {
    /// Adds a problem, unless it is known already.
    pub(super) fn push(&mut self, pointer: &str, message: impl Into<String>, rule: impl Into<String>) {
        let problem = Problem { pointer: pointer.into(), message: message.into(), rule: rule.into() };
        if self.list.contains(&problem) {
            return;
        }
        if self.list.len() < MAX_PROBLEMS {
            self.list.push(problem);
        } else {
            self.more += 1;
        }
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
