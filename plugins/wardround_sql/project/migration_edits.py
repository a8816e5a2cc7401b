"""Comparison of the two versions of an edited migration."""

from __future__ import annotations

import ast

from wardround.languages.python.tree import parse
from wardround.lazy import LazyPattern

_COMMENTS = LazyPattern(r"(?m)--[^\n]*|/\*(?:[^*]|\*(?!/))*+\*/|^[ \t]*(?://|#)[^\n]*")
_QUOTES = LazyPattern(r'["`]')
_REPEATED = LazyPattern(r"(?i)\bif\s+(?:not\s+)?exists\b|;")
_PARTS = LazyPattern(r"'(?:[^']|'')*+'|\w+|[^\w\s]")
_TABLE = LazyPattern(
    r"(?i)\b(?:create|alter)\s+(?:\w+\s+)?table\s+(?:if\s+(?:not\s+)?exists\s+)?(?:only\s+)?([\w.]+)"
)


def has_same_effect(path: str, before: str, after: str) -> bool:
    """Return True if both versions of a migration produce the same schema.

    Layout, comments, quotes of names and ``IF NOT EXISTS`` has no effect.
    """
    if path.endswith(".py"):
        return _tree(before) == _tree(after)
    return _statements(before) == _statements(after)


def tables_in(text: str) -> frozenset[str]:
    """Return the plain names of the tables that statements create or alter."""
    return frozenset(name.rpartition(".")[2].lower() for name in _TABLE.findall(_QUOTES.sub("", text)))


def _tree(text: str) -> str:
    try:
        return ast.dump(parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _statements(text: str) -> list[str]:
    """Return the words and signs of the statements, if they determine the schema."""
    plain = _REPEATED.sub(" ", _QUOTES.sub("", _COMMENTS.sub(" ", text)))
    return [part if part.startswith("'") else part.lower() for part in _PARTS.findall(plain)]
