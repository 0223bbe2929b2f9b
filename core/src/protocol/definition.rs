//! What an author defines and a list publishes: a tool, a resource, a resource template or a prompt.
//!
//! Definitions are published as they were written: every keyword of a schema survives, at every depth, in its
//! own order. Only white space between tokens goes, members that are null, and for a client of an older revision
//! what that revision does not know.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use super::definition_field::Field;
use super::document::{self, Document, DocumentFault, cut};
use super::json_write;
use super::revision::Revision;

/// A definition of one kind.
#[derive(Clone, Debug)]
pub struct Definition<K> {
    identity: Box<str>,
    /// Published members in the order in which they are written, the identity among them.
    members: Vec<(Field, Box<[u8]>)>,
    kind: PhantomData<K>,
}

/// A kind of definition.
pub trait Kind: Clone + fmt::Debug + Sized {
    /// What such a thing is called, as `tool`.
    const WORD: &'static str;
    /// The fields that it has, of any revision.
    const FIELDS: &'static [Field];
    /// The field by which the thing is addressed. It is a string, always there, and never changes.
    const IDENTITY: Field;
    /// The other fields that a definition in JSON must have, each with the way out if it is missing.
    const REQUIRED: &'static [(Field, &'static str)];

    /// Says what is wrong with the identity beyond what its field demands.
    fn identity_fault(_identity: &str) -> Option<String> {
        None
    }

    /// Checks what no field shows alone.
    fn check(_definition: &Definition<Self>) -> Result<(), DocumentFault> {
        Ok(())
    }
}

/// What is wrong with a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefinitionFault {
    /// What is defined, as `tool`.
    pub kind: &'static str,
    /// By what it is addressed, where that could be read.
    pub identity: Option<Box<str>>,
    /// What is wrong, and where in the definition.
    pub fault: DocumentFault,
}

impl fmt::Display for DefinitionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DefinitionFault { kind, identity, fault } = self;
        match identity {
            Some(identity) => write!(f, "{kind} \"{}\": {fault}", cut(identity)),
            None => write!(f, "{kind}: {fault}"),
        }
    }
}

impl std::error::Error for DefinitionFault {}

impl<K: Kind> Definition<K> {
    /// A definition with its identity and nothing else. It lists its members in the order of the specification,
    /// whatever the order in which they are set.
    pub(super) fn of(identity: &str) -> Result<Self, DefinitionFault> {
        let mut raw = Vec::new();
        json_write::string(&mut raw, identity);
        let identity = checked_identity::<K>(&raw).map_err(|fault| fault_of::<K>(None, fault))?;
        Ok(Definition { identity, members: vec![(K::IDENTITY, raw.into())], kind: PhantomData })
    }

    /// Reads the object of the specification. Fields of any revision are known, other keys are refused by name.
    /// Members keep the order of the text.
    pub fn from_json(text: &[u8]) -> Result<Self, DefinitionFault> {
        let nameless = |fault| fault_of::<K>(None, fault);
        document::check_json(text, "").map_err(nameless)?;
        let identity = read_identity::<K>(text).map_err(nameless)?;
        Self::read(text, identity.clone()).map_err(|fault| fault_of::<K>(Some(identity), fault))
    }

    /// The raw JSON text of a field, compact; `None` where it is not set.
    pub fn raw(&self, field: Field) -> Option<&[u8]> {
        self.members.iter().find(|(key, _)| *key == field).map(|(_, raw)| &**raw)
    }

