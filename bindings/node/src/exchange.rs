//! Requests that come by a web server of Node's, and their responses.

use std::sync::Arc;

use bytes::Bytes;
use mcp_core::call::invocation::Call;
use mcp_core::transport::http::{Abort, ExchangeRequest, HttpEndpoint, ResponseWriter};
use napi::bindgen_prelude::Buffer;
use napi_derive::napi;

use crate::environment::Shared;
use crate::fault::{Result, fault};
use crate::listener::HttpOptions;
use crate::queue::Item;
use crate::server::NativeServer;

/// The endpoint of a server in a web server of Node's.
#[napi]
pub struct NativeEndpoint {
    shared: Arc<Shared>,
    endpoint: HttpEndpoint,
}

/// A request that is being answered.
#[napi]
pub struct NativeExchange {
    abort: Abort,
}

#[napi]
impl NativeServer {
    /// Opens an endpoint.
    #[napi]
    pub fn endpoint(&self, options: HttpOptions) -> Result<NativeEndpoint> {
        let endpoint = HttpEndpoint::open(&self.core, &options.config()?).map_err(|error| fault(&error))?;
        Ok(NativeEndpoint { shared: self.shared.clone(), endpoint })
    }
}

#[napi]
impl NativeEndpoint {
    /// Begins to answer a request. `headers` are names and values by turns; an `attachment` other than 0 is the number
    /// of what the handlers of its calls see, and is forgotten with the request. The hooks are told the response under
    /// the number `exchange`.
    #[napi]
    #[allow(clippy::too_many_arguments, reason = "an object would be built and taken apart for each request")]
    pub fn start(
        &self,
        exchange: u32,
        method: String,
        target: String,
        headers: Vec<String>,
        body: Buffer,
        principal: Option<String>,
        attachment: u32,
    ) -> Result<NativeExchange> {
        let attached = Attached { number: attachment, shared: self.shared.clone() };
        let mut request = ExchangeRequest::new(&method, &target).map_err(|error| fault(&error))?;
        for line in headers.chunks_exact(2) {
            request.add_header(&line[0], &latin1(&line[1])).map_err(|error| fault(&error))?;
        }
        request.set_principal(principal.as_deref());
        request.attach(Arc::new(attached));
        let abort = Abort::default();
        let writer = Writer { exchange, shared: self.shared.clone() };
        let body = Bytes::copy_from_slice(&body);
        self.endpoint.start(request, body, Box::new(writer), &abort).map_err(|error| fault(&error))?;
        Ok(NativeExchange { abort })
    }
}

#[napi]
impl NativeExchange {
    /// Breaks the exchange off, because its client has gone.
    #[napi]
    pub fn abort(&self) {
        self.abort.abort();
    }
}

/// The number of what was attached to the request of `call`; 0 if nothing was.
pub fn attachment_of(call: &Call) -> u32 {
    let attached = call.context().attachment().and_then(|any| any.downcast_ref::<Attached>());
    attached.map_or(0, |attached| attached.number)
}

/// What JavaScript attached to a request, by its number. It is forgotten with the last call that may ask for it.
struct Attached {
    number: u32,
    shared: Arc<Shared>,
}

impl Drop for Attached {
    fn drop(&mut self) {
        if self.number != 0 {
            self.shared.queue.put(Item::ForgetAttachment(self.number));
        }
    }
}

struct Writer {
    exchange: u32,
    shared: Arc<Shared>,
}

impl ResponseWriter for Writer {
    fn head(&mut self, status: u16, headers: &[(&str, &[u8])]) {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), value.to_vec())).collect();
        self.shared.queue.put(Item::Head(self.exchange, status, headers));
    }

    fn body(&mut self, piece: &[u8]) {
        self.shared.queue.put(Item::Body(self.exchange, piece.to_vec()));
    }

    fn end(&mut self) {
        self.shared.queue.put(Item::End(self.exchange));
    }
}

/// The bytes of a header's value, which Node shows as characters up to U+00FF. What is beyond is none, and the core says
/// so.
fn latin1(value: &str) -> Vec<u8> {
    if value.chars().all(|character| u32::from(character) < 256) {
        return value.chars().map(|character| character as u8).collect();
    }
    value.as_bytes().to_vec()
}
