//! The functions of `lib/native.js` that hear of what happens. They throw nothing.

use napi::bindgen_prelude::{Function as JsFunction, JsObjectValue, Object};
use napi::{Env, JsValue};

use crate::fault::{Fault, Result};
use crate::javascript::Function;

/// One function for each kind of item that waits.
pub struct Hooks {
    /// `(handler, call, arguments, attachment) => answer`, see [`crate::answering`].
    pub run: Function,
    /// `(call)`
    pub cancelled: Function,
    /// `(promise, code, text)`: the code is empty if all went well.
    pub settled: Function,
    /// `(handler)`
    pub forget_handler: Function,
    /// `(attachment)`
    pub forget_attachment: Function,
    /// `(exchange, status, headers)`
    pub head: Function,
    /// `(exchange, piece)`
    pub body: Function,
    /// `(exchange)`
    pub end: Function,
    /// `(session, text)`
    pub message: Function,
    /// `(level, text)`
    pub log: Function,
}

impl Hooks {
    /// Keeps the functions of `hooks`, by their names.
    pub fn read(env: Env, hooks: &Object<'_>) -> Result<Hooks> {
        let hook = |name: &str| {
            let function = hooks.get_named_property::<JsFunction<'_>>(name);
            let function = function.map_err(|fault| Fault::new(fault.status.into(), fault.reason.clone()))?;
            Function::keep(env.raw(), function.raw())
        };
        Ok(Hooks {
            run: hook("run")?,
            cancelled: hook("cancelled")?,
            settled: hook("settled")?,
            forget_handler: hook("forgetHandler")?,
            forget_attachment: hook("forgetAttachment")?,
            head: hook("head")?,
            body: hook("body")?,
            end: hook("end")?,
            message: hook("message")?,
            log: hook("log")?,
        })
    }
}
