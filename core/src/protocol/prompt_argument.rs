//! The arguments that a prompt declares (specification, server/prompts, "Prompt").

use super::document::{self, Document, DocumentFault, cut};
use super::json_members;
use super::json_write;
use super::revision::Revision;

/// An argument of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptArgument {
    /// Its name.
    pub name: Box<str>,
    /// Whether `prompts/get` must give it.
    pub required: bool,
}

/// Checks `raw`, a JSON array of arguments at `pointer`, and returns it as it is published: compact, without nulls.
pub fn check_list(raw: &[u8], pointer: &str) -> Result<Vec<u8>, DocumentFault> {
    let mut out = vec![b'['];
    let mut names = Vec::new();
    document::append_elements(&mut out, raw, pointer, |out, argument, pointer| {
        let argument = Document::read(argument, pointer, FIELDS)?;
        let name = argument.required_string("name")?;
        if name.is_empty() {
            return Err(argument.fault("name", "must not be empty"));
        }
        if names.contains(&name) {
            return Err(
                argument.fault("name", format!("there is another argument called \"{}\"", cut(&name)))
            );
        }
        names.push(name);
        argument.string("title")?;
        argument.string("description")?;
        argument.boolean("required")?;
        argument.write(out, |_| None);
        Ok(())
    })?;
    out.push(b']');
    Ok(out)
}

/// The arguments of a list that [`check_list`] returned.
pub fn read_list(published: &[u8]) -> Vec<PromptArgument> {
    let read = |raw| {
        let argument = Document::read(raw, "", FIELDS).ok()?;
        let name = argument.string("name").ok()??.into();
        Some(PromptArgument { name, required: argument.boolean("required").ok()? == Some(true) })
    };
    document::array(published, "").unwrap_or_default().into_iter().filter_map(read).collect()
}

/// Appends a list that [`check_list`] returned, without the titles that an old `revision` does not know.
pub fn write_list(published: &[u8], revision: Revision, out: &mut Vec<u8>) {
    if revision.has_titles() {
        return out.extend_from_slice(published);
    }
    out.push(b'[');
    for (index, argument) in document::array(published, "").unwrap_or_default().into_iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        json_members::append_without(out, argument, &["title"]);
    }
    out.push(b']');
}

/// `published`, a list that [`check_list`] returned, with another argument at its end. The result is not checked.
pub fn with_argument(published: &[u8], argument: &PromptArgument, description: Option<&str>) -> Vec<u8> {
    let mut out = published.strip_suffix(b"]").unwrap_or(b"[").to_vec();
    if out.len() > 1 {
        out.push(b',');
    }
    out.extend_from_slice(b"{\"name\":");
    json_write::string(&mut out, &argument.name);
    if let Some(description) = description {
        out.extend_from_slice(b",\"description\":");
        json_write::string(&mut out, description);
    }
    out.extend_from_slice(if argument.required { b",\"required\":true}]" } else { b"}]" });
    out
}

const FIELDS: &[&str] = &["name", "title", "description", "required"];

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn publishes_and_reads_good_arguments() {
        let raw = br#"[ {"name":"a", "title":"A", "required": true}, {"description":"d","name":"\u0062","title":null} ]"#;
        let published = check_list(raw, "/arguments").unwrap();
        assert_eq!(
            String::from_utf8(published.clone()).unwrap(),
            r#"[{"name":"a","title":"A","required":true},{"description":"d","name":"\u0062"}]"#
        );
        let argument = |name: &str, required| PromptArgument { name: name.into(), required };
        assert_eq!(read_list(&published), [argument("a", true), argument("b", false)]);
        assert_eq!(check_list(b"[]", "/arguments").unwrap(), b"[]");
    }

    #[test]
    fn titles_are_for_clients_that_know_them() {
        let published = br#"[{"name":"a","title":"A","required":true},{"title":"B","name":"b"}]"#;
        for (revision, wanted) in [
            (Revision::V2025_06_18, str::from_utf8(published).unwrap()),
            (Revision::V2025_03_26, r#"[{"name":"a","required":true},{"name":"b"}]"#),
        ] {
            let mut out = Vec::new();
            write_list(published, revision, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted);
        }
    }

    #[test]
    fn appends_an_argument() {
        let argument = |name: &str, required| PromptArgument { name: name.into(), required };
        let one = with_argument(b"[]", &argument("a\"", true), None);
        let two = with_argument(&one, &argument("b", false), Some("the b"));
        let wanted = r#"[{"name":"a\"","required":true},{"name":"b","description":"the b"}]"#;
        assert_eq!(String::from_utf8(two.clone()).unwrap(), wanted);
        assert_eq!(check_list(&two, "").unwrap(), wanted.as_bytes());
    }

    #[test]
    fn says_what_is_wrong_with_an_argument() {
        for (raw, wanted) in [
            ("{}", "/arguments: must be an array, not an object"),
            ("[5]", "/arguments/0: must be an object, not a number"),
            ("[{}]", "/arguments/0: \"name\" is missing"),
            (r#"[{"name":""}]"#, "/arguments/0/name: must not be empty"),
            (
                r#"[{"name":"a"},{"name":"\u0061"}]"#,
                "/arguments/1/name: there is another argument called \"a\"",
            ),
            (
                r#"[{"name":"a","required":"yes"}]"#,
                "/arguments/0/required: must be true or false, not a string",
            ),
            (
                r#"[{"name":"a","type":"string"}]"#,
                "/arguments/0: unknown key \"type\"; known are name, title, description, required",
            ),
            (
                r#"[{"name":"a","descripton":"x"}]"#,
                "/arguments/0: unknown key \"descripton\"; did you mean \"description\"?",
            ),
        ] {
            assert_eq!(check_list(raw.as_bytes(), "/arguments").unwrap_err().to_string(), wanted);
        }
    }
}
