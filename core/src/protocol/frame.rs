//! One incoming JSON-RPC message: scanned once, checked against the envelope's rules, and kept as bytes.

use bytes::Bytes;
use serde_json::Value;

use super::error::{ErrorCode, ProtocolError};
use super::json_decode;
use super::json_scan::{JsonFault, Key, Scanner, Span};
use super::message::Answer;
use super::request_id::RequestId;

/// The deepest nesting of a message that is accepted, unless set otherwise. It must stay below
/// [`json_decode::MAX_DEPTH`](super::json_decode::MAX_DEPTH).
pub const DEFAULT_MAX_DEPTH: usize = 100;

/// A message that a client may send.
#[derive(Debug)]
pub enum Frame {
    /// It wants an answer.
    Request(Request),
    /// It wants none.
    Notification(Notification),
    /// An answer to a request of the server's; there are none in the modern era.
    Response(Response),
}

/// An answer of the client's to a request of the server's.
#[derive(Debug)]
pub struct Response {
    /// The id of that request; `None` if it cannot be read.
    pub id: Option<RequestId>,
    /// The result, or the error, as JSON text.
    pub outcome: Result<Bytes, Bytes>,
}

/// A request, as bytes and the places of its parts in them.
#[derive(Debug)]
pub struct Request {
    /// The id to answer with.
    pub id: RequestId,
    /// The method.
    pub method: Method,
    /// The parameters.
    pub params: Params,
}

/// A notification, as bytes and the places of its parts in them.
#[derive(Debug)]
pub struct Notification {
    /// The method.
    pub method: Method,
    /// The parameters.
    pub params: Params,
}

/// The name of a method.
#[derive(Debug)]
pub struct Method {
    text: Bytes,
}

impl Method {
    /// The name, with its escapes resolved.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text).unwrap_or_default()
    }
}

/// The members of `params` that some method reads. A member that is null counts as absent.
#[derive(Debug, Default)]
pub struct Params {
    text: Bytes,
    object: Option<Span>,
    /// Whether `params` is there, but not an object.
    pub not_an_object: bool,
    /// `_meta`
    pub meta: Option<Meta>,
    /// `name`
    pub name: Option<Span>,
    /// `arguments`
    pub arguments: Option<Span>,
    /// `cursor`
    pub cursor: Option<Span>,
    /// `uri`
    pub uri: Option<Span>,
    /// `inputResponses`
    pub input_responses: Option<Span>,
    /// `requestState`
    pub request_state: Option<Span>,
    /// `notifications`
    pub notifications: Option<Span>,
    /// `requestId`
    pub request_id: Option<Span>,
    /// `reason`
    pub reason: Option<Span>,
}

impl Params {
    /// Only when all members were seen: one that stands there twice, once as null, is twice there too.
    fn forget_nulls(&mut self) {
        let text = &self.text;
        let forget = |slot: &mut Option<Span>| {
            slot.take_if(|span| span.of(text) == b"null");
        };
        for slot in [
            &mut self.name,
            &mut self.arguments,
            &mut self.cursor,
            &mut self.uri,
            &mut self.input_responses,
            &mut self.request_state,
            &mut self.notifications,
            &mut self.request_id,
            &mut self.reason,
        ] {
            forget(slot);
        }
        self.meta.take_if(|meta| meta.span.of(text) == b"null");
        if let Some(meta) = &mut self.meta {
            for slot in [
                &mut meta.protocol_version,
                &mut meta.client_capabilities,
                &mut meta.log_level,
                &mut meta.progress_token,
            ] {
                forget(slot);
            }
        }
    }

    /// The value of a member that few methods read. `None` where it is absent, null, or cannot be represented.
    pub fn member(&self, name: &str) -> Option<Value> {
        let span = self.object?;
        let mut found = None;
        let mut scanner = Scanner::new(&self.text, span.start);
        let scanned = scanner.object::<JsonFault>(|scanner, key| {
            let span = scanner.value()?;
            if key.text().as_deref() == Some(name.as_bytes()) {
                found = Some(span);
            }
            Ok(())
        });
        scanned.ok()?;
        json_decode::decode(found?.of(&self.text)).ok().filter(|value| !value.is_null())
    }

