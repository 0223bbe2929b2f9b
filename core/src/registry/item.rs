//! What the registry asks of the things that it holds.

use super::list_kind::ListKind;
use crate::protocol::revision::Revision;

/// Something that is listed: a tool, a prompt, a resource or a resource template.
pub trait Item: Send + Sync + 'static {
    /// The list in which it stands.
    const KIND: ListKind;

    /// What it is found by, and ordered by in its list. No two items of a list have the same.
    fn key(&self) -> &str;

    /// Its definition as its list publishes it in `revision`: a JSON object.
    fn listing(&self, revision: Revision) -> &[u8];

    /// Whether it is listed only for hosts of MCP Apps.
    fn is_for_apps_only(&self) -> bool {
        false
    }
}
