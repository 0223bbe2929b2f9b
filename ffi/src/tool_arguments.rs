//! Arguments declared one by one, and the input schema that they make.

use std::ffi::{c_char, c_int};

use mcp_core::protocol::nearest_name::did_you_mean;
use mcp_core::schema::declared_arguments::{
    self, ArgumentType, DeclaredArgument, declaration_fault, disagreement,
};

use crate::boundary;
use crate::handle;
use crate::mirrored_argument;
use crate::presence;
use crate::status::{Fault, Status};
use crate::text;
use crate::tool::Tool;

/// The JSON type of an argument.
#[repr(C)]
#[derive(Clone, Copy)]
pub enum Type {
    /// A string.
    String = 0,
    /// Any number.
    Number = 1,
    /// A whole number; 3.0 is one too.
    Integer = 2,
    /// true or false.
    Boolean = 3,
    /// An object of any members.
    Object = 4,
    /// An array of any elements.
    Array = 5,
}

/// Declares an argument: a property of the input schema, which the declared arguments make if none is set.
/// Such a schema allows no other arguments.
///
/// `type` is an mcp_type, `presence` an mcp_presence; `description` is for models and may be NULL. Texts
/// are copied. Errors: INVALID_ARG for a name declared before, an empty name, or a number that is no type
/// or presence.
///
/// # Safety
/// `tool` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_add_argument(
    tool: *mut Tool,
    name: *const c_char,
    r#type: c_int,
    presence: c_int,
    description: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (tool, name, description) = unsafe {
            let tool = handle::exclusive(tool, "tool")?;
            (tool, text::required(name, "name")?, text::optional(description, "description")?)
        };
        let argument = DeclaredArgument {
            name: name.into(),
            kind: type_from(r#type)?,
            required: presence::is_required(presence)?,
            description: description.map(String::from),
            mirrored_as: None,
        };
        tool.arguments.push(argument);
        if let Some(fault) = declaration_fault(&tool.arguments) {
            tool.arguments.pop();
            let message = format!("tool \"{}\": {fault}", tool.name());
            return Err(Fault::new(Status::ErrInvalidArg, message));
        }
        Ok(())
    })
}

/// Has clients repeat an argument in the HTTP header `Mcp-Param-` + `header_name`, so that proxies can
/// route by it: adds `x-mcp-header` to the argument, declared or in the input schema (specification,
/// server/tools, "x-mcp-header").
///
/// Whether the tool has such an argument, and whether its type may be mirrored, is checked by
/// `mcp_server_add_tool`. Texts are copied. Errors: INVALID_ARG for an argument mirrored before.
///
/// # Safety
/// `tool` is NULL or a live handle; the texts are NULL or NUL-terminated.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mcp_tool_mirror_argument(
    tool: *mut Tool,
    argument: *const c_char,
    header_name: *const c_char,
) -> c_int {
    boundary::fallible(|| {
        // SAFETY: as promised by the caller.
        let (tool, argument, header) = unsafe {
            let tool = handle::exclusive(tool, "tool")?;
            (tool, text::required(argument, "argument")?, text::required(header_name, "header_name")?)
        };
        if tool.mirrored.iter().any(|(name, _)| name == argument) {
            let message = format!("tool \"{}\": argument \"{argument}\" is mirrored already", tool.name());
            return Err(Fault::new(Status::ErrInvalidArg, message));
        }
        tool.mirrored.push((argument.into(), header.into()));
        Ok(())
    })
}

/// The text of the tool's input schema: the explicit one, or the one that its arguments make.
pub fn input_schema(tool: &Tool, explicit: Option<&[u8]>) -> Result<Vec<u8>, Fault> {
    let invalid =
        |fault: String| Fault::new(Status::ErrInvalidSchema, format!("tool \"{}\": {fault}", tool.name()));
    let Some(explicit) = explicit else {
        let arguments = mirrored_declarations(tool).map_err(invalid)?;
        return Ok(declared_arguments::input_schema(&arguments));
    };
    let mut schema = explicit.to_vec();
    for (argument, header) in &tool.mirrored {
        schema = mirrored_argument::annotate(&schema, argument, header).map_err(invalid)?;
    }
    match disagreement(&tool.arguments, &schema) {
        Some(fault) => Err(invalid(fault)),
        None => Ok(schema),
    }
}

fn mirrored_declarations(tool: &Tool) -> Result<Vec<DeclaredArgument>, String> {
    let mut arguments = tool.arguments.clone();
    for (name, header) in &tool.mirrored {
        match arguments.iter_mut().find(|argument| argument.name == *name) {
            Some(argument) => argument.mirrored_as = Some(header.clone()),
            None => {
                let hint = did_you_mean(name, tool.arguments.iter().map(|argument| argument.name.as_str()));
                return Err(format!("there is no argument \"{name}\" to mirror{hint}"));
            }
        }
    }
    Ok(arguments)
}

fn type_from(number: c_int) -> Result<ArgumentType, Fault> {
    let known = [
        (Type::String, ArgumentType::String),
        (Type::Number, ArgumentType::Number),
        (Type::Integer, ArgumentType::Integer),
        (Type::Boolean, ArgumentType::Boolean),
        (Type::Object, ArgumentType::Object),
        (Type::Array, ArgumentType::Array),
    ];
    known.into_iter().find(|(value, _)| *value as c_int == number).map(|(_, kind)| kind).ok_or_else(|| {
        let message = format!("type {number} is none of MCP_TYPE_STRING (0) to MCP_TYPE_ARRAY (5)");
        Fault::new(Status::ErrInvalidArg, message)
    })
}
