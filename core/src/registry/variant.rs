//! The clients that see a list alike.

use crate::protocol::revision::Revision;

/// What of a client decides how it sees a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// The revision that it speaks.
    pub revision: Revision,
    /// Whether it is a host of MCP Apps.
    pub apps: bool,
}

impl Variant {
    /// How many there are.
    pub const COUNT: usize = 2 * (Revision::V2026_07_28 as usize + 1);

    /// Its place among them.
    pub fn index(self) -> usize {
        2 * self.revision as usize + usize::from(self.apps)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_variant_has_a_place_of_its_own() {
        let revisions = Revision::NEGOTIATED.into_iter().chain(Revision::PER_REQUEST);
        let variants = revisions.flat_map(|revision| [false, true].map(|apps| Variant { revision, apps }));
        let mut places: Vec<_> = variants.map(Variant::index).collect();
        places.sort_unstable();
        assert!(places.into_iter().eq(0..Variant::COUNT));
    }
}
