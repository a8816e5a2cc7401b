"""Shapes of the expressions that guards inspect."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround_python.dataflow import request_parameters
from wardround_python.dataflow.catalogue import SOURCES
from wardround_python.dataflow.domain import NOTHING, SinkKind
from wardround_python.syntax.calls import passed_values

_LOOKUP = LazyPattern(
    r"^(get|find|fetch|load|lookup|retrieve|select)"
    r"(_(?!\w*(file|path|dir|folder|content|blob|text|bytes|upload|param|arg|header|image))\w+)?$"
)
"""Methods that return the record of an id, or nothing."""


def harmless_kinds(text: object) -> SinkKind:
    """Return the kinds of sink that a value cannot harm if it does not contain a string."""
    if not isinstance(text, str):
        return NOTHING
    if ".." in text or text in {"/", "\\"}:
        return SinkKind.PATH
    if text == "'":
        return SinkKind.XPATH
    if text == "://":  # //other.example leads away too
        return SinkKind.URL
    return SinkKind.REDIRECT | SinkKind.URL if text in {"//", ":"} else NOTHING


def is_request_part(node: ast.expr) -> bool:
    """Return True for a part of a request; a condition on it only shows that the part was sent."""
    return isinstance(node, ast.Attribute) and node.attr in SOURCES.request_parts


def is_trivial(node: ast.expr) -> bool:
    """Return True for a constant that differs from a value which exists: empty, None or a truth value."""
    return isinstance(node, ast.Constant) and node.value in ("", None, 0, False, True)


def is_lookup(func: ast.expr) -> bool:
    """Return True for a method that returns a record: ``crates.get``."""
    if not isinstance(func, ast.Attribute) or is_request_part(func.value):
        return False
    return _LOOKUP.search(func.attr) is not None


def passed_ids(call: ast.Call) -> Iterator[str]:
    """Yield the names of ids among the arguments of a call."""
    for argument in passed_values(call):
        if isinstance(argument, ast.Name) and request_parameters.ID_NAME.search(argument.id):
            yield argument.id


def is_slash(test: ast.Call) -> bool:
    """Return True for a test of the start of an address: ``/``, ``http``."""
    return (
        bool(test.args)
        and isinstance(test.args[0], ast.Constant)
        and test.args[0].value in {"/", "http", "https://", "http://"}
    )


def starts_upwards(test: ast.Call) -> bool:
    """Return True for a test of ``..``, alone or among other prefixes, as of a normalized path."""
    first = test.args[0] if test.args else None
    parts = first.elts if isinstance(first, ast.Tuple) else [first]
    return any(isinstance(part, ast.Constant) and str(part.value).startswith("..") for part in parts)


def starts_address(test: ast.Call) -> bool:
    """Return True for a test of ``//``, which starts an address on another site."""
    first = test.args[0] if test.args else None
    return isinstance(first, ast.Constant) and first.value == "//"


def accepts_any_string(node: ast.expr) -> bool:
    """Return True if a type is, or contains, one that accepts any string."""
    return any(
        isinstance(inner, ast.Name) and inner.id in {"str", "bytes", "list", "dict", "Mapping"}
        for inner in walk(node)
    )
