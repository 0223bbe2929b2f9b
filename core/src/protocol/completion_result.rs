//! The result of `completion/complete` (specification, server/utilities/completion, "Completion Results").

use super::document::{self, Document, DocumentFault};
use super::{json_write, result_envelope};

/// What an argument may become. At most 100 values are told; those that follow are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompletionResult {
    /// The values that are told: JSON strings with commas between them.
    values: Vec<u8>,
    /// How many values were given.
    given: u64,
    total: Option<u64>,
    has_more: bool,
    /// The `_meta` object.
    pub meta: Option<Vec<u8>>,
}

/// Most values in one result.
pub const MAX_VALUES: u64 = 100;

impl CompletionResult {
    /// Checks `text`, a CompleteResult, and takes it apart. `resultType` may stand there as `complete`. Unknown keys
    /// are refused by name.
    pub fn from_json(text: &[u8]) -> Result<Self, DocumentFault> {
        document::check_json(text, "")?;
        let document = Document::read(text, "", &["completion", "_meta", "resultType"])?;
        let mut result = CompletionResult { meta: result_envelope::check(&document)?, ..Self::default() };
        let Some(raw) = document.raw("completion") else {
            return Err(DocumentFault::new("", "\"completion\" is missing"));
        };
        let completion = Document::read(raw, "/completion", &["values", "total", "hasMore"])?;
        let Some(values) = completion.raw("values") else {
            return Err(DocumentFault::new("/completion", "\"values\" is missing"));
        };
        let pointer = completion.pointer_to("values");
        for (index, value) in document::array(values, &pointer)?.into_iter().enumerate() {
            document::string(value, || format!("{pointer}/{index}"))?;
            result.append_raw(|values| values.extend_from_slice(value));
        }
        result.total = completion.whole_number("total", "of values")?;
        result.has_more = completion.boolean("hasMore")? == Some(true);
        Ok(result)
    }

    /// Appends a value.
    pub fn append(&mut self, value: &str) {
        self.append_raw(|values| json_write::string(values, value));
    }

    /// Says how many values there are in all, told or not.
    pub fn set_total(&mut self, total: u64) {
        self.total = Some(total);
    }

    /// Appends the object `completion`. There are more values where one was counted and not told, or where the
    /// author says so; a total is never less than the values that were given.
    pub fn write(&self, out: &mut Vec<u8>) {
        let total = self.total.map(|total| total.max(self.given));
        let told = self.given.min(MAX_VALUES);
        let has_more = self.has_more || total.unwrap_or(self.given) > told;
        out.extend_from_slice(b"{\"values\":[");
        out.extend_from_slice(&self.values);
        out.push(b']');
        if let Some(total) = total {
            json_write::member_name(out, "total");
            json_write::integer(out, i64::try_from(total).unwrap_or(i64::MAX));
        }
        json_write::member_name(out, "hasMore");
        out.extend_from_slice(if has_more { b"true}" } else { b"false}" });
    }

    fn append_raw(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        self.given += 1;
        if self.given > MAX_VALUES {
            return;
        }
        if self.given > 1 {
            self.values.push(b',');
        }
        write(&mut self.values);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn written(result: &CompletionResult) -> String {
        let mut out = Vec::new();
        result.write(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn read(completion: &str) -> Result<CompletionResult, String> {
        let text = format!("{{\"completion\":{completion},\"_meta\":{{}},\"resultType\":\"complete\"}}");
        CompletionResult::from_json(text.as_bytes()).map_err(|fault| fault.to_string())
    }

    #[test]
    fn tells_the_values_and_whether_there_are_more() {
        for (given, wanted) in [
            (r#"{"values":[]}"#, r#"{"values":[],"hasMore":false}"#),
            (
                r#"{ "values":[ "a", "\u0062" ], "total":null }"#,
                r#"{"values":["a","\u0062"],"hasMore":false}"#,
            ),
            (r#"{"values":["a"],"total":1}"#, r#"{"values":["a"],"total":1,"hasMore":false}"#),
            (r#"{"values":["a"],"total":7}"#, r#"{"values":["a"],"total":7,"hasMore":true}"#),
            (r#"{"values":["a"],"total":0}"#, r#"{"values":["a"],"total":1,"hasMore":false}"#),
            (r#"{"values":["a"],"hasMore":true}"#, r#"{"values":["a"],"hasMore":true}"#),
        ] {
            let result = read(given).unwrap();
            assert_eq!(written(&result), wanted);
            assert_eq!(result.meta.as_deref(), Some(b"{}".as_slice()));
        }
        let mut built = CompletionResult::default();
        built.append("a\"");
        built.append("b");
        built.set_total(2);
        assert_eq!(written(&built), r#"{"values":["a\"","b"],"total":2,"hasMore":false}"#);
    }

    #[test]
    fn tells_a_hundred_values_and_that_there_are_more() {
        let with = |count: u32| {
            let mut built = CompletionResult::default();
            (0..count).for_each(|n| built.append(&n.to_string()));
            built
        };
        let (exact, over) = (written(&with(100)), written(&with(101)));
        assert!(exact.ends_with(r#","99"],"hasMore":false}"#), "{exact}");
        assert!(over.ends_with(r#","99"],"hasMore":true}"#), "{over}");
        let values: Vec<String> = (0..101).map(|n| format!("\"{n}\"")).collect();
        let read = read(&format!("{{\"values\":[{}],\"total\":3}}", values.join(","))).unwrap();
        assert!(written(&read).ends_with(r#","99"],"total":101,"hasMore":true}"#));
    }

    #[test]
    fn says_what_is_wrong_with_a_result() {
        for (completion, wanted) in [
            ("[]", "/completion: must be an object, not an array"),
            ("null", "\"completion\" is missing"),
            ("{}", "/completion: \"values\" is missing"),
            (r#"{"values":["a",5]}"#, "/completion/values/1: must be a string, not a number"),
            (r#"{"values":[],"total":-1}"#, "/completion/total: must be a whole number of values, 0 or more"),
            (
                r#"{"values":[],"has_more":true}"#,
                "/completion: unknown key \"has_more\"; did you mean \"hasMore\"?",
            ),
        ] {
            assert_eq!(read(completion).unwrap_err(), wanted);
        }
    }
}
