//! Puts the problems of a value into the one text that a language model, or an author, reads.

use super::problem::{Problem, Problems};
use crate::protocol::document::cut_to;

/// Longest pointer that is told whole, in characters: names come from peers, and can be of any length.
const LONGEST_POINTER: usize = 1024;

impl Problems {
    /// The text of the tool error for arguments that the input schema refuses: the tool, the count, and a line
    /// for each problem.
    pub fn describe_input(&self, tool: &str) -> String {
        let count = self.count();
        let plural = if count == 1 { "" } else { "s" };
        let head = format!("Invalid arguments for tool \"{tool}\" ({count} problem{plural}):");
        text(head, self, "the arguments", |problem| &problem.message)
    }

    /// The text for structured content that the output schema refuses. It names places and rules, and gives
    /// away nothing of the content: peers and logs may read it.
    pub fn describe_output(&self, tool: &str) -> String {
        let head = format!("The structured content of tool \"{tool}\" does not match its output schema:");
        text(head, self, "the whole", |problem| &problem.rule)
    }
}

fn text(head: String, problems: &Problems, whole: &str, said: impl Fn(&Problem) -> &String) -> String {
    let mut text = head;
    for problem in &problems.list {
        let place = match problem.pointer.as_str() {
            "" => whole.into(),
            pointer => cut_to(pointer, LONGEST_POINTER),
        };
        text.push_str(&format!("\n- {place}: {}", said(problem)));
    }
    if problems.more > 0 {
        text.push_str(&format!("\n- and {} more", problems.more));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_pointers_whole_up_to_a_bound() {
        let deep = "/items/12/address".repeat(20);
        let mut problems = Problems::default();
        problems.push(&deep, "x", "y");
        assert!(problems.describe_input("t").contains(&format!("- {deep}: x")));
        problems.push(&"/n".repeat(100_000), "x", "y");
        assert!(problems.describe_input("t").len() < 2_000);
    }

    #[test]
    fn puts_each_problem_on_a_line() {
        let mut problems = Problems::default();
        problems.push("/days", "9 is more than the maximum of 7", "must be at most 7");
        assert_eq!(
            problems.describe_input("forecast"),
            "Invalid arguments for tool \"forecast\" (1 problem):\n- /days: 9 is more than the maximum of 7"
        );
        problems.push("/days", "9 is more than the maximum of 7", "must be at most 7");
        problems.push("", "x", "must be y");
        problems.more = 3;
        assert_eq!(
            problems.describe_input("forecast"),
            "Invalid arguments for tool \"forecast\" (5 problems):\n- /days: 9 is more than the maximum of 7\n- the arguments: x\n- and 3 more"
        );
        assert_eq!(
            problems.describe_output("forecast"),
            "The structured content of tool \"forecast\" does not match its output schema:\n- /days: must be at most 7\n- the whole: must be y\n- and 3 more"
        );
    }
}
