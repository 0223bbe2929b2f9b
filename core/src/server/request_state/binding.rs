//! What a request state belongs to: it is good for the very request that it was made for, and for no other.

use super::fault::Mismatch;
use super::json_digest::JsonDigest;
use super::state::RequestState;

/// A request, as far as a state must belong to it.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    /// Which server the state is for: replicas that share keys and take each other's states have one audience.
    pub audience: &'a str,
    /// On whose behalf the request comes, where that is known.
    pub principal: Option<&'a str>,
    /// The method, as `tools/call`.
    pub method: &'a str,
    /// What it is called on: the name of the tool or prompt, or the resource's URI.
    pub name: &'a str,
    /// The digest of its arguments.
    pub arguments: JsonDigest,
    /// The time, in milliseconds since 1970.
    pub now: u64,
}

impl Binding<'_> {
    /// What `state` says otherwise than this request, if anything.
    pub(super) fn mismatch(&self, state: &RequestState) -> Option<Mismatch> {
        let checks = [
            (state.audience == self.audience, Mismatch::Audience),
            (state.principal.as_deref() == self.principal, Mismatch::Principal),
            (state.method == self.method, Mismatch::Method),
            (state.name == self.name, Mismatch::Name),
            (state.arguments == self.arguments, Mismatch::Arguments),
        ];
        checks.into_iter().find(|(same, _)| !same).map(|(_, mismatch)| mismatch)
    }
}
