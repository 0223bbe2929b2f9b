//! The dated revisions of the protocol: the one list of them.

/// A revision of the Model Context Protocol that this library implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revision {
    /// 2026-07-28: every request carries its version and its client's capabilities.
    V2026_07_28,
}

impl Revision {
    /// The revisions that a request's `_meta` may name.
    pub const PER_REQUEST: [Revision; 1] = [Revision::V2026_07_28];

    /// The revision called `name`, compared as a whole: a date is no number.
    pub fn named(name: &str) -> Option<Revision> {
        Self::PER_REQUEST.into_iter().find(|revision| revision.name() == name)
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// The names that a request's `_meta` may carry, as a JSON array.
    pub fn supported_json() -> String {
        let names: Vec<_> = Self::PER_REQUEST.iter().map(|r| format!("\"{}\"", r.name())).collect();
        format!("[{}]", names.join(","))
    }
}
