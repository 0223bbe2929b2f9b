//! On whose behalf a request comes, as the web server that took it in has found out.

use std::sync::Arc;

use http::Extensions;

/// Put among the extensions of a request by whoever hands it to `HttpService`.
#[derive(Clone, Debug)]
pub struct Principal(pub Arc<str>);

impl Principal {
    /// Takes the principal out of a request's extensions.
    pub(super) fn take(extensions: &mut Extensions) -> Option<Arc<str>> {
        extensions.remove::<Principal>().map(|Principal(name)| name)
    }
}
