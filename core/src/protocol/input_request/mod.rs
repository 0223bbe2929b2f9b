//! What a handler asks of the client amid a request: a form or a page for the user, a message from the client's
//! language model, or the client's roots.
//!
//! One request serves both eras: a modern client finds it among the `inputRequests` of an `input_required` result, a
//! legacy one gets it as a request of the server's.
//!
//! Specification: basic/patterns/mrtr, "InputRequests"; client/elicitation, client/sampling, client/roots.

mod elicitation;
mod form;
mod form_field;
mod legacy;
mod model_preferences;
mod sampling;
mod sampling_content;
mod sampling_messages;
mod web_address;

use std::borrow::Cow;

use super::client_capability::ClientCapability;
use super::document::{self, Document, DocumentFault, not_one_of};
use super::json_compact::compact;
use super::revision::Revision;
use super::{json_members, json_write, meta_key};

/// A request for input, checked: it has the shape that revision 2026-07-28 gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputRequest {
    kind: InputKind,
    /// As they are published: compact, without null members. Absent for a request for roots that has none.
    params: Option<Box<[u8]>>,
}

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// That the user fills in a form.
    Form,
    /// That the user visits a page.
    Url,
    /// A message from the client's language model. Deprecated since revision 2026-07-28.
    Sampling,
    /// The client's roots. Deprecated since revision 2026-07-28.
    Roots,
}

impl InputRequest {
    /// Reads what an author asks for: `{"method": ..., "params": ...}` with the method `elicitation/create`,
    /// `sampling/createMessage` or `roots/list`. Keys that the specification does not know are refused by name.
    pub fn from_json(text: &[u8]) -> Result<Self, DocumentFault> {
        document::check_json(text, "")?;
        let request = Document::read(text, "", &["method", "params"])?;
        let method = request.required_string("method")?;
        let params = request.raw("params");
        let (kind, params) = match &*method {
            ELICITATION => elicitation::published(required(params)?, PARAMS)?,
            SAMPLING => (InputKind::Sampling, sampling::published(required(params)?, PARAMS)?),
            ROOTS => {
                let Some(params) = params else {
                    return Ok(InputRequest { kind: InputKind::Roots, params: None });
                };
                check_roots(params)?;
                (InputKind::Roots, compact(params))
            }
            other => return Err(request.fault("method", not_one_of(other, &[ELICITATION, SAMPLING, ROOTS]))),
        };
        Ok(InputRequest { kind, params: Some(params.into()) })
    }

    /// What is asked for.
    pub fn kind(&self) -> InputKind {
        self.kind
    }

    /// The method of the request, in both eras.
    pub fn method(&self) -> &'static str {
        match self.kind {
            InputKind::Form | InputKind::Url => ELICITATION,
            InputKind::Sampling => SAMPLING,
            InputKind::Roots => ROOTS,
        }
    }

    /// The JSON Schema of the form's content; `None` where no form is asked for.
    pub fn requested_schema(&self) -> Option<&[u8]> {
        json_members::get(self.params.as_deref()?, "requestedSchema").filter(|_| self.kind == InputKind::Form)
    }

    /// What a client of `revision` must have declared to be asked this. Before 2025-11-25, capabilities had no parts.
    pub fn required_capabilities(&self, revision: Revision) -> Vec<ClientCapability> {
        let params = self.params.as_deref().unwrap_or(b"{}");
        let names: &[&str] = match self.kind {
            InputKind::Form if !revision.has_url_elicitation() => &["elicitation"],
            InputKind::Form => &["elicitation.form"],
            InputKind::Url => &["elicitation.url"],
            InputKind::Roots => &["roots"],
            InputKind::Sampling => {
                let tools =
                    json_members::get(params, "tools").or(json_members::get(params, "toolChoice")).is_some();
                let context = text_of(params, "includeContext").is_some_and(|context| context != "none");
                match (tools, context && revision.has_sampling_tools()) {
                    (false, false) => &["sampling"],
                    (true, false) => &["sampling.tools"],
                    (false, true) => &["sampling.context"],
                    (true, true) => &["sampling.tools", "sampling.context"],
                }
            }
        };
        names.iter().filter_map(|name| ClientCapability::named(name).ok()).collect()
    }

    /// Appends the request as a value of `inputRequests`, on one line.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"method\":");
        json_write::string(out, self.method());
        if let Some(params) = &self.params {
            out.extend_from_slice(b",\"params\":");
            out.extend_from_slice(params);
        }
        out.push(b'}');
    }

    /// The `params` of the request to a legacy client of `revision`, on one line; a text for the author where that
    /// revision has no way to ask this. Before 2026-07-28, a page to visit has an `elicitation_id`, by which the
    /// client is told that the visit is over.
    pub fn legacy_params(&self, revision: Revision, elicitation_id: Option<&str>) -> Result<Vec<u8>, String> {
        legacy::params(self.kind, self.params.as_deref().unwrap_or(b"{}"), revision, elicitation_id)
    }
}

