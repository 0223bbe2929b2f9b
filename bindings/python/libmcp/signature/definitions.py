"""Definitions of a generated schema: those that contain themselves stay, the others are written where they are used.

Some hosts do not follow references, and models read what stands in its place more easily.
"""

from __future__ import annotations

from .schema_parts import parts, with_parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Schema = dict[str, Any]

_PREFIX = "#/$defs/"
# Schemas within a schema that is written without references. With more, they stay: each use would be a copy.
_MOST = 2000
# What may stand beside a reference and is not about values.
_NOTES = frozenset(
    {"$comment", "default", "deprecated", "description", "examples", "readOnly", "title", "writeOnly"}
)


class Definitions:
    """What the references of schemas lead to, by name."""

    def __init__(self, schemas: dict[str, Schema]) -> None:
        self._schemas = schemas
        self._recursive = frozenset(name for name in schemas if self._leads_to(name, name))
        self._sizes: dict[str, int] = {}

    def settle(self, schema: Schema, *, at_root: bool = False) -> Schema:
        """The schema with definitions of its own, where it needs any. At the root of a result even one that contains itself
        is written out, as clients of older revisions want to see an object there."""
        if not self._schemas:
            return schema
        keep = self._recursive if self._size(schema) <= _MOST else frozenset(self._schemas)
        written = self._write(schema, keep)
        if at_root and (name := _referred(written)) is not None and name in self._schemas:
            beside = {key: value for key, value in written.items() if key != "$ref"}
            written = _merged(self._write_parts(self._schemas[name], keep), beside)
        needed: dict[str, Schema] = {}
        waiting = [written]
        while waiting:
            for name in _references(waiting.pop()):
                if name in self._schemas and name not in needed:
                    needed[name] = self._write_parts(self._schemas[name], keep)
                    waiting.append(needed[name])
        return {**written, "$defs": {name: needed[name] for name in sorted(needed)}} if needed else written

    def _leads_to(self, start: str, goal: str) -> bool:
        seen: set[str] = set()
        waiting = list(_references(self._schemas[start]))
        while waiting:
            name = waiting.pop()
            if name == goal:
                return True
            if name in self._schemas and name not in seen:
                seen.add(name)
                waiting += _references(self._schemas[name])
        return False

    def _size(self, schema: Schema) -> int:
        """How many schemas it is, written without references."""
        name = _referred(schema)
        own = 1 + sum(map(self._size, parts(schema)))
        if name is None or name not in self._schemas or name in self._recursive:
            return own
        if name not in self._sizes:
            self._sizes[name] = self._size(self._schemas[name])
        return own + self._sizes[name]

    def _write(self, schema: Schema, keep: frozenset[str]) -> Schema:
        name = _referred(schema)
        if name is None or name not in self._schemas or name in keep:
            return self._write_parts(schema, keep)
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _merged(self._write(self._schemas[name], keep), self._write_parts(beside, keep))

    def _write_parts(self, schema: Schema, keep: frozenset[str]) -> Schema:
        return with_parts(schema, lambda part: self._write(part, keep))


def _merged(schema: Schema, beside: Schema) -> Schema:
    if beside.keys() <= _NOTES:
        return {**schema, **beside}
    return {**beside, "allOf": [schema, *beside.get("allOf", ())]}


def _referred(schema: Schema) -> str | None:
    reference = schema.get("$ref")
    if isinstance(reference, str) and reference.startswith(_PREFIX):
        return reference.removeprefix(_PREFIX)
    return None


def _references(schema: Schema) -> list[str]:
    found = [name for part in parts(schema) for name in _references(part)]
    if (name := _referred(schema)) is not None:
        found.append(name)
    return found
