"""Holds a schema that the author wrote against the signature, so that they cannot drift apart unnoticed."""

from __future__ import annotations

from keyword import iskeyword

from .type_forms import is_none, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from .shape import Parameter

    Schema = Mapping[str, Any]

# Keywords by which a schema says of properties what is not for us to compute.
_OPEN = ("$dynamicRef", "anyOf", "dependentSchemas", "if", "oneOf", "patternProperties")


def check_input(
    name: str, schema: Any, parameters: dict[str, Parameter], derived: dict[str, Any], takes_rest: bool
) -> None:
    """Raises where a call that the schema allows would not fit the function. `parameters` are those with arguments, by
    name. A parameter such as `from_` takes the property `from`, as Python has no such name."""
    properties, required, is_open = _read(name, schema)
    for parameter in parameters.values():
        bare = parameter.name.removesuffix("_")
        if parameter.argument not in properties and iskeyword(bare) and bare in properties:
            parameter.argument = bare
        _check_parameter(name, parameter, properties, required, is_open)
        derived_properties = derived["properties"]
        made = derived_properties.get(parameter.argument, derived_properties.get(parameter.name))
        _check_type(name, parameter, schema, properties.get(parameter.argument), made)
    taken = {parameter.argument for parameter in parameters.values()}
    for argument, written in properties.items():
        if argument not in taken and not takes_rest and written is not False:
            raise ValueError(
                f"{name}: input_schema has a property {argument!r}, and the function no such parameter "
                f"(it has {', '.join(map(repr, sorted(taken))) or 'none'}); add one, or **kwargs"
            )


def check_output(name: str, schema: Any, annotation: Any, derived: Any) -> None:
    """Raises where what the function returns cannot fit the schema. `derived` is that of its annotation, if it has one."""
    if not isinstance(schema, dict):
        raise TypeError(f"{name}: output_schema must be a dict, not {type(schema).__name__}")
    said = _types(schema, schema)
    if is_none(annotation):
        made = {"null"}
    elif annotation is str:
        made = {"string"}
    elif isinstance(derived, dict):
        made = _types(derived, derived)
    else:
        return
    if said and made and not said & made:
        raise ValueError(
            f"{name}: output_schema is {_either(said)}, and the function returns {shown(annotation)}, which is {_either(made)}"
        )
    if isinstance(derived, dict) and derived.get("additionalProperties") in (None, False):
        known: dict[str, Any] = derived.get("properties", {})
        missing = sorted(_read(name, schema, "output_schema")[1] - known.keys()) if known else []
        if missing:
            raise ValueError(
                f"{name}: output_schema requires the property {missing[0]!r}, and {shown(annotation)} has none of that name"
            )


def types_of_property(schema: Any, argument: str) -> set[str]:
    """The types of JSON that the schema names for an argument; none, if it says them in a way that is not plain."""
    written = _read("", schema)[0].get(argument)
    return _types(written, schema)


def _check_parameter(
    name: str, parameter: Parameter, properties: dict[str, Any], required: set[str], is_open: bool
) -> None:
    argument = parameter.argument
    if not parameter.required or argument in required or is_open:
        return
    if argument not in properties:
        raise ValueError(
            f"{name}: the parameter {parameter.name!r} has no default, and input_schema no property {argument!r}"
        )
    raise ValueError(
        f"{name}: the parameter {parameter.name!r} has no default, and input_schema does not name the property {argument!r} "
        'in "required"; give it a default, or require it'
    )


def _check_type(name: str, parameter: Parameter, schema: Any, written: Any, derived: Any) -> None:
    if not isinstance(derived, dict):
        return
    said, annotated = _types(written, schema), _types(derived, derived)
    if said and annotated and not said & annotated:
        raise ValueError(
            f"{name}: the property {parameter.argument!r} of input_schema is {_either(said)}, and the parameter "
            f"{parameter.name!r} is annotated as {_either(annotated)}"
        )


def _read(name: str, schema: Any, which: str = "input_schema") -> tuple[dict[str, Any], set[str], bool]:
    """The properties that a schema has at its root, through `$ref` and `allOf` too; those that it requires; and whether
    it may have or require more, in ways that are not followed."""
    if not isinstance(schema, dict):
        raise TypeError(f"{name}: {which} must be a dict, not {type(schema).__name__}")
    properties: dict[str, Any] = {}
    required: set[str] = set()
    is_open = False
    seen: list[Any] = []
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict) or any(part is other for other in seen):
            continue
        seen.append(part)
        own, needed = part.get("properties", {}), part.get("required", [])
        if not isinstance(own, dict) or not isinstance(needed, list):
            raise ValueError(f'{name}: "properties" of {which} must be a dict, and "required" a list')
        properties.update(own)
        required.update(one for one in needed if isinstance(one, str))
        is_open = is_open or any(keyword in part for keyword in _OPEN)
        together = part.get("allOf", [])
        waiting += together if isinstance(together, list) else []
        if "$ref" in part:
            target = _target(part["$ref"], schema)
            waiting.append(target)
            is_open = is_open or target is None
    return properties, required, is_open


def _target(reference: Any, root: Any) -> Any:
    """What a JSON Pointer into the same schema leads to; None for other references."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    found = root
    for step in reference[1:].split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and step in found:
            found = found[step]
        elif isinstance(found, list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            return None
    return found


_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null", dict: "object", list: "array"}


def _types(schema: Any, root: Any, depth: int = 0) -> set[str]:
    """The types that a schema names itself; none, if it says them in another way."""
    if not isinstance(schema, dict) or depth > 20:
        return set()
    if "type" in schema:
        said = schema["type"]
        found = {said} if isinstance(said, str) else {one for one in said if isinstance(one, str)}
        return found | {"integer"} if "number" in found else found
    if "const" in schema or isinstance(schema.get("enum"), list):
        values = schema["enum"] if "enum" in schema else [schema["const"]]
        named = {_NAMES.get(type(value), "") for value in values}
        return named | {"integer"} if "number" in named else named
    for keyword in ("anyOf", "oneOf"):
        if isinstance(parts := schema.get(keyword), list):
            each = [_types(part, root, depth + 1) for part in parts]
            return set().union(*each) if all(each) else set()
    if "$ref" in schema:
        return _types(_target(schema["$ref"], root), root, depth + 1)
    return set()


def _either(types: set[str]) -> str:
    return " or ".join(sorted(types - {"integer"} if "number" in types else types))