    /// The JSON text at `span`.
    pub fn raw(&self, span: Span) -> Bytes {
        self.text.slice(span.start..span.end)
    }

    /// The JSON text at `span`, borrowed.
    pub fn bytes(&self, span: Span) -> &[u8] {
        span.of(&self.text)
    }

    /// The string at `span`, unescaped; `None` if another type is there.
    pub fn string(&self, span: Span) -> Option<String> {
        serde_json::from_slice(span.of(&self.text)).ok()
    }

    /// The progress token as JSON text, where the client gave one.
    ///
    /// Specification: basic/patterns/progress, "Progress Flow".
    pub fn progress_token(&self) -> Result<Option<Bytes>, ProtocolError> {
        let Some(span) = self.meta.as_ref().and_then(|meta| meta.progress_token) else { return Ok(None) };
        match self.id(span) {
            Some(_) => Ok(Some(self.raw(span))),
            None => Err(ProtocolError::invalid_meta(
                "params._meta.progressToken must be a string or an integer, of 1024 bytes at most",
            )),
        }
    }

    /// The id at `span`; `None` if another type is there.
    pub fn id(&self, span: Span) -> Option<RequestId> {
        RequestId::read(&self.text, span)
    }
}

/// The members of `params._meta` that the protocol reads. One that is null counts as absent.
#[derive(Debug)]
pub struct Meta {
    /// The whole object (or whatever stands in its place).
    pub span: Span,
    /// Whether it is an object.
    pub is_object: bool,
    /// `io.modelcontextprotocol/protocolVersion`
    pub protocol_version: Option<Span>,
    /// `io.modelcontextprotocol/clientCapabilities`
    pub client_capabilities: Option<Span>,
    /// `io.modelcontextprotocol/logLevel`
    pub log_level: Option<Span>,
    /// `progressToken`
    pub progress_token: Option<Span>,
}

impl Frame {
    /// Scans a message. A byte order mark in front of it is passed over.
    pub fn scan(text: Bytes, max_depth: usize) -> Result<Frame, FrameFault> {
        let start = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if simdutf8::basic::from_utf8(&text).is_err() {
            return Err(FrameFault::parse("the message is not UTF-8"));
        }
        let mut scanner = Scanner::new(&text, start);
        if scanner.peek() != Some(b'{') {
            scanner.value()?;
            scanner.end()?;
            return Err(not_an_object(&text[start..]));
        }
        let mut envelope = Envelope::default();
        scanner.object(|scanner, key| envelope.member(scanner, key, &text))?;
        scanner.end()?;
        let depth = scanner.deepest();
        envelope.into_frame(text, depth, max_depth)
    }
}

/// Why a message could not be taken.
#[derive(Debug)]
pub struct FrameFault {
    error: ProtocolError,
    id: Option<RequestId>,
    /// Whether it was a notification, which is never answered.
    pub is_notification: bool,
}

impl FrameFault {
    /// The error to answer with.
    pub fn answer(&self) -> Answer {
        self.error.answer(self.id.as_ref())
    }

    /// Whether the error has the id of the request.
    pub fn has_id(&self) -> bool {
        self.id.is_some()
    }

    /// What was wrong.
    pub fn message(&self) -> &str {
        &self.error.message
    }

    fn parse(message: impl Into<String>) -> Self {
        FrameFault { error: ProtocolError::new(ErrorCode::PARSE, message), id: None, is_notification: false }
    }

    fn invalid(id: Option<RequestId>, message: impl Into<String>) -> Self {
        FrameFault {
            error: ProtocolError::new(ErrorCode::INVALID_REQUEST, message),
            id,
            is_notification: false,
        }
    }
}

impl From<JsonFault> for FrameFault {
    fn from(fault: JsonFault) -> Self {
        Self::parse(format!("the message is not JSON: at byte {}, {}", fault.at, fault.what))
    }
}

