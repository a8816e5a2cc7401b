"""Comparison of a script with its state before the change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile

if TYPE_CHECKING:
    from wardround.languages.script.code import Code
    from wardround.languages.script.syntax import Node

_LONGEST_BASE = 400_000


def base_code(source: SourceFile, removed: LazyPattern) -> Code | None:
    """Return the code before the change; None if no removed line matches a pattern."""
    base = source.base_text
    if base is None or base == source.text or len(base) > _LONGEST_BASE:
        return None
    if not any(removed.search(line) for line in set(base.split("\n")).difference(source.text.split("\n"))):
        return None
    from wardround.languages.script.code import code_of  # loads the parser

    return code_of(source.path, base)


def is_new(source: SourceFile, code: Code, node: Node, base: Code) -> bool:
    """Return True for a node that the change added or altered, also by the removal of one of its lines."""
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


def _name(code: Code, node: Node) -> str:
    own = code.name_of(node)
    if not own:
        return ""
    above, around = node.parent, ""
    while above is not None and not around:
        if "class" in above.type and above.type != "class_body":
            around = code.field(above, "name")
        elif above.type in ("pair", "variable_declarator") and above.child_by_field_name("value") != node:
            around = code.field(above, "name") or code.field(above, "key")
        above = above.parent
    return f"{around}.{own}" if around and around != own else own


def named_around(code: Code, node: Node) -> Node | None:
    """Return the innermost function around a node that ``functions_of`` contains."""
    from wardround.languages.script.code import function_around

    own = {one.id for one in functions_of(code).values()}
    function = function_around(node)
    while function is not None and function.id not in own:
        function = function_around(function)
    return function


def name_around(code: Code, node: Node) -> str:
    """Return the name of that function; empty outside of functions."""
    function = named_around(code, node)
    return _name(code, function) if function is not None else ""
