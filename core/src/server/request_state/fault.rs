//! Why a state cannot be made, or is not taken.

use thiserror::Error;

use crate::protocol::error::ProtocolError;

/// Why a state was not sealed or not opened. Its text is for the host's log and says what the peer is not told; the
/// peer gets [`StateFault::protocol_error`].
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum StateFault {
    /// The state to be sealed is too long.
    #[error(
        "a request state of {bytes} bytes would be sent, and {max_bytes} are allowed; carry less in memos and \
         answers, or allow more"
    )]
    TooLongToSeal {
        /// Its length as text.
        bytes: usize,
        /// The bound.
        max_bytes: usize,
    },
    /// The system gave no random bytes.
    #[error("the system gives no random bytes, so that no request state can be sealed")]
    NoRandomness,
    /// It is longer than any state of this server.
    #[error("the requestState is longer than the {max_bytes} bytes allowed")]
    TooLong {
        /// The bound.
        max_bytes: usize,
    },
    /// It does not have the form of a state.
    #[error("the requestState is no text that this library made")]
    Malformed,
    /// None of the keys sealed it.
    #[error(
        "the requestState was sealed with a key that this server does not have; servers that take each other's \
         states must share their keys"
    )]
    UnknownKey,
    /// It was changed, or forged.
    #[error("the requestState was changed on its way")]
    Tampered,
    /// It is genuine, and belongs to another request.
    #[error("the requestState belongs to {0}")]
    Foreign(Mismatch),
    /// It is genuine, and its time is over.
    #[error("the requestState has expired")]
    Expired,
}

/// In what a state's request differs from the one that it came with.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Mismatch {
    /// Another server's state.
    #[error("another server")]
    Audience,
    /// Another principal's state.
    #[error("another principal")]
    Principal,
    /// A state of another method.
    #[error("another method")]
    Method,
    /// A state of another tool, prompt or resource.
    #[error("another tool, prompt or resource")]
    Name,
    /// A state of a request with other arguments.
    #[error("a request with other arguments; a client must repeat them unchanged")]
    Arguments,
}

impl StateFault {
    /// What the peer is told: `-32602` and the way out for a state that is not taken, the same whichever check
    /// failed, but for expiry; `-32603` for one that could not be made.
    pub fn protocol_error(&self) -> ProtocolError {
        match self {
            StateFault::TooLongToSeal { .. } | StateFault::NoRandomness => {
                ProtocolError::internal("the server could not ask for the input that it needs")
            }
            StateFault::Expired => ProtocolError::invalid_params(EXPIRED),
            StateFault::TooLong { .. }
            | StateFault::Malformed
            | StateFault::UnknownKey
            | StateFault::Tampered
            | StateFault::Foreign(_) => ProtocolError::invalid_params(REFUSED),
        }
    }
}

const EXPIRED: &str =
    "the requestState has expired; start again: send the request without requestState and inputResponses";
const REFUSED: &str = "the requestState is not one of this server's for this request; start again: send the request \
                       without requestState and inputResponses";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::error::ErrorCode;

    #[test]
    fn tells_the_peer_nothing_but_the_way_out() {
        let refused = [
            StateFault::TooLong { max_bytes: 1 },
            StateFault::Malformed,
            StateFault::UnknownKey,
            StateFault::Tampered,
            StateFault::Foreign(Mismatch::Audience),
            StateFault::Foreign(Mismatch::Principal),
            StateFault::Foreign(Mismatch::Method),
            StateFault::Foreign(Mismatch::Name),
            StateFault::Foreign(Mismatch::Arguments),
        ];
        for fault in refused {
            assert_eq!(fault.protocol_error(), ProtocolError::invalid_params(REFUSED), "{fault}");
        }
        let expired = StateFault::Expired.protocol_error();
        assert_eq!(expired.code, ErrorCode::INVALID_PARAMS);
        assert!(expired.message.contains("expired") && expired.message.contains("start again"));
        let too_long = StateFault::TooLongToSeal { bytes: 2, max_bytes: 1 };
        assert_eq!(too_long.protocol_error().code, ErrorCode::INTERNAL);
    }
}
