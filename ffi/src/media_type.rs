//! Media types, as "image/png".

use crate::status::{Fault, Status};

/// Checks that `text` is a media type of the kind `wanted`, as "image"; `example` is one. Parameters may
/// follow, as in "audio/ogg; codecs=opus".
pub fn check(text: &str, wanted: &str, example: &str) -> Result<(), Fault> {
    let name = text.split_once(';').map_or(text, |(name, _)| name.trim_end_matches([' ', '\t']));
    if let Some((kind, subtype)) = name.split_once('/')
        && kind.eq_ignore_ascii_case(wanted)
        && is_token(subtype)
    {
        return Ok(());
    }
    let message = format!(
        "mime_type \"{text}\" is not \"{wanted}/\" and a subtype, as \"{example}\"; other files go into a resource, by mcp_call_add_resource_blob"
    );
    Err(Fault::new(Status::ErrInvalidArg, message))
}

/// Whether the text is a token of RFC 9110, section 5.6.2.
fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_media_types_of_the_kind_alone() {
        for good in ["image/png", "IMAGE/PNG", "image/svg+xml", "image/x.y; a=b", "image/png;q"] {
            assert!(check(good, "image", "image/png").is_ok(), "{good}");
        }
        for bad in
            ["", "png", "image", "image/", "image/a b", "image/a/b", " image/png", "audio/wav", ";image/png"]
        {
            let fault = check(bad, "image", "image/png");
            assert!(matches!(fault, Err(Fault { status: Status::ErrInvalidArg, .. })), "{bad}");
        }
    }
}
