"""Conditions of jobs and steps that limit a context to literal values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.checks.lazy import LazyPattern

_TEXT = r"'(?:[^']|'')*'"
_CONTEXT = r"[a-z_][\w.-]*"
_EQUAL = LazyPattern(rf"({_CONTEXT})\s*==\s*{_TEXT}|{_TEXT}\s*==\s*({_CONTEXT})", re.IGNORECASE)
_LISTED = LazyPattern(
    rf"contains\(\s*fromJSON\(\s*'\s*\[(?:[^']|'')*\]\s*'\s*\)\s*,\s*({_CONTEXT})\s*\)", re.IGNORECASE
)
_PART = LazyPattern(rf"{_TEXT}|&&|\|\||[()]|[^'&|()]+|.", re.DOTALL)
_BRACES = LazyPattern(r"\$\{\{((?:(?!\}\}).)*)\}\}", re.DOTALL)
_SAME = {"github.ref_name": "github.ref"}
"""Contexts: one has literal values if the other has."""


def is_limited(context: str, condition: str) -> bool:
    """Return True if a condition holds only where a context equals one of the literals in it.

    ``github.ref == 'refs/heads/a' || github.ref == 'refs/heads/b'`` limits ``github.ref``, and
    ``github.ref_name`` with it.
    """
    inside = _BRACES.fullmatch(condition)
    if inside is None and "${{" in condition:
        return (
            False  # GitHub evaluates an expression with text around it as a non-empty string, which is true
        )
    return _limits(inside[1] if inside else condition, _canonical(context))


def _canonical(context: str) -> str:
    name = "".join(context.split()).lower()
    return _SAME.get(name, name)


def _limits(condition: str, context: str) -> bool:
    """Return True if every alternative of a condition has a term that limits a context."""
    alternatives = list(_split(condition, "||"))
    if len(alternatives) > 1:
        return all(_limits(one, context) for one in alternatives)
    terms = list(_split(condition, "&&"))
    if len(terms) > 1:
        return any(_limits(one, context) for one in terms)
    text = condition.strip()
    if _is_group(text):
        return _limits(text[1:-1], context)
    found = _EQUAL.fullmatch(text) or _LISTED.fullmatch(text)
    return found is not None and context in [_canonical(name) for name in found.groups() if name]


def _is_group(text: str) -> bool:
    """Return True if the first parenthesis of a text is closed by its last character."""
    depth, parts = 0, _PART.findall(text)
    for number, part in enumerate(parts, 1):
        depth += (part == "(") - (part == ")")
        if depth == 0:
            return number == len(parts) > 1
    return False


def _split(condition: str, operator: str) -> Iterator[str]:
    """Yield the operands of an operator outside parentheses and texts."""
    depth, operand = 0, ""
    for part in _PART.findall(condition):
        depth += (part == "(") - (part == ")")
        if part == operator and depth == 0:
            yield operand
            operand = ""
        else:
            operand += part
    yield operand
