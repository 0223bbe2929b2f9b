//! MCP Apps (SEP-1865): the member `ui` of `_meta`, which joins a tool to the user interface that shows its results.
//! Members of it that are not named here are let through: the extension may grow.

use super::document::{self, DocumentFault, cut, not_one_of};
use super::json_members;
use super::json_write;

/// The media type of a user interface.
pub const MIME_TYPE: &str = "text/html;profile=mcp-app";

/// How the URI of a user interface begins.
pub const URI_SCHEME: &str = "ui://";

/// Who may see and call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Visibility {
    /// The model.
    pub to_model: bool,
    /// The user interfaces of the same server.
    pub to_app: bool,
}

impl Visibility {
    /// Everybody: what a tool has that says nothing.
    pub const ALL: Visibility = Visibility { to_model: true, to_app: true };
}

/// The object `ui` in a `_meta` object; `None` where there is none.
pub fn of_meta(meta: &[u8]) -> Option<&[u8]> {
    json_members::get(meta, "ui").filter(|ui| *ui != b"null")
}

/// Checks the `ui` in the `_meta` object of a tool.
pub fn check_tool(meta: &[u8]) -> Result<(), DocumentFault> {
    let Some(ui) = of_meta(meta) else { return Ok(()) };
    check_object(ui)?;
    resource_uri(ui)?;
    visibility(ui)?;
    Ok(())
}

/// Checks that `ui`, in a `_meta` object, is an object.
pub fn check_object(ui: &[u8]) -> Result<(), DocumentFault> {
    document::object(ui, POINTER).map(drop)
}

/// The URI of the user interface of a tool, from its `ui`.
pub fn resource_uri(ui: &[u8]) -> Result<Option<String>, DocumentFault> {
    let Some(raw) = json_members::get(ui, "resourceUri").filter(|raw| *raw != b"null") else {
        return Ok(None);
    };
    let pointer = || format!("{POINTER}/resourceUri");
    let uri = document::string(raw, pointer)?;
    if !uri.starts_with(URI_SCHEME) {
        let message =
            format!("the URI of a user interface begins with \"{URI_SCHEME}\", not \"{}\"", cut(&uri));
        return Err(DocumentFault::new(pointer(), message));
    }
    Ok(Some(uri.into_owned()))
}

/// Who may see and call a tool, from its `ui`.
pub fn visibility(ui: &[u8]) -> Result<Visibility, DocumentFault> {
    let Some(raw) = json_members::get(ui, "visibility").filter(|raw| *raw != b"null") else {
        return Ok(Visibility::ALL);
    };
    let pointer = format!("{POINTER}/visibility");
    let mut visibility = Visibility { to_model: false, to_app: false };
    for (index, audience) in document::array(raw, &pointer)?.into_iter().enumerate() {
        let at = || format!("{pointer}/{index}");
        let audience = document::string(audience, at)?;
        match &*audience {
            MODEL => visibility.to_model = true,
            APP => visibility.to_app = true,
            _ => return Err(DocumentFault::new(at(), not_one_of(&audience, &[MODEL, APP]))),
        }
    }
    match visibility {
        Visibility { to_model: false, to_app: false } => Err(DocumentFault::new(pointer, FOR_NOBODY)),
        visibility => Ok(visibility),
    }
}

/// `meta`, a `_meta` object if there is one, with `resourceUri` in its `ui`.
pub fn with_resource_uri(meta: Option<&[u8]>, uri: &str) -> Vec<u8> {
    let mut value = Vec::new();
    json_write::string(&mut value, uri);
    with_member(meta, "resourceUri", &value)
}

/// `meta`, a `_meta` object if there is one, with `visibility` in its `ui`.
pub fn with_visibility(meta: Option<&[u8]>, visibility: Visibility) -> Vec<u8> {
    let value: &[u8] = match (visibility.to_model, visibility.to_app) {
        (true, true) => br#"["model","app"]"#,
        (true, false) => br#"["model"]"#,
        (false, true) => br#"["app"]"#,
        (false, false) => b"[]",
    };
    with_member(meta, "visibility", value)
}

/// `meta`, a `_meta` object if there is one, with `ui`.
pub fn with_ui(meta: Option<&[u8]>, ui: &[u8]) -> Vec<u8> {
    json_members::with(meta.unwrap_or(b"{}"), "ui", ui)
}

/// Where `ui` lies in a definition.
const POINTER: &str = "/_meta/ui";
const MODEL: &str = "model";
const APP: &str = "app";
const FOR_NOBODY: &str = "nobody could call the tool; name \"model\", \"app\" or both";

fn with_member(meta: Option<&[u8]>, name: &str, value: &[u8]) -> Vec<u8> {
    let ui = meta.and_then(of_meta).unwrap_or(b"{}");
    with_ui(meta, &json_members::with(ui, name, value))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn merges_into_what_the_author_wrote() {
        let meta = br#"{"com.example/a":1,"ui":{"csp":{},"visibility":["app"]},"z":2}"#;
        let only_model = Visibility { to_model: true, to_app: false };
        let merged = with_visibility(Some(&with_resource_uri(Some(meta), "ui://a")), only_model);
        assert_eq!(
            String::from_utf8(merged.clone()).unwrap(),
            r#"{"com.example/a":1,"ui":{"csp":{},"visibility":["model"],"resourceUri":"ui://a"},"z":2}"#
        );
        let ui = of_meta(&merged).unwrap();
        assert_eq!(resource_uri(ui).unwrap().as_deref(), Some("ui://a"));
        assert_eq!(visibility(ui).unwrap(), only_model);
        assert_eq!(with_ui(None, b"{}"), br#"{"ui":{}}"#);
    }

    #[test]
    fn says_what_is_wrong_with_the_ui_of_a_tool() {
        for (ui, wanted) in [
            ("[]", "/_meta/ui: must be an object, not an array"),
            (r#"{"resourceUri":1}"#, "/_meta/ui/resourceUri: must be a string, not a number"),
            (
                r#"{"resourceUri":"https://a"}"#,
                "/_meta/ui/resourceUri: the URI of a user interface begins with \"ui://\", not \"https://a\"",
            ),
            (r#"{"visibility":"app"}"#, "/_meta/ui/visibility: must be an array, not a string"),
            (
                r#"{"visibility":["app","apps"]}"#,
                "/_meta/ui/visibility/1: \"apps\" is not one of \"model\", \"app\"; did you mean \"app\"?",
            ),
            (
                r#"{"visibility":[]}"#,
                "/_meta/ui/visibility: nobody could call the tool; name \"model\", \"app\" or both",
            ),
        ] {
            assert_eq!(check_tool(&with_ui(None, ui.as_bytes())).unwrap_err().to_string(), wanted);
        }
        for meta in [r#"{}"#, r#"{"ui":null}"#, r#"{"ui":{"resourceUri":null,"visibility":null,"new":[]}}"#] {
            assert_eq!(check_tool(meta.as_bytes()), Ok(()), "{meta}");
        }
    }
}
