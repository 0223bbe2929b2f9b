//! How large a message may be: a line of stdio or the body of an HTTP request.

/// The largest message that is read, in bytes, unless set otherwise.
pub const DEFAULT_MAX_BYTES: usize = 16 << 20;
