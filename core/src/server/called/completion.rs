//! What a `completion/complete` asks for: values of an argument of a prompt, or of a variable of a template.
//!
//! Specification: server/utilities/completion.

use serde_json::{Map, Value};

use super::{Called, SHOWN_NAME};
use crate::call::arguments::Arguments;
use crate::call::subject::Subject;
use crate::protocol::document;
use crate::protocol::error::ProtocolError;
use crate::protocol::frame::Params;
use crate::server::engine::Server;

/// What `params` asks for. The handler's arguments are `ref`, `argument` and `context`, as they came.
pub fn find(server: &Server, params: &Params) -> Result<Called, ProtocolError> {
    let handler = server
        .completion()
        .ok_or_else(|| ProtocolError::internal("nothing completes arguments on this server now"))?;
    let mut asked = Map::new();
    for name in ["ref", "argument", "context"] {
        asked.extend(params.member(name).map(|value| (name.to_owned(), value)));
    }
    let identifier = if named(&asked, "ref", "type") == Some("ref/resource") { "uri" } else { "name" };
    let about = named(&asked, "ref", identifier);
    let argument = named(&asked, "argument", "name");
    let (Some(about), Some(argument), Some(_)) = (about, argument, named(&asked, "argument", "value")) else {
        return Err(ProtocolError::invalid_params(
            "completion needs params.ref, a ref/prompt with a name or a ref/resource with a uri, and params.argument \
             with the strings name and value",
        ));
    };
    if !context_is_sound(asked.get("context")) {
        return Err(ProtocolError::invalid_params("params.context.arguments must be an object of strings"));
    }
    check_argument(server, &asked, about, argument)?;
    let subject = Subject::Completion(about.into());
    let arguments = Arguments::from_value(Value::Object(asked));
    Ok(Called {
        subject,
        handler: handler.handler,
        dispatch: handler.dispatch,
        arguments,
        check_first: false,
    })
}

/// The prompt or template must be there, and have the argument.
fn check_argument(
    server: &Server,
    asked: &Map<String, Value>,
    about: &str,
    argument: &str,
) -> Result<(), ProtocolError> {
    let shown = document::cut_to(about, SHOWN_NAME);
    let known = match named(asked, "ref", "type") {
        Some("ref/prompt") => server
            .prompts()
            .list()
            .find(about)
            .map(|prompt| prompt.contract.arguments.iter().any(|known| &*known.name == argument)),
        Some("ref/resource") => server
            .resource_templates()
            .list()
            .find(about)
            .map(|template| template.contract.variables.iter().any(|known| &**known == argument)),
        _ => {
            return Err(ProtocolError::invalid_params(
                "params.ref.type must be \"ref/prompt\" or \"ref/resource\"",
            ));
        }
    };
    match known {
        Some(true) => Ok(()),
        Some(false) => Err(ProtocolError::invalid_params(format!(
            "\"{shown}\" has no argument \"{}\"",
            document::cut_to(argument, SHOWN_NAME)
        ))),
        None => {
            Err(ProtocolError::invalid_params(format!("there is no prompt or resource template \"{shown}\"")))
        }
    }
}

fn named<'a>(asked: &'a Map<String, Value>, member: &str, name: &str) -> Option<&'a str> {
    asked.get(member)?.get(name)?.as_str()
}

fn context_is_sound(context: Option<&Value>) -> bool {
    let Some(context) = context else { return true };
    match context.get("arguments") {
        None | Some(Value::Null) => context.is_object(),
        Some(Value::Object(arguments)) => arguments.values().all(Value::is_string),
        Some(_) => false,
    }
}
