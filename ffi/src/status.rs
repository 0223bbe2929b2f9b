//! The status codes, and the fault that a function ends with when it fails.

use std::ffi::{c_char, c_int};

use mcp_core::host_error::HostError;

use crate::boundary;

/// What a function returns: 0 for success, a negative number for a failure. Values never change.
///
/// `mcp_last_error` has the sentence that belongs to a failure.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// A pointer that must not be NULL is NULL.
    ErrNullArg = -1,
    /// An argument is not what the function takes.
    ErrInvalidArg = -2,
    /// A text is not UTF-8.
    ErrInvalidUtf8 = -3,
    /// A text is not JSON.
    ErrInvalidJson = -4,
    /// There is no such thing; of an argument: the client did not give it.
    ErrNotFound = -5,
    /// The argument is there, and null.
    ErrNullValue = -6,
    /// The argument has another type.
    ErrWrongType = -7,
    /// The number does not fit.
    ErrOutOfRange = -8,
    /// A tool's schema cannot be used.
    ErrInvalidSchema = -9,
    /// A result breaks its tool's output schema, or is no result. The call may be finished again.
    ErrInvalidResult = -10,
    /// The call was finished before, or answered by the library when its time ran out.
    ErrAlreadyFinished = -11,
    /// The client cancelled the call. Nothing is sent for it any more.
    ErrCancelled = -12,
    /// Something of which there is one only is in use, as the standard streams of the process.
    ErrBusy = -13,
    /// The operating system refused.
    ErrIo = -14,
    /// The time given ran out.
    ErrTimeout = -15,
    /// The call would wait for itself.
    ErrDeadlock = -16,
    /// The handle was made before a fork, in the parent process.
    ErrForked = -17,
    /// This build of the library cannot do it.
    ErrUnsupported = -18,
    /// The server was shut down.
    ErrShutdown = -19,
    /// A fault in the library, which it survived. Please report it.
    ErrPanic = -20,
    /// The client must be asked first: return from the handler, which runs again when there is an answer.
    ErrInputRequired = -21,
    /// The client did not declare what this needs.
    ErrMissingCapability = -22,
    /// A call of the server's own tool, prompt or resource ended with an error.
    ErrCallFailed = -23,
}

/// The name of a status, as "MCP_STATUS_ERR_NOT_FOUND"; "MCP_STATUS_UNKNOWN" for a number that is none.
///
/// Never NULL. The text is static. Any thread.
#[unsafe(no_mangle)]
pub extern "C" fn mcp_status_name(status: c_int) -> *const c_char {
    boundary::infallible(c"MCP_STATUS_UNKNOWN".as_ptr(), || {
        let named = NAMES.iter().find(|(known, _)| *known as c_int == status);
        named.map_or(c"MCP_STATUS_UNKNOWN", |(_, name)| name).as_ptr()
    })
}

/// Why a function failed: the code that it returns, and the text of `mcp_last_error`.
#[derive(Debug)]
pub struct Fault {
    /// The code.
    pub status: Status,
    /// What was wrong, and the way out.
    pub message: String,
}

impl Fault {
    /// A fault.
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Fault { status, message: message.into() }
    }
}

impl From<HostError> for Fault {
    fn from(error: HostError) -> Self {
        let status = match error {
            HostError::InvalidArgument(_) => Status::ErrInvalidArg,
            HostError::InvalidJson(_) => Status::ErrInvalidJson,
            HostError::InvalidSchema(_) => Status::ErrInvalidSchema,
            HostError::NotFound(_) => Status::ErrNotFound,
            HostError::InvalidResult(_) => Status::ErrInvalidResult,
            HostError::AlreadyFinished => Status::ErrAlreadyFinished,
            HostError::Cancelled => Status::ErrCancelled,
            HostError::Busy(_) => Status::ErrBusy,
            HostError::Io(_) => Status::ErrIo,
            HostError::Deadlock(_) => Status::ErrDeadlock,
            HostError::Forked => Status::ErrForked,
            HostError::ShutDown => Status::ErrShutdown,
            HostError::InputRequired(_) => Status::ErrInputRequired,
            HostError::MissingCapability(_) => Status::ErrMissingCapability,
            HostError::CallFailed(_) => Status::ErrCallFailed,
        };
        Fault::new(status, error.to_string())
    }
}

const NAMES: [(Status, &std::ffi::CStr); 24] = [
    (Status::Ok, c"MCP_STATUS_OK"),
    (Status::ErrNullArg, c"MCP_STATUS_ERR_NULL_ARG"),
    (Status::ErrInvalidArg, c"MCP_STATUS_ERR_INVALID_ARG"),
    (Status::ErrInvalidUtf8, c"MCP_STATUS_ERR_INVALID_UTF8"),
    (Status::ErrInvalidJson, c"MCP_STATUS_ERR_INVALID_JSON"),
    (Status::ErrNotFound, c"MCP_STATUS_ERR_NOT_FOUND"),
    (Status::ErrNullValue, c"MCP_STATUS_ERR_NULL_VALUE"),
    (Status::ErrWrongType, c"MCP_STATUS_ERR_WRONG_TYPE"),
    (Status::ErrOutOfRange, c"MCP_STATUS_ERR_OUT_OF_RANGE"),
    (Status::ErrInvalidSchema, c"MCP_STATUS_ERR_INVALID_SCHEMA"),
    (Status::ErrInvalidResult, c"MCP_STATUS_ERR_INVALID_RESULT"),
    (Status::ErrAlreadyFinished, c"MCP_STATUS_ERR_ALREADY_FINISHED"),
    (Status::ErrCancelled, c"MCP_STATUS_ERR_CANCELLED"),
    (Status::ErrBusy, c"MCP_STATUS_ERR_BUSY"),
    (Status::ErrIo, c"MCP_STATUS_ERR_IO"),
    (Status::ErrTimeout, c"MCP_STATUS_ERR_TIMEOUT"),
    (Status::ErrDeadlock, c"MCP_STATUS_ERR_DEADLOCK"),
    (Status::ErrForked, c"MCP_STATUS_ERR_FORKED"),
    (Status::ErrUnsupported, c"MCP_STATUS_ERR_UNSUPPORTED"),
    (Status::ErrShutdown, c"MCP_STATUS_ERR_SHUTDOWN"),
    (Status::ErrPanic, c"MCP_STATUS_ERR_PANIC"),
    (Status::ErrInputRequired, c"MCP_STATUS_ERR_INPUT_REQUIRED"),
    (Status::ErrMissingCapability, c"MCP_STATUS_ERR_MISSING_CAPABILITY"),
    (Status::ErrCallFailed, c"MCP_STATUS_ERR_CALL_FAILED"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_its_codes_from_zero_down_without_a_gap() {
        for (index, (status, _)) in NAMES.iter().enumerate() {
            assert_eq!(-(*status as c_int), c_int::try_from(index).unwrap_or(-1));
        }
    }
}
