"""The words in which shapes are written: a small JSON Schema."""

ANY = True
TEXT = {"type": "string"}
TRUTH = {"type": "boolean"}
NUMBER = {"type": "number"}
INTEGER = {"type": "integer"}
COUNT = {"type": "integer", "minimum": 0}
OPEN = {"type": "object"}
BASE64 = {"type": "string", "format": "byte"}
URI = {"type": "string", "format": "uri"}


def one_of(*values):
    return {"enum": list(values)}


def any_of(*shapes):
    return {"anyOf": list(shapes)}


def ref(name):
    return {"$ref": "#/$defs/" + name}


def array(items, least=0):
    return {"type": "array", "items": items, "minItems": least}


def each(value):
    """An object of any members, all of this shape."""
    return {"type": "object", "additionalProperties": value}


def shape(required=None, optional=None, others=False):
    """An object with these members; `others` says what any other member must be."""
    required = required or {}
    members = {**required, **(optional or {})}
    return {"type": "object", "required": list(required), "properties": members, "additionalProperties": others}


def where(condition, **members):
    """These members, if they are there in the revision."""
    return members if condition else {}
