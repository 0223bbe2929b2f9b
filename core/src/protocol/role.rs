//! Who speaks in a message, or is spoken to.

/// A side of a conversation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// The person.
    #[default]
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The names of all roles.
    pub const NAMES: [&str; 2] = [Role::User.name(), Role::Assistant.name()];

    /// Its name on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Assistant => "assistant",
        }
    }
}
