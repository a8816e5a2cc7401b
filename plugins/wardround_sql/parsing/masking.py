"""SQL text with comments and string contents blanked, for statements without a parser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from wardround.findings import Span
from wardround.lazy import LazyPattern
from wardround_sql.document import SqlDocument
from wardround_sql.parsing.jinja import is_template, replace_jinja
from wardround_sql.parsing.statements import SqlFragment

_COVERED = LazyPattern(r"--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|'(?:[^']|'')*+(?:'|\Z)")
_INSIDE = LazyPattern(r"[^\n]")


@lru_cache(maxsize=64)
def mask_code(text: str) -> str:
    """Return a string of the same length with comments and the contents of strings blanked."""
    return _COVERED.sub(_cover, text)


def _cover(match: re.Match[str]) -> str:
    text = match.group()
    if text[0] != "'" or len(text) < 3:
        return text if text[0] == "'" else _INSIDE.sub(" ", text)
    return "'" + _INSIDE.sub(" ", text[1:-1]) + "'"


def masked_fragments(script: SqlDocument) -> Iterator[tuple[SqlFragment, str]]:
    """Yield the SQL of a file, fragment by fragment, each with its masked text."""
    for item in script.fragments:
        if not item.modelled:
            yield item, mask_code(replace_jinja(item.text) if is_template(item.text) else item.text)


def span_in(script: SqlDocument, fragment: SqlFragment, start: int, end: int) -> Span:
    """Return the span in the file of a section of a fragment's text."""
    return script.locations.span_of(*fragment.place(start, end))


def statement_around(code: str, position: int) -> tuple[int, int]:
    """Return start and end of the statement that contains an offset of a masked text."""
    end = code.find(";", position)
    return code.rfind(";", 0, position) + 1, len(code) if end < 0 else end
