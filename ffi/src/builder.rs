//! What the builders of definitions have in common, whatever they define: fields that are set one by one or
//! read from JSON, the capabilities that are demanded, and the place where the handler runs.

use std::ffi::{c_char, c_int};

use mcp_core::call::handler::Dispatch;
use mcp_core::protocol::client_capability::ClientCapability;
use mcp_core::protocol::definition::{Definition, DefinitionFault, Kind};
use mcp_core::protocol::definition_field::Field;

use crate::boundary;
use crate::dispatch;
use crate::handle::{self, Output};
use crate::status::{Fault, Status};
use crate::text;

/// A definition that grows, and what its registration needs besides.
pub struct Parts<K> {
    pub(crate) definition: Definition<K>,
    pub(crate) required_capabilities: Vec<ClientCapability>,
    pub(crate) dispatch: Dispatch,
}

/// A builder that C holds.
pub trait Builder: Sized {
    /// What it defines.
    type Kind: Kind;
    /// What its handle is called in the parameters of its functions.
    const PARAMETER: &'static str;

    /// A builder that begins with `definition`.
    fn begin(definition: Definition<Self::Kind>) -> Self;
    /// What it has so far.
    fn parts(&mut self) -> &mut Parts<Self::Kind>;
    /// By what the thing is addressed, for messages.
    fn identity(definition: &Definition<Self::Kind>) -> &str;
}

impl<K> Parts<K> {
    /// What a builder begins with.
    pub fn new(definition: Definition<K>) -> Self {
        Parts { definition, required_capabilities: Vec::new(), dispatch: Dispatch::default() }
    }
}

/// Gives a builder away that begins with `definition`.
pub fn give<B: Builder>(
    definition: Result<Definition<B::Kind>, DefinitionFault>,
    out: Output<*mut B>,
) -> Result<(), Fault> {
    out.give(B::begin(definition.map_err(invalid)?));
    Ok(())
}

/// Makes a builder from the object of the specification.
///
/// # Safety
/// `json` is NULL or has `len` bytes; `out` is NULL or may be written to.
pub unsafe fn from_json<B: Builder>(json: *const c_char, len: usize, out: *mut *mut B) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (json, out) = unsafe { (text::raw(json, len, "json")?, Output::new(out, "out")?) };
        let definition = Definition::from_json(json).map_err(|fault| {
            let what = format!("the {}", B::Kind::WORD);
            text::check_json(json, &what).err().unwrap_or_else(|| invalid(fault))
        })?;
        out.give(B::begin(definition));
        Ok(())
    })
}

/// Sets a field whose value is a string. `what` names the parameter.
///
/// # Safety
/// `builder` is NULL or a live handle without another user; `value` is NULL or NUL-terminated.
pub unsafe fn set_text<B: Builder>(builder: *mut B, field: Field, value: *const c_char, what: &str) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (builder, value) =
            unsafe { (handle::exclusive(builder, B::PARAMETER)?, text::required(value, what)?) };
        builder.parts().definition.set_text(field, value).map_err(invalid)
    })
}

/// Sets a field to a JSON text.
///
/// # Safety
/// `builder` is NULL or a live handle without another user; `json` is NULL or has `len` bytes.
pub unsafe fn set_json<B: Builder>(builder: *mut B, field: Field, json: *const c_char, len: usize) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (builder, json) =
            unsafe { (handle::exclusive(builder, B::PARAMETER)?, text::raw(json, len, "json")?) };
        let definition = &mut builder.parts().definition;
        definition.set_json(field, json).map_err(|fault| {
            let what = format!("{}: /{}:", named::<B>(definition), field.key());
            text::check_json(json, &what).err().unwrap_or_else(|| invalid(fault))
        })
    })
}

/// Demands a capability of clients.
///
/// # Safety
/// `builder` is NULL or a live handle without another user; `capability` is NULL or NUL-terminated.
pub unsafe fn require_capability<B: Builder>(builder: *mut B, capability: *const c_char) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (builder, name) =
            unsafe { (handle::exclusive(builder, B::PARAMETER)?, text::required(capability, "capability")?) };
        let parts = builder.parts();
        let capability = ClientCapability::named(name).map_err(|fault| {
            Fault::new(Status::ErrInvalidArg, format!("{}: {fault}", named::<B>(&parts.definition)))
        })?;
        if !parts.required_capabilities.contains(&capability) {
            parts.required_capabilities.push(capability);
        }
        Ok(())
    })
}

/// Sets where the handler runs, by a number of C.
///
/// # Safety
/// `builder` is NULL or a live handle without another user.
pub unsafe fn set_dispatch<B: Builder>(builder: *mut B, number: c_int) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let builder = unsafe { handle::exclusive(builder, B::PARAMETER)? };
        builder.parts().dispatch = dispatch::from_number(number)?;
        Ok(())
    })
}

/// The fault of a definition that the core refuses.
pub fn invalid(fault: DefinitionFault) -> Fault {
    Fault::new(Status::ErrInvalidArg, fault.to_string())
}

fn named<B: Builder>(definition: &Definition<B::Kind>) -> String {
    format!("{} \"{}\"", B::Kind::WORD, B::identity(definition))
}