/// What was seen of the envelope while scanning.
#[derive(Default)]
struct Envelope {
    jsonrpc: Option<Span>,
    id: Option<Span>,
    method: Option<Span>,
    params: Params,
    result: Option<Span>,
    error: Option<Span>,
    twice: Option<&'static str>,
}

impl Envelope {
    fn member<'a>(&mut self, scanner: &mut Scanner<'a>, key: Key<'a>, text: &Bytes) -> Result<(), JsonFault> {
        let key = key.text().unwrap_or_default();
        match &*key {
            b"jsonrpc" => set(&mut self.jsonrpc, scanner.value()?, "jsonrpc", &mut self.twice),
            b"id" => set(&mut self.id, scanner.value()?, "id", &mut self.twice),
            b"method" => set(&mut self.method, scanner.value()?, "method", &mut self.twice),
            b"params" => self.read_params(scanner, text)?,
            b"result" => set(&mut self.result, scanner.value()?, "result", &mut self.twice),
            b"error" => set(&mut self.error, scanner.value()?, "error", &mut self.twice),
            _ => drop(scanner.value()?),
        }
        Ok(())
    }

    fn read_params(&mut self, scanner: &mut Scanner<'_>, text: &Bytes) -> Result<(), JsonFault> {
        if !self.params.text.is_empty() {
            self.twice = Some("params");
        }
        let mut params = Params { text: text.clone(), ..Params::default() };
        let twice = &mut self.twice;
        if scanner.peek() == Some(b'{') {
            let span = scanner.object(|scanner, key| params_member(&mut params, twice, scanner, key))?;
            params.object = Some(span);
            params.forget_nulls();
        } else {
            let span = scanner.value()?;
            params.not_an_object = span.of(text) != b"null";
        }
        self.params = params;
        Ok(())
    }

    /// What a response says; an error is one whatever stands beside it.
    fn outcome(&self, text: &Bytes) -> Option<Result<Bytes, Bytes>> {
        let slice = |span: Span| text.slice(span.start..span.end);
        self.error.map(|span| Err(slice(span))).or_else(|| self.result.map(|span| Ok(slice(span))))
    }

    fn into_frame(self, text: Bytes, depth: usize, max_depth: usize) -> Result<Frame, FrameFault> {
        let id = self.id.map(|span| RequestId::read(&text, span));
        let known_id = id.clone().flatten();
        let method = self.method.and_then(|span| method(&text, span));
        if self.method.is_none()
            && let Some(outcome) = self.outcome(&text)
        {
            return Ok(Frame::Response(Response { id: known_id, outcome }));
        }
        let is_notification = id.is_none() && self.method.is_some();
        let refuse = |message: String| FrameFault {
            is_notification,
            ..FrameFault::invalid(known_id.clone(), message)
        };
        if let Some(name) = self.twice {
            return Err(refuse(format!("the member \"{name}\" stands in the message twice")));
        }
        if self.jsonrpc.map(|span| span.of(&text)) != Some(b"\"2.0\"") {
            return Err(refuse("the member \"jsonrpc\" must be \"2.0\"".into()));
        }
        let Some(method) = method else {
            return Err(refuse("the member \"method\" must be a string".into()));
        };
        if depth > max_depth {
            return Err(refuse(format!(
                "the message is nested {depth} levels deep, more than the {max_depth} that are accepted"
            )));
        }
        let params = self.params;
        match id {
            None => Ok(Frame::Notification(Notification { method, params })),
            Some(Some(id)) => Ok(Frame::Request(Request { id, method, params })),
            Some(None) => Err(FrameFault::invalid(
                None,
                "the member \"id\" must be a string or an integer, of 1024 bytes at most",
            )),
        }
    }
}