    /// The text of a field whose value is a string; `None` where it is not set.
    pub fn text(&self, field: Field) -> Option<Cow<'_, str>> {
        document::string(self.raw(field)?, String::new).ok()
    }

    /// Sets `title` or `description`, or any other field whose value is a string.
    pub fn set_text(&mut self, field: Field, text: &str) -> Result<(), DefinitionFault> {
        let mut raw = Vec::new();
        json_write::string(&mut raw, text);
        self.set_json(field, &raw)
    }

    /// Sets a field to a JSON text, or takes it away where the text is `null`. The identity stays as it is, and
    /// after a fault so does everything.
    pub fn set_json(&mut self, field: Field, text: &[u8]) -> Result<(), DefinitionFault> {
        self.change(field, text).map_err(|fault| self.fault(fault))
    }

    /// Appends the definition as a client of `revision` lists it.
    pub fn write(&self, revision: Revision, out: &mut Vec<u8>) {
        self.write_replacing(revision, &[], out);
    }

    /// The same, with other values in place of those of some fields that are set.
    pub fn write_replacing(&self, revision: Revision, replaced: &[(Field, &[u8])], out: &mut Vec<u8>) {
        let mut separator = b'{';
        for (field, raw) in self.members.iter().filter(|(field, _)| field.is_known_to(revision)) {
            out.push(separator);
            separator = b',';
            json_write::string(out, field.key());
            out.push(b':');
            let other = replaced.iter().find(|(key, _)| key == field).map(|(_, value)| *value);
            field.write_value(other.unwrap_or(raw), revision, out);
        }
        out.push(b'}');
    }

    /// By what it is addressed: the text of the identity.
    pub(super) fn identity(&self) -> &str {
        &self.identity
    }

    /// A fault of this definition.
    pub(super) fn fault(&self, fault: DocumentFault) -> DefinitionFault {
        fault_of::<K>(Some(self.identity.clone()), fault)
    }

    fn read(text: &[u8], identity: Box<str>) -> Result<Self, DocumentFault> {
        let keys: Vec<&'static str> = K::FIELDS.iter().map(|field| field.key()).collect();
        let object = Document::read(text, "", &keys)?;
        let mut members = Vec::new();
        for (key, raw) in object.members() {
            let field = K::FIELDS.iter().find(|field| field.key() == key);
            members.extend(field.map(|field| Ok((*field, field.published(raw)?))).transpose()?);
        }
        for (field, way_out) in K::REQUIRED {
            if object.raw(field.key()).is_none() {
                return Err(DocumentFault::new("", format!("\"{}\" is missing{way_out}", field.key())));
            }
        }
        let definition = Definition { identity, members, kind: PhantomData };
        K::check(&definition)?;
        Ok(definition)
    }

    fn change(&mut self, field: Field, text: &[u8]) -> Result<(), DocumentFault> {
        let pointer = format!("/{}", field.key());
        if field == K::IDENTITY {
            let message = format!("the {} of a {} cannot be changed", field.key(), K::WORD);
            return Err(DocumentFault::new(pointer, message));
        }
        if !K::FIELDS.contains(&field) {
            return Err(DocumentFault::new(pointer, format!("a {} does not have it", K::WORD)));
        }
        document::check_json(text, &pointer)?;
        let text = text.trim_ascii();
        let mut changed = self.clone();
        changed.members.retain(|(key, _)| *key != field);
        // A name is text always.
        if text != b"null" || field == Field::Name {
            let at = changed.members.iter().position(|(key, _)| *key > field);
            let at = at.unwrap_or(changed.members.len());
            changed.members.insert(at, (field, field.published(text)?));
        }
        K::check(&changed)?;
        *self = changed;
        Ok(())
    }
}

fn fault_of<K: Kind>(identity: Option<Box<str>>, fault: DocumentFault) -> DefinitionFault {
    DefinitionFault { kind: K::WORD, identity, fault }
}

/// Reads the identity alone first, so that every other fault can be told with it.
fn read_identity<K: Kind>(text: &[u8]) -> Result<Box<str>, DocumentFault> {
    let identity = K::IDENTITY.key();
    let members = document::object(text, "")?;
    match members.iter().find(|(key, raw)| key == identity && *raw != b"null") {
        Some((_, raw)) => checked_identity::<K>(raw),
        None => Err(DocumentFault::new("", format!("\"{identity}\" is missing"))),
    }
}

fn checked_identity<K: Kind>(raw: &[u8]) -> Result<Box<str>, DocumentFault> {
    let pointer = || format!("/{}", K::IDENTITY.key());
    let identity = document::string(raw, pointer)?;
    if let Some(message) = K::identity_fault(&identity) {
        return Err(DocumentFault::new(pointer(), message));
    }
    K::IDENTITY.published(raw)?;
    Ok(identity.into())
}
