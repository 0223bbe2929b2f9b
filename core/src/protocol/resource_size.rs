//! The size of a resource, as definitions and links give it.

use super::document::{self, DocumentFault};

/// Checks `raw`, a JSON value: a whole number of bytes.
pub fn check(raw: &[u8], pointer: impl Fn() -> String) -> Result<(), DocumentFault> {
    let size = document::number(raw, &pointer)?;
    if size < 0.0 || size.fract() != 0.0 {
        return Err(DocumentFault::new(pointer(), "must be a whole number of bytes, 0 or more"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_whole_number_of_bytes() {
        for (raw, good) in [
            ("0", true),
            ("18446744073709551615", true),
            ("2e3", true),
            ("-1", false),
            ("1.5", false),
            ("\"1\"", false),
        ] {
            assert_eq!(check(raw.as_bytes(), || "/size".into()).is_ok(), good, "{raw}");
        }
    }
}
