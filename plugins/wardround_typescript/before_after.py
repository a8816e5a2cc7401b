"""Comparison of a script with its state before the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from wardround.checks.source import SourceFile
from wardround.lazy import LazyPattern
from wardround_typescript.syntax.nodes import ancestors, child

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_LONGEST_BASE = 400_000


def base_code(source: SourceFile, removed: LazyPattern) -> Code | None:
    """Return the code before the change; None if no removed line matches a pattern."""
    base = source.base_text
    if base is None or base == source.text or len(base) > _LONGEST_BASE:
        return None
    removed_lines = set(base.split("\n")).difference(source.text.split("\n"))
    if not any(removed.search(line) for line in removed_lines):
        return None
    from wardround.languages.script.code import code_of  # loads the parser

    return code_of(source.path, base)


def is_new(source: SourceFile, code: Code, node: Node, base: Code) -> bool:
    """Return True for a node that the change added or modified, also by the removal of one of its lines."""
    return is_touched(source, node) or code.text(node) not in base.module.text


def is_touched(source: SourceFile, node: Node) -> bool:
    """Return True if the change added a line of a node."""
    rows = range(node.start_point[0] + 1, node.end_point[0] + 2)
    return any(source.is_added(row) for row in rows)


def functions_of(code: Code) -> Mapping[str, Node]:
    """Return the functions of a file by unambiguous name, methods qualified by their class."""
    found = code.notes.get(functions_of)
    if not isinstance(found, dict):
        found = code.notes[functions_of] = _functions_of(code)
    return found


def _functions_of(code: Code) -> dict[str, Node]:
    from wardround.languages.script.code import FUNCTIONS

    named = [(_name(code, node), node) for node in code.kinds(*sorted(FUNCTIONS))]
    times = Counter(name for name, _ in named)
    return {name: node for name, node in named if name and times[name] == 1}


def _name(code: Code, function: Node) -> str:
    """Return the name of a function, qualified by the innermost class, object or variable around it."""
    own = code.name_of(function)
    if not own:
        return ""
    owner = next(filter(None, _owners(code, function)), "")
    return f"{owner}.{own}" if owner not in ("", own) else own


def _owners(code: Code, function: Node) -> Iterator[str]:
    for around in ancestors(function):
        if "class" in around.type:
            yield code.field(around, "name")
        elif around.type in ("pair", "variable_declarator") and child(around, "value") != function:
            yield code.field(around, "name") or code.field(around, "key")


def named_around(code: Code, node: Node) -> Node | None:
    """Return the innermost function around a node that ``functions_of`` contains."""
    named = {function.id for function in functions_of(code).values()}
    return next((around for around in ancestors(node) if around.id in named), None)


def name_around(code: Code, node: Node) -> str:
    """Return the name of that function; empty outside of functions."""
    function = named_around(code, node)
    return _name(code, function) if function is not None else ""
