//! Names that nobody can guess: of sessions, of chains of rounds, of elicitations.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom, SystemRandom};

/// 128 random bits.
///
/// Without a source of randomness nothing that relies on it is safe, and the process panics: since Linux 5.6 the
/// kernel has one in any case.
#[allow(clippy::expect_used)]
pub fn bits() -> [u8; 16] {
    let mut bits = [0; 16];
    SystemRandom::new().fill(&mut bits).expect("the operating system gives random bytes");
    bits
}

/// 128 random bits as a text of letters, digits, `-` and `_`.
pub fn text() -> String {
    URL_SAFE_NO_PAD.encode(bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_another_name_each_time_of_visible_ascii_alone() {
        let names: std::collections::BTreeSet<_> = (0..100).map(|_| text()).collect();
        assert_eq!(names.len(), 100);
        assert!(names.iter().all(|name| name.len() == 22 && name.bytes().all(|b| b.is_ascii_graphic())));
    }
}
