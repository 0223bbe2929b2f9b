//! What a handler asks its client, and what it keeps from round to round.

use mcp_core::host_error::HostError;
use napi_derive::napi;

use crate::environment::Environment;
use crate::fault::{Result, fault};
use crate::queue::CallId;

#[napi]
impl Environment {
    /// The client's answer to the question `key`, JSON text. Where there is none yet, fails with INPUT_REQUIRED, and
    /// the call ends with its questions whatever its handler gives.
    #[napi]
    pub fn request_input(&self, call: CallId, key: String, request: String) -> Result<String> {
        let call = self.shared.calls.get(call)?;
        let answer = call.request_input(&key, request.as_bytes()).map_err(|error| fault(&error))?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }

    /// What was kept under `key` in this round or an earlier one, JSON text.
    #[napi]
    pub fn memo(&self, call: CallId, key: String) -> Result<Option<String>> {
        match self.shared.calls.get(call)?.memo(&key) {
            Ok(json) => Ok(Some(String::from_utf8_lossy(&json).into_owned())),
            Err(HostError::NotFound(_)) => Ok(None),
            Err(error) => Err(fault(&error)),
        }
    }

    /// Keeps a value, JSON text, under `key` for the rounds to come.
    #[napi]
    pub fn set_memo(&self, call: CallId, key: String, value: String) -> Result<()> {
        let call = self.shared.calls.get(call)?;
        call.set_memo(&key, value.as_bytes()).map_err(|error| fault(&error))
    }

    /// Whether `key` is asked for the first time in all rounds of the call.
    #[napi]
    pub fn once(&self, call: CallId, key: String) -> Result<bool> {
        self.shared.calls.get(call)?.once(&key).map_err(|error| fault(&error))
    }

    /// The id of the page that is asked for under `key`, the same in every round.
    #[napi]
    pub fn elicitation_id(&self, call: CallId, key: String) -> Result<String> {
        self.shared.calls.get(call)?.elicitation_id(&key).map_err(|error| fault(&error))
    }
}
