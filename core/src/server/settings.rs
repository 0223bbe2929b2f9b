//! The settings of a server, by the keys of `docs/limits.md`. Each default stands beside the rule it is for.

use std::sync::Arc;
use std::time::Duration;

use super::caching::Caching;
use super::concurrency;
use super::identity::Identity;
use super::legacy;
use super::request_state::keys::StateKeys;
use super::request_state::state;
use super::shutdown;
use crate::call::invocation::{DEFAULT_LOGS_PER_SECOND, Rates};
use crate::call::progress_rate;
use crate::host_error::HostError;
use crate::protocol::cache_hint::CacheScope;
use crate::protocol::frame;
use crate::protocol::message_size;
use crate::protocol::nearest_name::did_you_mean;
use crate::registry::page::{self, PageBounds};
use crate::runtime::async_runtime::AsyncRuntime;
use crate::runtime::handler_pool::PoolLimits;
use crate::schema::compile::SchemaLimits;

/// What a server's host can set. A request sees one state of it from its beginning to its end.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Name, version and the rest of the `Implementation` object.
    pub identity: Arc<Identity>,
    /// Largest message in bytes.
    pub max_message_bytes: usize,
    /// Deepest nesting of a message.
    pub max_depth: usize,
    /// Most calls in flight.
    pub max_in_flight: usize,
    /// Most calls in flight for one client: of a pipe, of the host's own transport, or of a session over HTTP.
    pub max_in_flight_per_connection: usize,
    /// Most open subscriptions.
    pub max_subscriptions: usize,
    /// Bounds of the handler pool.
    pub pool: PoolLimits,
    /// Threads of the protocol.
    pub worker_threads: usize,
    /// Longest time of a handler; none by default.
    pub handler_timeout: Option<Duration>,
    /// How long a transport that ends waits for calls.
    pub drain: Duration,
    /// Where lists are cut.
    pub page: PageBounds,
    /// Caching of results.
    pub caching: Caching,
    /// Notifications per second and call.
    pub rates: Rates,
    /// Whether the `logging` capability is declared and log messages are sent.
    pub logging: bool,
    /// Whether the `tools` capability is declared before a tool was added.
    pub tools: bool,
    /// Whether the `prompts` capability is declared before a prompt was added.
    pub prompts: bool,
    /// Whether the `resources` capability is declared before a resource or a template was added.
    pub resources: bool,
    /// Whether the `completions` capability is declared before there is a handler for it.
    pub completions: bool,
    /// Whether results name the server in `_meta`.
    pub server_info_in_results: bool,
    /// Whether JSON text is taken for the value it holds where the schema allows no string.
    pub lenient_arguments: bool,
    /// Bounds of a schema.
    pub schema: SchemaLimits,
    /// The state that clients carry between the rounds of a request.
    pub request_state: RequestStateSettings,
    /// How long a client of the legacy era may take to answer what it is asked.
    pub answer_timeout: Duration,
    /// Whether clients of the legacy era are served.
    pub legacy: bool,
}

/// How the state is made that clients carry between the rounds of a request.
#[derive(Clone, Debug)]
pub struct RequestStateSettings {
    /// The keys: the first seals, all open.
    pub keys: Arc<StateKeys>,
    /// How long a state is good for.
    pub lifetime: Duration,
    /// Which server it is for; the server's name unless that is said.
    pub audience: Option<String>,
    /// Longest state in bytes.
    pub max_bytes: usize,
}

impl Settings {
    /// The defaults, for a server that is `identity`.
    pub fn new(identity: Identity) -> Self {
        Settings {
            identity: Arc::new(identity),
            max_message_bytes: message_size::DEFAULT_MAX_BYTES,
            max_depth: frame::DEFAULT_MAX_DEPTH,
            max_in_flight: concurrency::DEFAULT_MAX_IN_FLIGHT,
            max_in_flight_per_connection: concurrency::DEFAULT_MAX_IN_FLIGHT_PER_CONNECTION,
            max_subscriptions: concurrency::DEFAULT_MAX_SUBSCRIPTIONS,
            pool: PoolLimits::default(),
            worker_threads: AsyncRuntime::DEFAULT_WORKERS,
            handler_timeout: None,
            drain: shutdown::DEFAULT_DRAIN,
            page: PageBounds { items: page::DEFAULT_PAGE_SIZE, bytes: page::DEFAULT_PAGE_BYTES },
            caching: Caching::default(),
            rates: Rates {
                progress_per_second: progress_rate::DEFAULT_PER_SECOND,
                logs_per_second: DEFAULT_LOGS_PER_SECOND,
            },
            logging: true,
            tools: false,
            prompts: false,
            resources: false,
            completions: false,
            server_info_in_results: true,
            lenient_arguments: false,
            schema: SchemaLimits::default(),
            request_state: RequestStateSettings {
                keys: Arc::new(StateKeys::random()),
                lifetime: state::DEFAULT_LIFETIME,
                audience: None,
                max_bytes: state::DEFAULT_MAX_BYTES,
            },
            answer_timeout: legacy::question_round::DEFAULT_ANSWER_TIMEOUT,
            legacy: true,
        }
    }

