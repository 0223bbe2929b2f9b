//! The HTTP headers of a request, where it came by HTTP.

/// Headers as the engine and a handler may ask for them.
///
/// Implemented by the transport; read from any thread.
pub trait Headers: Send + Sync {
    /// The value of the header called `name` (in lower case), its bytes as they came, without the white
    /// space around them. With several lines of that name, `nth` counts them from 0.
    fn value(&self, name: &str, nth: usize) -> Option<&[u8]>;
}
