//! Who the server says it is.

use crate::host_error::HostError;
use crate::protocol::document;
use crate::protocol::revision::Revision;
use crate::protocol::{icon, json_write};

/// The `Implementation` object of a server, and its instructions to models.
#[derive(Clone, Debug)]
pub struct Identity {
    name: String,
    version: String,
    /// Title, description, websiteUrl and icons: each a member's name and its JSON text.
    optional: Vec<(&'static str, String)>,
    /// What `server/discover` tells a model about the server.
    pub instructions: Option<String>,
}

impl Identity {
    /// A server called `name`; neither may be empty.
    pub fn new(name: &str, version: &str) -> Result<Self, HostError> {
        for (what, text) in [("name", name), ("version", version)] {
            if text.is_empty() {
                return Err(HostError::InvalidArgument(format!("the server's {what} must not be empty")));
            }
        }
        Ok(Identity { name: name.into(), version: version.into(), optional: Vec::new(), instructions: None })
    }

    /// The server's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sets an optional string member of the `Implementation` object.
    pub fn set_text(&mut self, member: &'static str, text: &str) {
        let mut json = Vec::new();
        json_write::string(&mut json, text);
        self.set(member, String::from_utf8_lossy(&json).into_owned());
    }

    /// Sets the icons, a JSON array.
    pub fn set_icons(&mut self, json: &str) -> Result<(), HostError> {
        let checked = document::check_json(json.as_bytes(), "icons")
            .and_then(|()| icon::check_list(json.as_bytes(), "icons"))
            .map_err(|fault| HostError::InvalidArgument(fault.to_string()))?;
        self.set("icons", String::from_utf8_lossy(&checked).into_owned());
        Ok(())
    }

    /// Appends `"_meta":{...}` with the server's `Implementation` object.
    ///
    /// Specification: basic, "Per-response protocol fields".
    pub fn write_meta(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"_meta\":{");
        self.write_member(out);
        out.push(b'}');
    }

    /// Appends the member of `_meta` that names the server.
    pub fn write_member(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(b"\"io.modelcontextprotocol/serverInfo\":");
        self.write(Revision::V2026_07_28, out);
    }

    /// Appends the `Implementation` object, with the members that `revision` knows.
    pub fn write(&self, revision: Revision, out: &mut Vec<u8>) {
        out.extend_from_slice(b"{\"name\":");
        json_write::string(out, &self.name);
        out.extend_from_slice(b",\"version\":");
        json_write::string(out, &self.version);
        for (member, json) in &self.optional {
            let known = if *member == "title" { revision.has_titles() } else { revision.has_icons() };
            if known {
                out.extend_from_slice(b",\"");
                out.extend_from_slice(member.as_bytes());
                out.extend_from_slice(b"\":");
                out.extend_from_slice(json.as_bytes());
            }
        }
        out.push(b'}');
    }

    fn set(&mut self, member: &'static str, json: String) {
        self.optional.retain(|(name, _)| *name != member);
        self.optional.push((member, json));
    }
}