    /// Sets the option called `key`. An unknown key or a value out of its range is refused, by name.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), HostError> {
        let Some((_, set)) = OPTIONS.iter().find(|(name, _)| *name == key) else {
            let hint = did_you_mean(key, Self::option_names());
            return Err(HostError::InvalidArgument(format!("there is no option \"{key}\"{hint}")));
        };
        set(self, value).map_err(|takes| {
            if key == "request_state_keys" {
                // A key belongs into no log.
                return HostError::InvalidArgument(format!("option \"{key}\" takes {takes}"));
            }
            HostError::InvalidArgument(format!("option \"{key}\" takes {takes}, not \"{value}\""))
        })
    }

    /// The names of all options.
    pub fn option_names() -> impl Iterator<Item = &'static str> {
        OPTIONS.iter().map(|(name, _)| *name)
    }

    /// Which server a request state is for.
    pub fn request_state_audience(&self) -> &str {
        self.request_state.audience.as_deref().unwrap_or(self.identity.name())
    }

    /// The identity to put into results, unless that is switched off.
    pub fn identity_in_results(&self) -> Option<&Arc<Identity>> {
        self.server_info_in_results.then_some(&self.identity)
    }
}

/// Sets one option, or says what it takes.
type Setter = fn(&mut Settings, &str) -> Result<(), String>;

const OPTIONS: &[(&str, Setter)] = &[
    ("max_message_bytes", |s, v| number(v, 1024, 1 << 31).map(|n| s.max_message_bytes = n)),
    // Below what decoding the arguments gives up at.
    ("max_depth", |s, v| number(v, 4, 120).map(|n| s.max_depth = n)),
    ("max_in_flight", |s, v| number(v, 1, 1 << 20).map(|n| s.max_in_flight = n)),
    ("max_in_flight_per_connection", |s, v| {
        number(v, 1, 1 << 20).map(|n| s.max_in_flight_per_connection = n)
    }),
    ("max_subscriptions", |s, v| number(v, 0, 1 << 20).map(|n| s.max_subscriptions = n)),
    ("handler_threads", |s, v| number(v, 1, 4096).map(|n| s.pool.max_threads = n)),
    ("handler_queue", |s, v| number(v, 1, 1 << 20).map(|n| s.pool.max_queue = n)),
    ("worker_threads", |s, v| number(v, 1, 256).map(|n| s.worker_threads = n)),
    ("handler_timeout_ms", |s, v| {
        let longest = u32::MAX as usize;
        number(v, 0, longest).map(|n| s.handler_timeout = (n > 0).then(|| milliseconds(n)))
    }),
    ("drain_ms", |s, v| number(v, 0, u32::MAX as usize).map(|n| s.drain = milliseconds(n))),
    ("page_size", |s, v| number(v, 0, 1 << 20).map(|n| s.page.items = n)),
    ("page_bytes", |s, v| number(v, 1, 1 << 30).map(|n| s.page.bytes = n)),
    ("cache_ttl_ms", |s, v| ttl(v).map(|n| s.caching.set_all(|hint| hint.ttl_ms = n))),
    ("cache_scope", |s, v| scope(v).map(|scope| s.caching.set_all(|hint| hint.scope = scope))),
    ("tools_cache_ttl_ms", |s, v| ttl(v).map(|n| s.caching.tools.ttl_ms = n)),
    ("tools_cache_scope", |s, v| scope(v).map(|scope| s.caching.tools.scope = scope)),
    ("prompts_cache_ttl_ms", |s, v| ttl(v).map(|n| s.caching.prompts.ttl_ms = n)),
    ("prompts_cache_scope", |s, v| scope(v).map(|scope| s.caching.prompts.scope = scope)),
    ("resources_cache_ttl_ms", |s, v| ttl(v).map(|n| s.caching.resources.ttl_ms = n)),
    ("resources_cache_scope", |s, v| scope(v).map(|scope| s.caching.resources.scope = scope)),
    ("resource_templates_cache_ttl_ms", |s, v| ttl(v).map(|n| s.caching.resource_templates.ttl_ms = n)),
    ("resource_templates_cache_scope", |s, v| {
        scope(v).map(|scope| s.caching.resource_templates.scope = scope)
    }),
    ("resource_read_cache_ttl_ms", |s, v| ttl(v).map(|n| s.caching.resource_read.ttl_ms = n)),
    ("resource_read_cache_scope", |s, v| scope(v).map(|scope| s.caching.resource_read.scope = scope)),
    ("discover_cache_ttl_ms", |s, v| ttl(v).map(|n| s.caching.discover.ttl_ms = n)),
    ("discover_cache_scope", |s, v| scope(v).map(|scope| s.caching.discover.scope = scope)),
    ("progress_per_second", |s, v| per_second(v).map(|n| s.rates.progress_per_second = n)),
    ("logs_per_second", |s, v| per_second(v).map(|n| s.rates.logs_per_second = n)),
    ("logging", |s, v| truth(v).map(|b| s.logging = b)),
    ("tools", |s, v| truth(v).map(|b| s.tools = b)),
    ("prompts", |s, v| truth(v).map(|b| s.prompts = b)),
    ("resources", |s, v| truth(v).map(|b| s.resources = b)),
    ("completions", |s, v| truth(v).map(|b| s.completions = b)),
    ("server_info_in_results", |s, v| truth(v).map(|b| s.server_info_in_results = b)),
    ("lenient_arguments", |s, v| truth(v).map(|b| s.lenient_arguments = b)),
    ("max_schema_depth", |s, v| number(v, 1, 120).map(|n| s.schema.max_depth = n)),
    ("max_subschemas", |s, v| number(v, 1, 1 << 20).map(|n| s.schema.max_subschemas = n)),
    ("request_state_keys", |s, v| {
        StateKeys::from_text(v)
            .map(|keys| s.request_state.keys = Arc::new(keys))
            .map_err(|fault| format!("keys ({fault})"))
    }),
    ("request_state_ttl_ms", |s, v| {
        number(v, 1000, u32::MAX as usize).map(|n| s.request_state.lifetime = milliseconds(n))
    }),
    ("request_state_audience", |s, v| {
        s.request_state.audience = (!v.is_empty()).then(|| v.into());
        Ok(())
    }),
    ("max_request_state_bytes", |s, v| number(v, 1024, 1 << 24).map(|n| s.request_state.max_bytes = n)),
    ("answer_timeout_ms", |s, v| number(v, 1, u32::MAX as usize).map(|n| s.answer_timeout = milliseconds(n))),
    ("legacy", |s, v| truth(v).map(|b| s.legacy = b)),
    ("description", |s, v| identity(s, |identity| identity.set_text("description", v))),
    ("website_url", |s, v| identity(s, |identity| identity.set_text("websiteUrl", v))),
    ("icons", |s, v| {
        Arc::make_mut(&mut s.identity)
            .set_icons(v)
            .map_err(|fault| format!("a JSON array of icons ({fault})"))
    }),
];

