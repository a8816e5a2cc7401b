"""YAML as a tree of nodes with offsets, aliases and merge keys included."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from wardround.languages.positions import Passage
from wardround.languages.yaml.nodes import Mapping, Node, Scalar, Sequence
from wardround.lazy import LazyPattern

_ESCAPE = LazyPattern(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n[ \t]*|.)", re.DOTALL)
_HEADER = LazyPattern(r"[|>][^\n]*\n?")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "/": "/", "\\": "\\", " ": " "}


def documents(text: str) -> list[Node]:
    """Return the documents of a YAML text.

    Raises:
        SyntaxError: the text is not YAML, or is nested too deeply.
    """
    _provide_parser_pattern()
    from wardround.languages.yaml.events import read  # takes longer to import than to use

    return read(text)


def syntax_error(text: str) -> str | None:
    """Return why a text is not YAML, with the line if the parser names it; None if it is."""
    try:
        documents(text)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}" if error.lineno else str(error.msg)
    return None


_CHARACTERS = "[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""The pattern that PyYAML compiles for its pure Python parser, which takes a third of its import time."""


def _provide_parser_pattern() -> None:
    from wardround.storage.cpython import provide_compiled
    from wardround.storage.regex_cache import regex_cache

    if "yaml" not in sys.modules:
        provide_compiled(regex_cache().compile(_CHARACTERS), _CHARACTERS)


def walk(node: Node) -> Iterator[Node]:
    """Yield every node at and below one, each once, however often an alias repeats it; in source order."""
    seen: set[int] = set()
    waiting: list[Node] = [node]
    while waiting:
        item = waiting.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, Mapping):
            waiting += reversed([value for _, value in item.entries])
        elif isinstance(item, Sequence):
            waiting += reversed(item.items)


def passage(source: str, scalar: Scalar) -> Passage:
    """Return the text of a scalar, at its position in the source."""
    raw = source[scalar.start : scalar.end]
    cut = _properties_length(raw, scalar.style)
    raw, start = raw[cut:], scalar.start + cut
    if scalar.style in ("|", ">"):
        header = _HEADER.match(raw)
        size = header.end() if header else 0
        body = raw[size:]
        return Passage(_fold(body) if scalar.style == ">" else body, start + size)
    if scalar.style == '"':
        return Passage(_ESCAPE.sub(_unescape, raw[1:-1]).replace("\n", " "), start + 1)
    if scalar.style == "'":
        return Passage(raw[1:-1].replace("''", " '").replace("\n", " "), start + 1)
    return Passage(raw.replace("\n", " "), start)


def _properties_length(raw: str, style: str) -> int:
    """Return the length of the anchor and tag in a scalar's source."""
    found = re.match(r"(?:[&!]\S*\s+)+", raw) if raw[:1] in ("&", "!") else None
    if found is None:
        return 0
    return found.end() if not style or raw[found.end() : found.end() + 1] == style else 0


def _unescape(found: re.Match[str]) -> str:
    escape = found.group()
    plain = _PLAIN_ESCAPES.get(escape[1:], "")
    # The blank goes in front, so that an escaped quote keeps its position before the following text.
    return (" " if plain == "\n" else plain).rjust(len(escape))


def _fold(body: str) -> str:
    """Return a folded block: one line, except blank lines and lines with deeper indentation."""
    lines = body.split("\n")
    indent = next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), 0)
    deeper = [not line.strip() or line[indent : indent + 1] in (" ", "\t") for line in lines]
    out = []
    for number, line in enumerate(lines):
        if number:
            out.append("\n" if deeper[number] or deeper[number - 1] else " ")
        out.append(line)
    return "".join(out)
