//! What the body of a request is: JSON, and nothing that a web page can send without asking.
//!
//! A form or a `text/plain` body needs no permission from the browser, so that running one would let any page
//! drive the server. The media type is compared without its parameters and without regard to case.

use http::StatusCode;
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

use super::refusal::Refusal;

/// Refuses a body that is not said to be plain `application/json`.
pub(super) fn check(headers: &HeaderMap) -> Result<(), Refusal> {
    let mut types = headers.get_all(CONTENT_TYPE).iter();
    let Some(first) = types.next() else {
        return Err(unsupported("the Content-Type header is missing; send application/json"));
    };
    if types.next().is_some() || !is_json(first.as_bytes()) {
        let found = String::from_utf8_lossy(first.as_bytes());
        return Err(unsupported(format!("the Content-Type is {found:?}; send application/json")));
    }
    match headers.get(CONTENT_ENCODING) {
        Some(coding) if !coding.as_bytes().eq_ignore_ascii_case(b"identity") => {
            let found = String::from_utf8_lossy(coding.as_bytes());
            Err(unsupported(format!("the Content-Encoding is {found:?}; send the body as it is")))
        }
        _ => Ok(()),
    }
}

fn is_json(value: &[u8]) -> bool {
    let end = value.iter().position(|&byte| byte == b';').unwrap_or(value.len());
    value[..end].trim_ascii().eq_ignore_ascii_case(b"application/json")
}

fn unsupported(message: impl Into<String>) -> Refusal {
    Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use http::{HeaderName, HeaderValue};

    use super::*;

    fn accepts(pairs: &[(HeaderName, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        check(&headers).is_ok()
    }

    #[test]
    fn takes_json_in_every_spelling() {
        for value in [
            "application/json",
            "application/json; charset=utf-8",
            "Application/JSON;charset=\"UTF-8\"",
            " application/json ; x=y",
        ] {
            assert!(accepts(&[(CONTENT_TYPE, value)]), "{value}");
        }
    }

    #[test]
    fn refuses_everything_else() {
        for value in [
            "text/plain",
            "text/plain; application/json",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
            "application/jsonp",
            "application/json-seq",
            "application/vnd.api+json",
            "application/json, text/plain",
            "json",
            "",
        ] {
            assert!(!accepts(&[(CONTENT_TYPE, value)]), "{value}");
        }
        assert!(!accepts(&[]));
        assert!(!accepts(&[(CONTENT_TYPE, "application/json"), (CONTENT_TYPE, "text/plain")]));
    }

    #[test]
    fn refuses_a_compressed_body_by_name() {
        let json = (CONTENT_TYPE, "application/json");
        assert!(accepts(&[json.clone(), (CONTENT_ENCODING, "identity")]));
        assert!(!accepts(&[json, (CONTENT_ENCODING, "gzip")]));
    }
}