const ELICITATION: &str = "elicitation/create";
const SAMPLING: &str = "sampling/createMessage";
const ROOTS: &str = "roots/list";

const PARAMS: &str = "/params";

/// The text of a string member.
fn text_of<'a>(object: &'a [u8], name: &str) -> Option<Cow<'a, str>> {
    document::string(json_members::get(object, name)?, String::new).ok()
}

fn required(params: Option<&[u8]>) -> Result<&[u8], DocumentFault> {
    params.ok_or_else(|| DocumentFault::new("", "\"params\" is missing: it says what to ask"))
}

fn check_roots(params: &[u8]) -> Result<(), DocumentFault> {
    let params = Document::read(params, PARAMS, &["_meta"])?;
    params.raw("_meta").map_or(Ok(()), |meta| meta_key::check_object(meta, &params.pointer_to("_meta")))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const FORM: &str = r#"{"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"string"}}}}}"#;
    const URL: &str = r#"{"method":"elicitation/create","params":{"mode":"url","url":"https://e.example/x","message":"m"}}"#;

    fn sampling(rest: &str) -> String {
        let message = r#"{"role":"user","content":{"type":"text","text":"a"}}"#;
        format!(
            r#"{{"method":"sampling/createMessage","params":{{"messages":[{message}],"maxTokens":9{rest}}}}}"#
        )
    }

    fn read(text: &str) -> InputRequest {
        InputRequest::from_json(text.as_bytes()).unwrap()
    }

    #[test]
    fn writes_what_it_reads() {
        let sampling = sampling("");
        for (text, kind, method) in [
            (FORM, InputKind::Form, "elicitation/create"),
            (URL, InputKind::Url, "elicitation/create"),
            (&sampling, InputKind::Sampling, "sampling/createMessage"),
            (r#"{"method":"roots/list"}"#, InputKind::Roots, "roots/list"),
            (r#"{"method":"roots/list","params":{}}"#, InputKind::Roots, "roots/list"),
            (r#"{"method":"roots/list","params":{"_meta":{"a":null}}}"#, InputKind::Roots, "roots/list"),
        ] {
            let request = read(text);
            assert_eq!((request.kind(), request.method()), (kind, method));
            let mut out = Vec::new();
            request.write(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
        let spread = FORM.replace(':', " :\n");
        assert_eq!(read(&spread), read(FORM));
        assert_eq!(read(r#"{"params":null,"method":"roots/list"}"#), read(r#"{"method":"roots/list"}"#));
    }

    #[test]
    fn says_what_is_wrong_with_a_request() {
        let of_form = |rest: &str| format!(r#"{{"method":"elicitation/create","params":{{{rest}}}}}"#);
        let schema = r#""requestedSchema":{"type":"object","properties":{}}"#;
        for (text, wanted) in [
            ("{".to_owned(), "is not valid JSON: a member name in quotes was expected (byte 1)"),
            ("[]".into(), "must be an object, not an array"),
            ("{}".into(), "\"method\" is missing"),
            (r#"{"method":"roots/list","id":1}"#.into(), "unknown key \"id\"; known are method, params"),
            (
                r#"{"method":"elicitation/creat"}"#.into(),
                "/method: \"elicitation/creat\" is not one of \"elicitation/create\", \"sampling/createMessage\", \"roots/list\"; did you mean \"elicitation/create\"?",
            ),
            (r#"{"method":"elicitation/create"}"#.into(), "\"params\" is missing: it says what to ask"),
            (r#"{"method":"sampling/createMessage"}"#.into(), "\"params\" is missing: it says what to ask"),
            (
                r#"{"method":"roots/list","params":{"a":1}}"#.into(),
                "/params: unknown key \"a\"; known are _meta",
            ),
            (of_form(schema), "/params: \"message\" is missing"),
            (
                of_form(r#""message":"m""#),
                "/params: \"requestedSchema\" is missing; a form that asks only for consent has {\"type\": \"object\", \"properties\": {}}",
            ),
            (
                of_form(&format!(r#""mode":"page","message":"m",{schema}"#)),
                "/params/mode: \"page\" is not one of \"form\", \"url\"",
            ),
            (
                of_form(&format!(r#""message":"m","url":"https://a.example",{schema}"#)),
                "/params/url: stands only beside \"mode\": \"url\"",
            ),
            (
                of_form(&format!(r#""message":"m","mode":"url","url":"https://a.example",{schema}"#)),
                "/params/requestedSchema: stands only beside \"mode\": \"form\"",
            ),
            (of_form(r#""message":"m","mode":"url""#), "/params: \"url\" is missing"),
            (
                of_form(r#""message":"m","mode":"url","url":"a.example""#),
                "/params/url: \"a.example\" is no web address: it begins with https:// (or http://)",
            ),
            (
                of_form(r#""message":"m","mode":"url","url":"https://a.example","elicitationId":"1""#),
                "/params/elicitationId: is not the author's to say: the library makes one where a client's revision has them",
            ),
            (
                of_form(
                    r#""message":"m","requestedSchema":{"type":"object","properties":{"a":{"type":"object"}}}"#,
                ),
                "/params/requestedSchema/properties/a/type: a form is flat: ask for the fields of an object one by one",
            ),
        ] {
            assert_eq!(InputRequest::from_json(text.as_bytes()).unwrap_err().to_string(), wanted);
        }
    }

    #[test]
    fn requires_what_each_revision_calls_it() {
        let tools = r#","tools":[{"name":"t","inputSchema":{"type":"object"}}]"#;
        let (new, old) = (Revision::V2026_07_28, Revision::V2025_06_18);
        for (text, revision, wanted) in [
            (FORM.to_owned(), new, r#"{"elicitation":{"form":{}}}"#),
            (FORM.into(), Revision::V2025_11_25, r#"{"elicitation":{"form":{}}}"#),
            (FORM.into(), old, r#"{"elicitation":{}}"#),
            (URL.into(), new, r#"{"elicitation":{"url":{}}}"#),
            (r#"{"method":"roots/list"}"#.into(), new, r#"{"roots":{}}"#),
            (sampling(""), new, r#"{"sampling":{}}"#),
            (sampling(r#","includeContext":"none""#), new, r#"{"sampling":{}}"#),
            (sampling(r#","includeContext":"thisServer""#), new, r#"{"sampling":{"context":{}}}"#),
            (sampling(r#","includeContext":"thisServer""#), old, r#"{"sampling":{}}"#),
            (sampling(tools), new, r#"{"sampling":{"tools":{}}}"#),
            (sampling(r#","toolChoice":{}"#), new, r#"{"sampling":{"tools":{}}}"#),
            (
                sampling(&format!(r#"{tools},"includeContext":"allServers""#)),
                Revision::V2025_11_25,
                r#"{"sampling":{"context":{},"tools":{}}}"#,
            ),
        ] {
            let required = read(&text).required_capabilities(revision);
            assert_eq!(ClientCapability::required_json(&required), wanted, "{text}");
        }
    }

    #[test]
    fn knows_the_schema_of_a_form_alone() {
        let schema = br#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
        assert_eq!(read(FORM).requested_schema(), Some(schema.as_slice()));
        for text in [URL, &sampling(r#","metadata":{"requestedSchema":{}}"#), r#"{"method":"roots/list"}"#] {
            assert_eq!(read(text).requested_schema(), None);
        }
    }
}
