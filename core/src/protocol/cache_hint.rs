//! How long a client may keep a result, and whether it may share it.

use super::json_write;

/// The caching fields of a result.
///
/// Specification: server/utilities/caching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheHint {
    /// For how many milliseconds the result counts as fresh.
    pub ttl_ms: u64,
    /// Who may be served from a cache of it.
    pub scope: CacheScope,
}

/// Stale at once: a client asks again, or waits for a change to be announced.
pub const DEFAULT_TTL_MS: u64 = 0;

/// A list is the same for every client.
pub const DEFAULT_SCOPE: CacheScope = CacheScope::Public;

/// Who may be served from a cached result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheScope {
    /// Anybody.
    Public,
    /// The same authorization context.
    Private,
}

impl CacheScope {
    /// The names of all scopes.
    pub const NAMES: [&str; 2] = [CacheScope::Public.name(), CacheScope::Private.name()];

    /// The scope called `name`.
    pub fn named(name: &str) -> Option<CacheScope> {
        [CacheScope::Public, CacheScope::Private].into_iter().find(|scope| scope.name() == name)
    }

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            CacheScope::Public => "public",
            CacheScope::Private => "private",
        }
    }
}

impl CacheHint {
    /// Appends the two members, without a comma around them.
    pub fn write(self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"ttlMs\":");
        json_write::integer(out, i64::try_from(self.ttl_ms).unwrap_or(i64::MAX));
        out.extend_from_slice(b",\"cacheScope\":\"");
        out.extend_from_slice(self.scope.name().as_bytes());
        out.push(b'"');
    }
}
