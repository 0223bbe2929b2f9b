//! What a request must carry before its method is looked at.
//!
//! The order of the checks is the order in which faults are reported: the version in header and body, the
//! version itself, `_meta`, and the headers that repeat the method and the name.

use std::sync::Arc;

use bytes::Bytes;

use super::mirrored_headers;
use crate::call::headers::Headers;
use crate::call::request::RequestContext;
use crate::protocol::client_capability::ClientCapabilities;
use crate::protocol::error::{ErrorCode, ProtocolError};
use crate::protocol::frame::{Meta, Params, Request};
use crate::protocol::json_write;
use crate::protocol::log_level::LogLevel;
use crate::protocol::revision::Revision;

/// What `_meta` says, once it is known to be right.
pub struct Admitted {
    /// What handlers see of the request.
    pub context: RequestContext,
    /// The progress token as JSON text, where the client gave one.
    pub progress_token: Option<Bytes>,
    /// The least severe log message that the client wants; none without.
    pub log_level: Option<LogLevel>,
}

/// Checks a request. Where clients of the `legacy` era are served too, one that says nothing of its revision is told
/// both ways.
///
/// Specification: basic, "Per-request protocol fields"; basic/transports/streamable-http, "Request Metadata".
pub fn admit(
    request: &Request,
    headers: Option<&Arc<dyn Headers>>,
    principal: Option<&Arc<str>>,
    legacy: bool,
) -> Result<Admitted, ProtocolError> {
    let params = &request.params;
    let revision = revision(params, headers)?;
    let meta = required_meta(params, &request.method, revision, legacy)?;
    let admitted = Admitted {
        context: RequestContext {
            meta: params.raw(meta.span),
            revision: revision.ok_or_else(|| no_version(legacy))?,
            capabilities: capabilities(params, meta)?,
            introduction: None,
            headers: headers.cloned(),
            principal: principal.cloned(),
        },
        progress_token: params.progress_token()?,
        log_level: log_level(params, meta)?,
    };
    if let Some(headers) = headers {
        mirrored_headers::check_method(&**headers, request.method.as_str())?;
        mirrored_headers::check_name(&**headers, request)?;
    }
    Ok(admitted)
}

/// The revision that header and body agree on. `None` if the body names none that can be read.
fn revision(params: &Params, headers: Option<&Arc<dyn Headers>>) -> Result<Option<Revision>, ProtocolError> {
    let span = params.meta.as_ref().and_then(|meta| meta.protocol_version);
    let body = span.and_then(|span| params.string(span));
    let header = match headers {
        Some(headers) => {
            mirrored_headers::single(&**headers, "mcp-protocol-version", "MCP-Protocol-Version")?
        }
        None => None,
    };
    let header = header.map(String::from_utf8_lossy);
    if headers.is_some()
        && let Some(body) = &body
    {
        // White space around a header's value is not part of it.
        let agree = header.as_deref() == Some(body.trim());
        if !agree {
            return Err(mirrored_headers::mismatch("MCP-Protocol-Version", header.as_deref(), body));
        }
    }
    let Some(named) = body.as_deref().or(header.as_deref()) else { return Ok(None) };
    match Revision::named_per_request(named) {
        Some(revision) => Ok(body.is_some().then_some(revision)),
        None => Err(unsupported(named)),
    }
}

fn unsupported(requested: &str) -> ProtocolError {
    let supported = Revision::supported_json();
    let mut data = format!("{{\"supported\":{supported},\"requested\":").into_bytes();
    json_write::string(&mut data, requested);
    data.push(b'}');
    let message = format!("the protocol version \"{requested}\" is not supported; supported are {supported}");
    ProtocolError::new(ErrorCode::UNSUPPORTED_VERSION, message)
        .with_data(String::from_utf8_lossy(&data).into_owned())
}

fn required_meta<'a>(
    params: &'a Params,
    method: &crate::protocol::frame::Method,
    revision: Option<Revision>,
    legacy: bool,
) -> Result<&'a Meta, ProtocolError> {
    if params.not_an_object {
        return Err(ProtocolError::invalid_meta("params must be an object"));
    }
    if method.as_str() == "initialize" && revision.is_none() {
        // The only thing that a client of an older revision may be able to show its user.
        return Err(ProtocolError::invalid_meta(format!(
            "there is no initialize handshake here: each request names one of the protocol versions {} in \
             params._meta[\"io.modelcontextprotocol/protocolVersion\"]",
            Revision::supported_json()
        )));
    }
    match &params.meta {
        Some(meta) if meta.is_object => Ok(meta),
        Some(_) => Err(ProtocolError::invalid_meta("params._meta must be an object")),
        None => Err(no_version(legacy)),
    }
}

fn no_version(legacy: bool) -> ProtocolError {
    let error = missing("protocolVersion", "a string");
    if !legacy {
        return error;
    }
    ProtocolError::invalid_meta(format!(
        "{}; a client of a revision before 2026-07-28 begins with initialize",
        error.message
    ))
}

fn capabilities(params: &Params, meta: &Meta) -> Result<ClientCapabilities, ProtocolError> {
    let object = meta.client_capabilities.map(|span| params.raw(span));
    match object.filter(|json| json.starts_with(b"{")) {
        Some(json) => Ok(ClientCapabilities::new(json)),
        None => Err(missing("clientCapabilities", "an object")),
    }
}

/// Specification: server/utilities/logging, "Error Handling".
fn log_level(params: &Params, meta: &Meta) -> Result<Option<LogLevel>, ProtocolError> {
    let Some(span) = meta.log_level else { return Ok(None) };
    let level = params.string(span).and_then(|name| LogLevel::named(&name));
    level.map(Some).ok_or_else(|| {
        ProtocolError::invalid_meta(format!(
            "params._meta[\"io.modelcontextprotocol/logLevel\"] must be one of {}",
            LogLevel::names()
        ))
    })
}

fn missing(field: &str, kind: &str) -> ProtocolError {
    ProtocolError::invalid_meta(format!(
        "params._meta[\"io.modelcontextprotocol/{field}\"] is required and must be {kind}"
    ))
}
