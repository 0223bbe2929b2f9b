//! The definition of one item as each revision lists it.

use bytes::Bytes;

use crate::protocol::revision::Revision;

/// The texts of one definition. Revisions that list it alike share one.
pub struct Listings {
    newest: Bytes,
    /// Each with the newest revision that it is for, the oldest first.
    older: Vec<(Revision, Bytes)>,
}

impl Listings {
    /// The texts that `write` appends for each revision.
    pub fn new(write: impl Fn(Revision, &mut Vec<u8>)) -> Self {
        let mut text = Vec::new();
        for revision in Revision::PER_REQUEST {
            write(revision, &mut text);
        }
        let newest = Bytes::copy_from_slice(&text);
        let mut older: Vec<(Revision, Bytes)> = Vec::new();
        for revision in Revision::NEGOTIATED {
            text.clear();
            write(revision, &mut text);
            if *older.last().map_or(&newest, |(_, newer)| newer) == text {
                continue;
            }
            let known = std::iter::once(&newest).chain(older.iter().map(|(_, known)| known));
            let shared = known.into_iter().find(|known| **known == text).cloned();
            older.push((revision, shared.unwrap_or_else(|| Bytes::copy_from_slice(&text))));
        }
        older.reverse();
        older.shrink_to_fit();
        Listings { newest, older }
    }

    /// The text for `revision`.
    pub fn of(&self, revision: Revision) -> &Bytes {
        let older = self.older.iter().find(|(newest, _)| revision <= *newest);
        older.map_or(&self.newest, |(_, text)| text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_text_of_each_revision_and_no_text_twice() {
        let texts: [fn(Revision) -> &'static str; 4] = [
            |_| "same",
            |revision| if revision.has_icons() { "icons" } else { "none" },
            |revision| if revision.has_tool_execution() { "with execution" } else { "without" },
            Revision::name,
        ];
        for text in texts {
            let listings = Listings::new(|revision, out| out.extend_from_slice(text(revision).as_bytes()));
            let mut kept = std::collections::BTreeMap::new();
            for revision in Revision::NEGOTIATED.into_iter().chain(Revision::PER_REQUEST) {
                assert_eq!(listings.of(revision), text(revision), "{}", revision.name());
                let text = listings.of(revision);
                assert_eq!(*kept.entry(text.clone()).or_insert(text.as_ptr()), text.as_ptr());
            }
        }
    }
}
