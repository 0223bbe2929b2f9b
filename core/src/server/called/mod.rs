//! What a request calls: found, and checked as far as no era differs.

pub mod completion;
pub mod prompt;
pub mod resource;
pub mod tool;

use std::sync::Arc;

use crate::call::arguments::Arguments;
use crate::call::handler::{Dispatch, Handler};
use crate::call::subject::Subject;

/// Characters of a name that are shown to whoever sent one that is unknown or wrong.
const SHOWN_NAME: usize = 128;

/// Something that can be run.
pub struct Called {
    /// What is called.
    pub subject: Subject,
    /// The code behind it.
    pub handler: Arc<dyn Handler>,
    /// Where that code runs.
    pub dispatch: Dispatch,
    /// With what it is called.
    pub arguments: Arguments,
    /// Whether the arguments are still to be validated, where the handler runs.
    pub check_first: bool,
}
