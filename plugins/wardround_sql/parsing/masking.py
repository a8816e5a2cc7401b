"""SQL text with comments and the insides of strings blanked out, for what no parser of ours reads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from wardround.checks.lazy import LazyPattern
from wardround.findings import Span
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.statements import SqlFragment

_COVERED = LazyPattern(r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|'(?:[^']|'')*+(?:'|\Z)")
_INSIDE = LazyPattern(r"[^\n]")


@lru_cache(maxsize=64)
def masked(text: str) -> str:
    """A text of the same length: comments are blanks, and of strings only the quotes are left."""
    return _COVERED.sub(_cover, text)


def _cover(found: re.Match[str]) -> str:
    said = found.group()
    if said[0] != "'" or len(said) < 3:
        return said if said[0] == "'" else _INSIDE.sub(" ", said)
    return "'" + _INSIDE.sub(" ", said[1:-1]) + "'"


def masked_fragments(script: SqlDocument) -> Iterator[tuple[SqlFragment, str]]:
    """The SQL of a file, piece by piece, each with its masked text."""
    return ((one, masked(one.text)) for one in script.fragments if not one.modelled)


def span_in(script: SqlDocument, fragment: SqlFragment, start: int, end: int) -> Span:
    """The place in the file of a stretch of a fragment's text."""
    return script.span_of(*fragment.place(start, end))


def statement_around(code: str, at: int) -> tuple[int, int]:
    """Where the statement begins and ends in which a place of a masked text stands."""
    end = code.find(";", at)
    return code.rfind(";", 0, at) + 1, len(code) if end < 0 else end
