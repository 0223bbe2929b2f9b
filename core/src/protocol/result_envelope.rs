//! What the results of all methods have in common when an author gives them as JSON: `resultType` and `_meta`.

use super::document::{Document, DocumentFault, cut};
use super::json_compact::compact;
use super::meta_key;

/// Checks both members of a result. `resultType` may stand there as `complete`; returns `_meta` as it is published.
pub fn check(result: &Document<'_>) -> Result<Option<Vec<u8>>, DocumentFault> {
    if let Some(kind) = result.string("resultType")?.filter(|kind| kind != "complete") {
        let message = format!("only \"complete\" can be given as a result, not \"{}\"", cut(&kind));
        return Err(result.fault("resultType", message));
    }
    let Some(meta) = result.raw("_meta") else { return Ok(None) };
    meta_key::check_object(meta, &result.pointer_to("_meta"))?;
    Ok(Some(compact(meta)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_meta_of_complete_results() {
        for (text, wanted) in [
            ("{}", Ok(None)),
            (r#"{"resultType":"complete","_meta":{ "a":1 }}"#, Ok(Some(r#"{"a":1}"#.to_owned()))),
            (
                r#"{"resultType":"task"}"#,
                Err("/resultType: only \"complete\" can be given as a result, not \"task\"".to_owned()),
            ),
            (r#"{"_meta":1}"#, Err("/_meta: must be an object, not a number".to_owned())),
        ] {
            let checked = Document::read(text.as_bytes(), "", &["resultType", "_meta"])
                .and_then(|document| check(&document))
                .map(|meta| meta.map(|meta| String::from_utf8_lossy(&meta).into_owned()))
                .map_err(|fault| fault.to_string());
            assert_eq!(checked, wanted);
        }
    }
}