fn params_member<'a>(
    params: &mut Params,
    twice: &mut Option<&'static str>,
    scanner: &mut Scanner<'a>,
    key: Key<'a>,
) -> Result<(), JsonFault> {
    let key = key.text().unwrap_or_default();
    let (slot, name) = match &*key {
        b"name" => (&mut params.name, "params.name"),
        b"arguments" => (&mut params.arguments, "params.arguments"),
        b"cursor" => (&mut params.cursor, "params.cursor"),
        b"uri" => (&mut params.uri, "params.uri"),
        b"inputResponses" => (&mut params.input_responses, "params.inputResponses"),
        b"requestState" => (&mut params.request_state, "params.requestState"),
        b"notifications" => (&mut params.notifications, "params.notifications"),
        b"requestId" => (&mut params.request_id, "params.requestId"),
        b"reason" => (&mut params.reason, "params.reason"),
        b"_meta" => {
            if params.meta.is_some() {
                *twice = Some("params._meta");
            }
            params.meta = Some(read_meta(scanner, twice)?);
            return Ok(());
        }
        _ => return scanner.value().map(drop),
    };
    let span = scanner.value()?;
    set(slot, span, name, twice);
    Ok(())
}

fn read_meta(scanner: &mut Scanner<'_>, twice: &mut Option<&'static str>) -> Result<Meta, JsonFault> {
    let mut meta = Meta {
        span: Span { start: 0, end: 0 },
        is_object: true,
        protocol_version: None,
        client_capabilities: None,
        log_level: None,
        progress_token: None,
    };
    match scanner.peek() {
        Some(b'{') => {
            meta.span = scanner.object(|scanner, key| meta_member(&mut meta, twice, scanner, key))?;
        }
        _ => {
            meta.span = scanner.value()?;
            meta.is_object = false;
        }
    }
    Ok(meta)
}

fn meta_member<'a>(
    meta: &mut Meta,
    twice: &mut Option<&'static str>,
    scanner: &mut Scanner<'a>,
    key: Key<'a>,
) -> Result<(), JsonFault> {
    let key = key.text().unwrap_or_default();
    let (slot, name) = match &*key {
        b"io.modelcontextprotocol/protocolVersion" => (&mut meta.protocol_version, "protocolVersion"),
        b"io.modelcontextprotocol/clientCapabilities" => {
            (&mut meta.client_capabilities, "clientCapabilities")
        }
        b"io.modelcontextprotocol/logLevel" => (&mut meta.log_level, "logLevel"),
        b"progressToken" => (&mut meta.progress_token, "progressToken"),
        _ => return scanner.value().map(drop),
    };
    let span = scanner.value()?;
    set(slot, span, name, twice);
    Ok(())
}

/// Two members of one name let two readers of a message see different things, so they are refused.
fn set(slot: &mut Option<Span>, span: Span, name: &'static str, twice: &mut Option<&'static str>) {
    if slot.replace(span).is_some() {
        *twice = Some(name);
    }
}

fn method(text: &Bytes, span: Span) -> Option<Method> {
    let raw = span.of(text);
    if raw.first() != Some(&b'"') {
        return None;
    }
    if !raw.contains(&b'\\') {
        return Some(Method { text: text.slice(span.start + 1..span.end - 1) });
    }
    let decoded: String = serde_json::from_slice(raw).ok()?;
    Some(Method { text: decoded.into() })
}

