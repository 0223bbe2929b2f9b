//! What a function of the library reports to the program that called it.
//!
//! The other two kinds of failure travel to the peer: [`crate::protocol::error::ProtocolError`] and
//! results with `isError`.

use thiserror::Error;

/// Why a call into the library failed. Each message names the thing and the way out.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum HostError {
    /// An argument is not what the function takes.
    #[error("{0}")]
    InvalidArgument(String),
    /// A text is not JSON.
    #[error("{0}")]
    InvalidJson(String),
    /// A schema cannot be used.
    #[error("{0}")]
    InvalidSchema(String),
    /// There is no such thing.
    #[error("{0}")]
    NotFound(String),
    /// A result breaks its tool's output schema, or is no result.
    #[error("{0}")]
    InvalidResult(String),
    /// The call was finished before.
    #[error("the call is finished already")]
    AlreadyFinished,
    /// The client cancelled the call; nothing is sent for it any more.
    #[error("the call was cancelled")]
    Cancelled,
    /// Something of which there is one only is in use.
    #[error("{0}")]
    Busy(String),
    /// The operating system refused.
    #[error("{0}")]
    Io(String),
    /// The call would wait for itself.
    #[error("{0}")]
    Deadlock(String),
    /// The handle was made before a fork, in the parent.
    #[error("this handle was made before fork() and belongs to the parent process; make a new one here")]
    Forked,
    /// The client must answer a question first: the handler is to return, and runs again.
    #[error("{0}")]
    InputRequired(String),
    /// The client did not declare what this needs.
    #[error("{0}")]
    MissingCapability(String),
    /// A call in process ended with an error.
    #[error("{0}")]
    CallFailed(String),
    /// The server was shut down.
    #[error("the server was shut down")]
    ShutDown,
}
