"""Rewrites of the arguments of a call, with the layout that the others have."""

from __future__ import annotations

import ast
from typing import NamedTuple

from wardround.findings import Edit
from wardround_python.fixes.statement_text import Part, Replacement, StatementText


class _Arguments(NamedTuple):
    """The arguments of a call in source order, each with its parentheses.

    Attributes:
        closing: the offset of the parenthesis after them.
    """

    opening: int
    parts: tuple[Part, ...]
    closing: int


def set_keyword(statement: StatementText, node: ast.Call, name: str, value: str) -> Edit | None:
    """Return the edit that adds a keyword argument to a call, or replaces its value."""
    for keyword in node.keywords:
        if keyword.arg == name:
            return statement.edit(Replacement(*statement.outer(keyword.value), value))
    found = _arguments(statement, node)
    if found is None:
        return None
    if not found.parts:
        return statement.edit(Replacement(found.closing, found.closing, f"{name}={value}"))
    return _append_argument(statement, found, f"{name}={value}")


def remove_keyword(statement: StatementText, call: ast.Call, node: ast.keyword) -> Edit | None:
    """Return the edit that removes a keyword argument from a call."""
    found = _arguments(statement, call)
    own = statement.part(node)
    if found is None or own not in found.parts:
        return None
    at = found.parts.index(own)
    if at + 1 < len(found.parts):
        return statement.edit(Replacement(own.start, found.parts[at + 1].start, ""))
    start = found.parts[at - 1].end if at else own.start
    return statement.edit(Replacement(start, own.end if at else found.closing, ""))


def only_argument(statement: StatementText, node: ast.Call, text: str) -> Edit | None:
    """Return the edit that replaces all arguments of a call by one argument."""
    found = _arguments(statement, node)
    if found is None or not found.parts:
        return None
    return statement.edit(Replacement(found.parts[0].start, found.parts[-1].end, text))


def _arguments(statement: StatementText, node: ast.Call) -> _Arguments | None:
    """Return the arguments of a call; None if one is a generator without its own parentheses."""
    opening = statement.after(statement.outer(node.func).end)
    closing = statement.part(node).end - 1
    if opening is None or opening.text != "(":
        return None
    parts = [
        *(statement.outer(argument) for argument in node.args),
        *(statement.part(keyword) for keyword in node.keywords),
    ]
    if any(part.start < opening.end or part.end > closing for part in parts):
        return None
    return _Arguments(opening.end, tuple(sorted(parts)), closing)


def _append_argument(statement: StatementText, found: _Arguments, new: str) -> Edit | None:
    """Return the edit that appends an argument, spaced like those before it."""
    last, text = found.parts[-1], statement.text
    comma = statement.after(last.end)
    has_comma = comma is not None and comma.text == ","
    end = comma.end if comma is not None and has_comma else last.end
    if text[last.end : end].strip() not in ("", ","):
        return None  # a comment before the comma
    tail, more = text[end : found.closing], "," if has_comma else ""
    margins = _margins(statement, found)
    if "\n" not in tail:
        separator = f",{statement.newline}{margins[-1]}" if margins else ", "
        return statement.edit(Replacement(last.end, end, f"{separator}{new}{more}"))
    above, _, below = tail.rpartition("\n")
    margin = margins[0] if margins else below
    closed = f"{more}{statement.newline}{below}"
    return statement.edit(Replacement(last.end, found.closing, f",{above}\n{margin}{new}{closed}"))


def _margins(statement: StatementText, found: _Arguments) -> list[str]:
    """Return the indentation of each argument that starts a line."""
    margins, end = [], found.opening
    for part in found.parts:
        _, is_broken, margin = statement.text[end : part.start].rpartition("\n")
        if is_broken and not margin.strip():
            margins.append(margin)
        end = part.end
    return margins
