//! What a function of the addon reports to JavaScript: a message, and a code by which programs tell failures apart.

use mcp_core::host_error::HostError;

/// An error with its code, which JavaScript sees as the property `code`.
pub type Fault = napi::Error<Code>;

/// The result of a function of the addon.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

/// What kind of failure it is.
pub struct Code(&'static str);

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        self.0
    }
}

impl From<napi::Status> for Code {
    /// An argument that napi could not convert, or a failure of the JavaScript engine.
    fn from(status: napi::Status) -> Self {
        match status {
            napi::Status::GenericFailure | napi::Status::PendingException => Code("GENERIC_FAILURE"),
            _ => Code("INVALID_ARGUMENT"),
        }
    }
}

/// The failure that the core reports.
pub fn fault(error: &HostError) -> Fault {
    Fault::new(Code(code_of(error)), error.to_string())
}

/// A failure that the addon found itself.
pub fn invalid(message: impl Into<String>) -> Fault {
    fault(&HostError::InvalidArgument(message.into()))
}

/// The name of a failure's kind, as the C ABI has it without its prefix.
pub fn code_of(error: &HostError) -> &'static str {
    match error {
        HostError::InvalidArgument(_) => "INVALID_ARGUMENT",
        HostError::InvalidJson(_) => "INVALID_JSON",
        HostError::InvalidSchema(_) => "INVALID_SCHEMA",
        HostError::NotFound(_) => "NOT_FOUND",
        HostError::InvalidResult(_) => "INVALID_RESULT",
        HostError::AlreadyFinished => "ALREADY_FINISHED",
        HostError::Cancelled => "CANCELLED",
        HostError::Busy(_) => "BUSY",
        HostError::Io(_) => "IO",
        HostError::Deadlock(_) => "DEADLOCK",
        HostError::Forked => "FORKED",
        HostError::InputRequired(_) => "INPUT_REQUIRED",
        HostError::MissingCapability(_) => "MISSING_CAPABILITY",
        HostError::CallFailed(_) => "CALL_FAILED",
        HostError::ShutDown => "SHUT_DOWN",
    }
}
