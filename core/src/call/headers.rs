//! The HTTP headers of a request, where it came by HTTP.

use std::any::Any;
use std::sync::Arc;

/// Something of the host's that goes with a request.
pub type Attachment = Arc<dyn Any + Send + Sync>;

/// Headers as the engine and a handler may ask for them.
///
/// Implemented by the transport; read from any thread.
pub trait Headers: Send + Sync {
    /// The value of the header called `name` (in lower case), its bytes as they came, without the white
    /// space around them. With several lines of that name, `nth` counts them from 0.
    fn value(&self, name: &str, nth: usize) -> Option<&[u8]>;

    /// Tells the name, in lower case, and the value of each line. Lines of one name are told in their order.
    fn each(&self, tell: &mut dyn FnMut(&str, &[u8]));

    /// What the host's own web server attached to the request, for the handlers of the calls that it makes.
    fn attachment(&self) -> Option<&Attachment> {
        None
    }
}
