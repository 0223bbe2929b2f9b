"""Prints the public names of the Python package as JSON: those of the module, the attributes of its classes as `Class.name`,
and the parameters as `Class(name=)` and `Class.method(name=)`, as the source has them for type checkers.
"""

import ast
import inspect
import json

import libmcp

BUILT_IN = (BaseException, str, dict, tuple, list, int)


def parameters(value):
    """The parameters of a class's own functions, by the function's name: those of all its overloads."""
    tree = ast.parse(inspect.getsource(inspect.getmodule(value)))
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.name == value.__name__]
    for function in (function for node in classes for function in node.body):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            of = function.args
            for parameter in [*of.posonlyargs, *of.args, *of.kwonlyargs, of.vararg, of.kwarg]:
                if parameter is not None and parameter.arg != "self":
                    yield function.name, parameter.arg


def names():
    for name in libmcp.__all__:
        value = getattr(libmcp, name)
        yield name
        if not inspect.isclass(value):
            continue
        known = {attribute for base in BUILT_IN if issubclass(value, base) for attribute in dir(base)}
        yield from (f"{name}.{attribute}" for attribute in dir(value) if attribute[0] != "_" and attribute not in known)
        for owner in value.__mro__:
            if owner.__module__.startswith("libmcp."):
                for function, parameter in parameters(owner):
                    if function == "__init__":
                        yield f"{name}({parameter}=)"
                    elif not function.startswith("_"):
                        yield f"{name}.{function}({parameter}=)"


print(json.dumps(sorted(set(names()))))
