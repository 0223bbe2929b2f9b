//! How much of its streams a session keeps: what was sent and may be asked for again, and what waits for a client
//! that is away.

use std::ops::{Add, AddAssign, Sub, SubAssign};

/// How many messages a session keeps, unless set otherwise.
pub const DEFAULT_EVENTS: usize = 256;

/// How many bytes they may have, unless set otherwise.
pub const DEFAULT_BYTES: usize = 4 << 20;

/// An amount of messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    /// Their number.
    pub events: usize,
    /// Their bytes.
    pub bytes: usize,
}

impl Load {
    /// Whether it is more than `bounds` in either way.
    pub fn exceeds(self, bounds: Load) -> bool {
        self.events > bounds.events || self.bytes > bounds.bytes
    }
}

impl Add for Load {
    type Output = Load;

    fn add(self, other: Load) -> Load {
        Load { events: self.events + other.events, bytes: self.bytes + other.bytes }
    }
}

impl Sub for Load {
    type Output = Load;

    fn sub(self, other: Load) -> Load {
        Load {
            events: self.events.saturating_sub(other.events),
            bytes: self.bytes.saturating_sub(other.bytes),
        }
    }
}

impl AddAssign for Load {
    fn add_assign(&mut self, other: Load) {
        *self = *self + other;
    }
}

impl SubAssign for Load {
    fn sub_assign(&mut self, other: Load) {
        *self = *self - other;
    }
}
