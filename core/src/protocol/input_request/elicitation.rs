//! The params of `elicitation/create`: a form, or a page to visit.

use super::super::document::{Document, DocumentFault};
use super::{InputKind, form, web_address};

/// Checks `raw`, the params at `pointer`, and returns them as they are published.
pub fn published(raw: &[u8], pointer: &str) -> Result<(InputKind, Vec<u8>), DocumentFault> {
    let params = Document::read(raw, pointer, FIELDS)?;
    params.one_of("mode", &["form", "url"])?;
    if params.raw("elicitationId").is_some() {
        let way_out = "is not the author's to say: the library makes one where a client's revision has them";
        return Err(params.fault("elicitationId", way_out));
    }
    params.required_string("message")?;
    let mut out = Vec::new();
    if params.string("mode")?.as_deref() == Some("url") {
        only_in(&params, "requestedSchema", "form")?;
        let url = params.required_string("url")?;
        if let Some(message) = web_address::fault(&url) {
            return Err(params.fault("url", message));
        }
        params.write(&mut out, |_| None);
        return Ok((InputKind::Url, out));
    }
    only_in(&params, "url", "url")?;
    let Some(schema) = params.raw("requestedSchema") else {
        let message = "\"requestedSchema\" is missing; a form that asks only for consent has \
                       {\"type\": \"object\", \"properties\": {}}";
        return Err(DocumentFault::new(pointer, message));
    };
    let schema = form::published(schema, &params.pointer_to("requestedSchema"))?;
    params.write(&mut out, |name| (name == "requestedSchema").then_some(schema.as_slice()));
    Ok((InputKind::Form, out))
}

const FIELDS: &[&str] = &["mode", "message", "requestedSchema", "url", "elicitationId"];

fn only_in(params: &Document<'_>, field: &str, mode: &str) -> Result<(), DocumentFault> {
    match params.raw(field) {
        None => Ok(()),
        Some(_) => Err(params.fault(field, format!("stands only beside \"mode\": \"{mode}\""))),
    }
}
