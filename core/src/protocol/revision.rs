//! The dated revisions of the protocol: the one list of them, and what each of them knows.

/// A revision of the Model Context Protocol that this library implements. An older one is less than a newer one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05: the first one.
    V2024_11_05,
    /// 2025-03-26: Streamable HTTP, batches, audio, annotations of tools.
    V2025_03_26,
    /// 2025-06-18: structured content, resource links, elicitation, titles, `_meta` nearly everywhere.
    V2025_06_18,
    /// 2025-11-25: icons, URLs to ask a user with, tools in sampling.
    V2025_11_25,
    /// 2026-07-28: every request carries its version and its client's capabilities.
    V2026_07_28,
}

impl Revision {
    /// The revisions that a request's `_meta` may name.
    pub const PER_REQUEST: [Revision; 1] = [Revision::V2026_07_28];

    /// The revisions that `initialize` may agree on, the newest first.
    pub const NEGOTIATED: [Revision; 4] =
        [Revision::V2025_11_25, Revision::V2025_06_18, Revision::V2025_03_26, Revision::V2024_11_05];

    /// The revision that a request's `_meta` calls `name`, compared as a whole: a date is no number.
    pub fn named_per_request(name: &str) -> Option<Revision> {
        Self::PER_REQUEST.into_iter().find(|revision| revision.name() == name)
    }

    /// The revision called `name` among those that `initialize` may agree on.
    pub fn named_for_negotiation(name: &str) -> Option<Revision> {
        Self::NEGOTIATED.into_iter().find(|revision| revision.name() == name)
    }

    /// What `initialize` agrees on with a client that asks for `requested`: that, or else the newest that can be
    /// negotiated (specification, basic/lifecycle, "Version Negotiation").
    pub fn negotiate(requested: &str) -> Revision {
        Self::named_for_negotiation(requested).unwrap_or(Self::NEGOTIATED[0])
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Revision::V2024_11_05 => "2024-11-05",
            Revision::V2025_03_26 => "2025-03-26",
            Revision::V2025_06_18 => "2025-06-18",
            Revision::V2025_11_25 => "2025-11-25",
            Revision::V2026_07_28 => "2026-07-28",
        }
    }

    /// The names that a request's `_meta` may carry, as a JSON array.
    pub fn supported_json() -> String {
        let names: Vec<_> = Self::PER_REQUEST.iter().map(|r| format!("\"{}\"", r.name())).collect();
        format!("[{}]", names.join(","))
    }

    /// Whether requests stand by themselves, without `initialize` and session.
    pub fn is_modern(self) -> bool {
        self >= Revision::V2026_07_28
    }

    /// Whether a message may be an array of messages.
    pub fn has_batches(self) -> bool {
        self == Revision::V2025_03_26
    }

    /// Whether there is audio content.
    pub fn has_audio(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether a tool has `annotations`.
    pub fn has_tool_annotations(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether progress has a `message`.
    pub fn has_progress_messages(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether a server declares that it completes arguments.
    pub fn has_completions_capability(self) -> bool {
        self >= Revision::V2025_03_26
    }

    /// Whether things that have a name have a `title` too.
    pub fn has_titles(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether tools have an `outputSchema` and their results `structuredContent`.
    pub fn has_structured_content(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether content may link to a resource.
    pub fn has_resource_links(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether definitions, content blocks and resource contents have `_meta`. Results always had it.
    pub fn has_meta_everywhere(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether `annotations` have `lastModified`.
    pub fn has_last_modified(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether a server may ask the user.
    pub fn has_elicitation(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether things have `icons`.
    pub fn has_icons(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether a server may ask the user to visit a URL.
    pub fn has_url_elicitation(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether a request to sample may offer tools.
    pub fn has_sampling_tools(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether arguments that break the schema of a tool make an error that the model sees, not one of JSON-RPC.
    pub fn has_argument_faults_as_results(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether an error response may stand without an id, where the request's could not be read.
    pub fn has_errors_without_id(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether a server may end the stream of an open request, for the client to come back (SEP-1699).
    pub fn has_stream_polling(self) -> bool {
        self == Revision::V2025_11_25
    }

    /// Whether capabilities may name extensions, as clients of MCP Apps do since 2025-11-25.
    pub fn has_extensions(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether a tool has `execution`, which tells its support of tasks.
    pub fn has_tool_execution(self) -> bool {
        self == Revision::V2025_11_25
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BY_AGE: [Revision; 5] = [
        Revision::V2024_11_05,
        Revision::V2025_03_26,
        Revision::V2025_06_18,
        Revision::V2025_11_25,
        Revision::V2026_07_28,
    ];

    #[test]
    fn revisions_are_ordered_as_their_names_are() {
        assert!(BY_AGE.is_sorted_by(|a, b| a < b && a.name() < b.name()));
        assert!(Revision::NEGOTIATED.is_sorted_by(|a, b| a > b));
    }

    #[test]
    fn each_revision_is_entered_by_one_way_only() {
        for revision in BY_AGE {
            let (per_request, negotiated) = (
                Revision::named_per_request(revision.name()),
                Revision::named_for_negotiation(revision.name()),
            );
            let wanted = if revision.is_modern() { (Some(revision), None) } else { (None, Some(revision)) };
            assert_eq!((per_request, negotiated), wanted);
        }
        for name in ["", "2025-11", "2025-11-25 ", "2099-01-01", "draft"] {
            assert_eq!(Revision::named_per_request(name).or(Revision::named_for_negotiation(name)), None);
        }
    }

    #[test]
    fn negotiates_the_requested_revision_or_else_the_newest() {
        for (requested, agreed) in [
            ("2024-11-05", Revision::V2024_11_05),
            ("2025-11-25", Revision::V2025_11_25),
            ("2026-07-28", Revision::V2025_11_25),
            ("2024-10-07", Revision::V2025_11_25),
            ("", Revision::V2025_11_25),
        ] {
            assert_eq!(Revision::negotiate(requested), agreed, "{requested}");
        }
    }

    #[test]
    fn lists_what_a_request_may_name() {
        assert_eq!(Revision::supported_json(), r#"["2026-07-28"]"#);
    }

    #[test]
    fn some_features_were_of_one_revision_only() {
        let only =
            |feature: fn(Revision) -> bool| BY_AGE.into_iter().filter(|r| feature(*r)).collect::<Vec<_>>();
        assert_eq!(only(Revision::has_batches), [Revision::V2025_03_26]);
        assert_eq!(only(Revision::has_tool_execution), [Revision::V2025_11_25]);
        assert_eq!(only(Revision::is_modern), [Revision::V2026_07_28]);
        assert_eq!(only(Revision::has_icons), [Revision::V2025_11_25, Revision::V2026_07_28]);
    }
}
