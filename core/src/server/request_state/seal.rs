//! Seals bytes into a text that nobody can read, change or forge without the key.
//!
//! The text is base64url without padding, of: a version byte, the first bytes of a hash of the key (so that an opener
//! finds the right one of several), a random salt, and the bytes under ChaCha20-Poly1305 with their tag. Each text has
//! a key of its own, drawn by HKDF-SHA256 from the long-lived key and the salt of 192 bits. So no key is ever used
//! twice with one nonce, however many texts are sealed by however many replicas that share a key and know nothing of
//! one another.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Prk, Salt};
use ring::rand::{SecureRandom, SystemRandom};

/// Length of a long-lived key in bytes.
pub const KEY_BYTES: usize = 32;

/// The layout of the text, and of the state within it. Another number is another layout.
const VERSION: u8 = 1;
const ID_BYTES: usize = 4;
const SALT_BYTES: usize = 24;
const HEAD_BYTES: usize = 1 + ID_BYTES + SALT_BYTES;
const TAG_BYTES: usize = 16;

/// A long-lived key, ready to seal.
pub struct SealKey {
    id: [u8; ID_BYTES],
    root: Prk,
}

impl SealKey {
    /// The key that `bytes`, 32 random ones, are.
    pub fn new(bytes: &[u8; KEY_BYTES]) -> Option<Self> {
        let root = Salt::new(HKDF_SHA256, b"libmcp request state").extract(bytes);
        let mut id = [0; ID_BYTES];
        root.expand(&[b"id"], Length(ID_BYTES)).ok()?.fill(&mut id).ok()?;
        Some(SealKey { id, root })
    }

    /// A key that nobody else has; `None` where the system gives no random bytes.
    pub fn random() -> Option<Self> {
        let mut bytes = [0; KEY_BYTES];
        SystemRandom::new().fill(&mut bytes).ok()?;
        Self::new(&bytes)
    }

    /// The text that holds `bytes`; `None` where the system gives no random bytes.
    pub fn seal(&self, bytes: &[u8]) -> Option<String> {
        let mut sealed = Vec::with_capacity(HEAD_BYTES + bytes.len() + TAG_BYTES);
        sealed.push(VERSION);
        sealed.extend_from_slice(&self.id);
        sealed.resize(HEAD_BYTES, 0);
        SystemRandom::new().fill(&mut sealed[1 + ID_BYTES..]).ok()?;
        let key = self.key_of(&sealed[1 + ID_BYTES..])?;
        let mut inner = bytes.to_vec();
        key.seal_in_place_append_tag(nonce(), Aad::from(sealed.as_slice()), &mut inner).ok()?;
        sealed.extend_from_slice(&inner);
        Some(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// The bytes in `sealed`, if this key sealed them just so.
    pub fn open(&self, sealed: &Sealed) -> Option<Vec<u8>> {
        let (head, inner) = sealed.0.split_at_checked(HEAD_BYTES)?;
        let key = self.key_of(&head[1 + ID_BYTES..])?;
        let mut inner = inner.to_vec();
        let length = key.open_in_place(nonce(), Aad::from(head), &mut inner).ok()?.len();
        inner.truncate(length);
        Some(inner)
    }

    /// Whether `sealed` names this key.
    pub fn is_named_in(&self, sealed: &Sealed) -> bool {
        sealed.0[1..=ID_BYTES] == self.id
    }

    /// The key of the one text with this salt.
    fn key_of(&self, salt: &[u8]) -> Option<LessSafeKey> {
        let info = [b"seal".as_slice(), salt];
        let material = self.root.expand(&info, &CHACHA20_POLY1305).ok()?;
        Some(LessSafeKey::new(UnboundKey::from(material)))
    }
}

/// The parts of a sealed text, not opened yet.
pub struct Sealed(Vec<u8>);

impl Sealed {
    /// Takes a text apart; `None` where it does not have the form. A text has one spelling only: no padding, no white
    /// space, no bits to spare at its end.
    pub fn read(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() >= HEAD_BYTES + TAG_BYTES && bytes[0] == VERSION).then_some(Sealed(bytes))
    }
}

/// How long the text of so many bytes is.
pub fn sealed_length(bytes: usize) -> usize {
    (HEAD_BYTES + bytes + TAG_BYTES).saturating_mul(4).div_ceil(3)
}

/// One key seals one text, so that every text may have the same nonce.
fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; NONCE_LEN])
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    fn opened(key: &SealKey, text: &str) -> Option<Vec<u8>> {
        key.open(&Sealed::read(text)?)
    }

    #[test]
    fn opens_what_it_sealed_whatever_its_length() {
        let key = SealKey::new(&[7; 32]).unwrap();
        for length in [0, 1, 2, 3, 63, 64, 65, 1000] {
            let bytes = vec![b'x'; length];
            let text = key.seal(&bytes).unwrap();
            assert_eq!(text.len(), sealed_length(length));
            assert!(text.bytes().all(|byte| ALPHABET.contains(&byte)));
            assert_eq!(opened(&key, &text), Some(bytes));
        }
    }

    #[test]
    fn seals_the_same_bytes_differently_each_time() {
        let key = SealKey::new(&[7; 32]).unwrap();
        let texts: std::collections::HashSet<_> = (0..100).map(|_| key.seal(b"x").unwrap()).collect();
        assert_eq!(texts.len(), 100);
    }

    /// Every character of a text is exchanged for every other: this covers the spare bits of the last one.
    #[test]
    fn opens_no_text_with_another_character() {
        let key = SealKey::new(&[7; 32]).unwrap();
        for length in 0..3 {
            let text = key.seal(&vec![1; length]).unwrap();
            for at in 0..text.len() {
                for &other in ALPHABET.iter().filter(|byte| **byte != text.as_bytes()[at]) {
                    let mut changed = text.clone().into_bytes();
                    changed[at] = other;
                    assert_eq!(opened(&key, std::str::from_utf8(&changed).unwrap()), None, "{at}");
                }
            }
        }
    }

    #[test]
    fn knows_its_own_texts_from_those_of_other_keys() {
        let (key, other) = (SealKey::new(&[7; 32]).unwrap(), SealKey::random().unwrap());
        let sealed = Sealed::read(&key.seal(b"x").unwrap()).unwrap();
        assert!(key.is_named_in(&sealed) && !other.is_named_in(&sealed));
        assert_eq!(other.open(&sealed), None);
    }

    /// A replica of another build opens it as well: the layout must not change under one version byte.
    #[test]
    fn keeps_its_layout() {
        let key = SealKey::new(&[7; 32]).unwrap();
        let text = "AUl8xVUAAQIDBAUGBwgJCgsMDQ4PEBESExQVFheDo2ltzNiWjfpyMkglgKO2Kf2_1Q";
        assert_eq!(opened(&key, text).as_deref(), Some(b"kept".as_slice()));
    }
}