fn number(value: &str, least: usize, most: usize) -> Result<usize, String> {
    let number = value.parse().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| format!("a whole number from {least} to {most}"))
}

fn per_second(value: &str) -> Result<u32, String> {
    number(value, 0, 1_000_000).map(|rate| u32::try_from(rate).unwrap_or(u32::MAX))
}

fn ttl(value: &str) -> Result<u64, String> {
    // The largest integer that every JSON reader keeps exact.
    number(value, 0, (1 << 53) - 1).map(|ttl| ttl as u64)
}

fn scope(value: &str) -> Result<CacheScope, String> {
    CacheScope::named(value).ok_or_else(|| "\"public\" or \"private\"".into())
}

fn truth(value: &str) -> Result<bool, String> {
    value.parse().map_err(|_| "\"true\" or \"false\"".into())
}

fn identity(settings: &mut Settings, set: impl FnOnce(&mut Identity)) -> Result<(), String> {
    set(Arc::make_mut(&mut settings.identity));
    Ok(())
}

fn milliseconds(number: usize) -> Duration {
    Duration::from_millis(number as u64)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn settings() -> Settings {
        Settings::new(Identity::new("test", "1").unwrap())
    }

    #[test]
    fn sets_options_by_name() {
        let mut settings = settings();
        settings.set("max_depth", "7").unwrap();
        settings.set("cache_scope", "private").unwrap();
        settings.set("tools_cache_ttl_ms", "5000").unwrap();
        settings.set("handler_timeout_ms", "250").unwrap();
        assert_eq!(settings.max_depth, 7);
        assert_eq!(settings.caching.discover.scope, CacheScope::Private);
        assert_eq!((settings.caching.tools.ttl_ms, settings.caching.discover.ttl_ms), (5000, 0));
        assert_eq!(settings.handler_timeout, Some(Duration::from_millis(250)));
    }

    #[test]
    fn refuses_an_unknown_option_and_names_the_nearest() {
        let error = settings().set("max_dept", "7").unwrap_err().to_string();
        assert!(error.contains("max_depth"), "{error}");
    }

    #[test]
    fn says_what_an_option_takes() {
        for (key, value, takes) in [
            ("max_depth", "0", "from 4 to 120"),
            ("max_depth", "many", "from 4 to 120"),
            ("cache_scope", "team", "\"private\""),
            ("logging", "yes", "\"true\""),
            ("cache_ttl_ms", "-1", "from 0"),
        ] {
            let error = settings().set(key, value).unwrap_err().to_string();
            assert!(error.contains(takes) && error.contains(key), "{error}");
        }
    }
}
