"""Holds a schema that the author wrote against the signature, so that they cannot drift apart unnoticed."""

from __future__ import annotations

from typing import Any

from .shape import CONTEXT, REST, Parameter


def check_input(name: str, schema: Any, parameters: tuple[Parameter, ...], derived: dict[str, Any]) -> None:
    """Raises where a call that the schema allows would not fit the function."""
    if not isinstance(schema, dict):
        raise TypeError(f"{name}: input_schema must be a dict, not {type(schema).__name__}")
    properties = schema.get("properties", {})
    required = schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        raise ValueError(f"{name}: input_schema: \"properties\" must be a dict and \"required\" a list")
    if any(key in schema for key in ("$ref", "allOf", "anyOf", "oneOf")):
        return  # what those allow together is not for us to compute
    takes = {parameter.argument: parameter for parameter in parameters if parameter.kind not in (CONTEXT, REST)}
    rest = any(parameter.kind == REST for parameter in parameters)
    for argument, parameter in takes.items():
        if argument not in properties:
            if parameter.required:
                raise ValueError(
                    f"{name}: the parameter {parameter.name!r} has no default, and input_schema has no property {argument!r}"
                )
        elif parameter.required and argument not in required:
            raise ValueError(
                f"{name}: the parameter {parameter.name!r} has no default, but {argument!r} is not in \"required\" of input_schema"
            )
        else:
            _check_type(name, argument, properties[argument], derived.get("properties", {}).get(argument))
    for argument in properties:
        if argument not in takes and not rest:
            raise ValueError(
                f"{name}: input_schema has a property {argument!r}, and the function no such parameter "
                f"(it has {', '.join(map(repr, takes)) or 'none'}); add one, or **kwargs"
            )


def check_output(name: str, schema: Any) -> None:
    """Raises for what is no schema at all."""
    if not isinstance(schema, (dict, bool)):
        raise TypeError(f"{name}: output_schema must be a dict, not {type(schema).__name__}")


def _check_type(name: str, argument: str, written: Any, derived: Any) -> None:
    if not isinstance(written, dict) or not isinstance(derived, dict):
        return
    said, annotated = _types(written), _types(derived)
    if said and annotated and not said & annotated:
        raise ValueError(
            f"{name}: the property {argument!r} of input_schema is {' or '.join(sorted(said))}, and the parameter is annotated "
            f"as {' or '.join(sorted(annotated))}"
        )


def _types(schema: dict[str, Any]) -> set[str]:
    """The types that a schema names itself; none, if it says them in another way."""
    if "anyOf" in schema:
        parts = [_types(part) for part in schema["anyOf"] if isinstance(part, dict)]
        return set().union(*parts) if all(parts) else set()
    said = schema.get("type", [])
    found = {said} if isinstance(said, str) else set(said)
    return found | {"integer"} if "number" in found else found