fn not_an_object(text: &[u8]) -> FrameFault {
    let message = if text.iter().find(|b| !b.is_ascii_whitespace()) == Some(&b'[') {
        "a batch is not accepted: send each message by itself"
    } else {
        "the message must be a JSON object"
    };
    FrameFault::invalid(None, message)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn scan(text: &str) -> Result<Frame, FrameFault> {
        Frame::scan(Bytes::copy_from_slice(text.as_bytes()), DEFAULT_MAX_DEPTH)
    }

    fn fault(text: &str) -> String {
        let answer = scan(text).unwrap_err().answer();
        let mut out = Vec::new();
        answer.message.append_to(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn finds_the_parts_of_a_call_wherever_they_stand() {
        let text = r#"{"params":{"arguments":{"a":[1]},"_meta":{"x/y":1,"progressToken":0},"n\u0061me":"add"},
            "id":"q","extra":{},"method":"tools\/call","jsonrpc":"2.0"}"#;
        let Frame::Request(request) = scan(text).unwrap() else { panic!("not a request") };
        assert_eq!(request.id, RequestId::Text("q".into()));
        assert_eq!(request.method.as_str(), "tools/call");
        let params = request.params;
        assert_eq!(params.string(params.name.unwrap()).unwrap(), "add");
        assert_eq!(params.bytes(params.arguments.unwrap()), br#"{"a":[1]}"#);
        let meta = params.meta.as_ref().unwrap();
        assert_eq!(params.bytes(meta.progress_token.unwrap()), b"0");
        assert_eq!(params.bytes(meta.span), br#"{"x/y":1,"progressToken":0}"#);
    }

    #[test]
    fn answers_what_is_not_a_request_with_the_id_where_it_can_be_read() {
        let cases = [
            (r#"{"id":99,"method":"tools/list"}"#, Some("99")),
            (r#"{"jsonrpc":"2.0","id":7,"method_":"x"}"#, Some("7")),
            (r#"{"jsonrpc":"2.0","id":7,"method":42}"#, Some("7")),
            (r#"{"jsonrpc":"1.0","id":"x","method":"m"}"#, Some("\"x\"")),
            (r#"{"jsonrpc":"2.0","id":true,"method":"m"}"#, None),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"m"}"#, None),
            (r#"{"jsonrpc":"2.0","id":null,"method":"m"}"#, None),
            (r#"{"jsonrpc":"2.0","id":1,"id":1,"method":"m"}"#, Some("1")),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"name":null,"name":"a"}}"#, Some("1")),
            (r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"_meta":{},"_meta":null}}"#, Some("1")),
            ("[]", None),
            ("1", None),
            (r#"{"jsonrpc":"2.0"}"#, None),
        ];
        for (text, id) in cases {
            let answer = fault(text);
            assert!(answer.contains("-32600"), "{text}: {answer}");
            let id = id.map(|id| format!("\"id\":{id},"));
            assert_eq!(answer.contains("\"id\":"), id.is_some(), "{text}: {answer}");
            assert!(answer.contains(&id.unwrap_or_default()), "{text}: {answer}");
        }
    }

    #[test]
    fn answers_what_is_not_json_with_a_parse_error_without_id() {
        for text in ["not json", "{\"jsonrpc\":\"2.0\",", "", "{}}", "{\"a\":1,}", "{\"id\":1 \"x\"}"] {
            let answer = fault(text);
            assert!(answer.contains("-32700") && !answer.contains("\"id\""), "{answer}");
        }
        let bad_utf8 = Frame::scan(Bytes::from_static(b"{\"a\":\"\xC3\x28\"}"), DEFAULT_MAX_DEPTH);
        assert!(bad_utf8.unwrap_err().message().contains("UTF-8"));
    }

    #[test]
    fn never_answers_a_malformed_notification() {
        assert!(scan(r#"{"jsonrpc":"1.0","method":"m"}"#).unwrap_err().is_notification);
        assert!(scan(r#"{"jsonrpc":"2.0","method":42}"#).unwrap_err().is_notification);
        assert!(!scan(r#"{"jsonrpc":"2.0"}"#).unwrap_err().is_notification);
    }

    #[test]
    fn refuses_deep_nesting_with_the_id() {
        let deep = "[".repeat(10_000) + &"]".repeat(10_000);
        let text = format!(r#"{{"jsonrpc":"2.0","method":"m","params":{{"arguments":{deep}}},"id":5}}"#);
        let answer = fault(&text);
        assert!(answer.contains("\"id\":5") && answer.contains("100"), "{answer}");
    }

    #[test]
    fn takes_null_members_as_absent() {
        let text =
            r#"{"jsonrpc":"2.0","id":1,"method":"m","params":{"cursor":null,"_meta":null,"name":null}}"#;
        let Frame::Request(request) = scan(text).unwrap() else { panic!("not a request") };
        assert!(request.params.cursor.is_none() && request.params.meta.is_none());
        assert!(request.params.name.is_none());
    }

    #[test]
    fn passes_over_a_byte_order_mark() {
        assert!(scan("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}").is_ok());
    }

    #[test]
    fn knows_an_answer_when_it_sees_one() {
        assert!(matches!(scan(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), Ok(Frame::Response(_))));
    }
}
