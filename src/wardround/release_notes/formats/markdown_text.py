"""Text of commits in Markdown: names of code and mentions are code, and nothing else is markup or a link."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern
from wardround.text.escaping import one_line

_CODE = LazyPattern(r"(?<!`)`([^`\n]{1,1000})`(?!`)")
_MARKUP = frozenset("\\`*_[]~$")
_ENTITY = LazyPattern(r"&(?=#?\w{1,40};)")
_MENTION = LazyPattern(r"(?<![\w/])(@[\w/-]{1,100})")
_ADDRESS = LazyPattern(r"(?<=\w):(?=//)|(?i:(?<=www)\.)")
_LEAD = LazyPattern(r"(?:[-+=#](?=\s|$)|>|\d{1,9}(?=[.)](?:\s|$)))")


def markdown_line(text: str) -> str:
    """Return text for one line of Markdown, also after the mark of a list."""
    parts = _CODE.split(one_line(text))
    shown = (f"`{part}`" if position % 2 else _prose(part) for position, part in enumerate(parts))
    return _without_mark("".join(shown))


def _prose(text: str) -> str:
    """Return text outside of code, in which a mention is code."""
    parts = _MENTION.split(text)
    return "".join(f"`{part}`" if position % 2 else _plain(part) for position, part in enumerate(parts))


def _without_mark(line: str) -> str:
    """Return a line that begins no list, heading or rule."""
    lead = _LEAD.match(line)
    if lead is None:
        return line
    at = lead.end() if lead[0].isdigit() else 0
    return f"{line[:at]}\\{line[at:]}"


def _plain(text: str) -> str:
    """Return text in which no character is markup and no address a link."""
    text = _ENTITY.sub("&amp;", text)
    escaped = "".join(_character(text, position) for position in range(len(text)))
    return _ADDRESS.sub(_as_reference, escaped)


def _as_reference(character: re.Match[str]) -> str:
    return f"&#{ord(character[0])};"


def _character(text: str, position: int) -> str:
    char = text[position]
    if char == "_" and _is_in_word(text, position):
        return char
    if char == "<":
        return "&lt;"
    return f"\\{char}" if char in _MARKUP else char


def _is_in_word(text: str, position: int) -> bool:
    around = text[max(position - 1, 0) : position], text[position + 1 : position + 2]
    return all(part.isalnum() for part in around)
