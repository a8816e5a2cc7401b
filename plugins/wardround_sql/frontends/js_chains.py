"""Chains of calls in JavaScript and TypeScript that build a query."""

from __future__ import annotations

import re
from functools import lru_cache

from msgspec import Struct

from wardround.lazy import LazyPattern
from wardround.storage.regex_cache import bounded_pattern
from wardround_sql.frontends.script_brackets import closing

QUERY = LazyPattern(
    r"(?i)\.(?:select|from|where\w*|selectFrom|join|leftJoin|innerJoin|createQueryBuilder|andWhere|eq|"
    r"table|orderBy)\s*(?:<[^()]*>)?\(|"
    r"\b(?:knex|db|trx|tx|qb|this\.(?:knex|db))\s*(?:<[^()]*>)?\(\s*['\"`]"
)


class Chain(Struct, frozen=True):
    """Source of a chain of calls, its start, and the location of one step in it."""

    text: str
    start: int
    at: int


def helper_of(text: str, chain: Chain) -> str | None:
    """Return the body of the file's function that a chain begins with; None if there is none."""
    start = re.match(r"\s*(?:await\s+|return\s+)?(?:this\.)?(\w+)\(", chain.text)
    if start is None:
        return None
    return _bodies(text).get(start[1])


_FUNCTION = LazyPattern(
    r"^[ \t]*(?:(?:private|public|protected|async|function|const)\s+)*(?P<name>\w++)"
    r"(?=\s*(?:=\s*)?\([^)]*\)[^{\n]*(?P<opened>\{))",
    re.MULTILINE,
)


@lru_cache(maxsize=8)
def _bodies(text: str) -> dict[str, str]:
    """Return the bodies of the file's functions that build queries, by name; the first of duplicates."""
    result: dict[str, int] = {}
    for match in _FUNCTION.finditer(text):
        result.setdefault(match["name"], match.start("opened"))
    bodies = {name: text[opened + 1 : closing(text, opened)] for name, opened in result.items()}
    return {name: body for name, body in bodies.items() if QUERY.search(body)}


def chain_at(text: str, offset: int, opened: int) -> Chain | None:
    """Return the chain of calls around a step, from its first word to its last parenthesis."""
    start = _chain_start(text, offset)
    end = chain_end(text, opened)
    return Chain(text[start:end], start, offset) if start < offset else None


_OPENS = {")": "(", "]": "[", "}": "{"}


def _chain_start(text: str, position: int) -> int:
    """Return the start of the chain whose next step is at an offset."""
    limit = max(position - 3000, 0)
    while position > limit:
        location = position
        while location and text[location - 1].isspace():
            location -= 1
        char = text[location - 1] if location else ""
        if char in _OPENS:
            position = _opening_bracket(text, location - 1, limit)
            if position < 0:
                return limit
        elif char.isalnum() or char in "_$.?!":
            if (
                location < position
                and char not in ".?!"
                and not text[position : position + 3].lstrip().startswith(".")
            ):
                return position
            position = location - 1
        elif char == ">":
            opened = bounded_pattern(r"\w(<[^()<>]*(?:<[^<>]*>)?[^()<>]*>)$").search(
                text[max(location - 200, 0) : location]
            )
            if opened is None:
                return position
            position = location - len(opened[1])
        else:
            return position
    return position


def _opening_bracket(text: str, at: int, limit: int) -> int:
    """Return the opening bracket that matches the closing one at an offset; -1 if it is too far away."""
    depth = 0
    while at >= limit:
        char = text[at]
        if char in "'\"`":
            at = text.rfind(char, limit, at)
            if at < 0:
                return -1
        elif char in ")]}":
            depth += 1
        elif char in "([{":
            depth -= 1
            if depth == 0:
                return at
        at -= 1
    return -1


_NEXT = LazyPattern(r"(?:\s|//[^\n]*\n|/\*[^*]*\*/)*[?!]?\.\s*\w+\s*(?:<[^()]*>)?\(")


def chain_end(text: str, position: int) -> int:
    """Return the end of the chain that contains an offset."""
    opened = text.find("(", position)
    end = closing(text, opened) + 1 if opened >= 0 else position
    while (more := _NEXT.match(text, end)) is not None:
        end = closing(text, more.end() - 1) + 1
    return end
