"""YAML as a tree of nodes with offsets, aliases and merge keys included."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from msgspec import Struct, field

from wardround.checks.lazy import LazyPattern
from wardround.languages.positions import Passage

MOST_NESTING = 200
"""Deeper than any file people write; beyond it the C parser takes quadratic time."""

_ESCAPE = LazyPattern(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n[ \t]*|.)", re.DOTALL)
_HEADER = LazyPattern(r"[|>][^\n]*\n?")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "/": "/", "\\": "\\", " ": " "}


class Scalar(Struct, eq=False):
    """A single value; ``style`` is its quote or ``|`` or ``>``, empty if it has none."""

    value: str
    start: int
    end: int
    style: str = ""


class Sequence(Struct, eq=False):
    """A list."""

    start: int
    end: int = 0
    items: list[Node] = field(default_factory=list)


class Mapping(Struct, eq=False):
    """Keys and values as written, including repeated keys."""

    start: int
    end: int = 0
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """Return the value of a key, its own before that of a merge key ``<<``; of repeated keys the last."""
        found = None
        for name, value in self.entries:
            if name.value == key:
                found = value
        return found if found is not None else self._merged(key, {id(self)})

    def _merged(self, key: str, seen: set[int]) -> Node | None:
        for base in self._bases():
            if id(base) not in seen:
                seen.add(id(base))
                own = next((value for name, value in base.entries if name.value == key), None)
                found = own if own is not None else base._merged(key, seen)
                if found is not None:
                    return found
        return None

    def _bases(self) -> list[Mapping]:
        bases = [value for name, value in self.entries if name.value == "<<"]
        listed = [item for base in bases for item in (base.items if isinstance(base, Sequence) else [base])]
        return [base for base in listed if isinstance(base, Mapping)]

    def key(self, name: str) -> Scalar | None:
        """Return the key itself, if it is written here."""
        return next((key for key, _ in self.entries if key.value == name), None)

    def at(self, *keys: str) -> Node | None:
        """Return the value at the end of a path of keys."""
        node: Node | None = self
        for key in keys:
            if not isinstance(node, Mapping):
                return None
            node = node.get(key)
        return node

    def mapping(self, *keys: str) -> Mapping:
        """Return the mapping at the end of a path; an empty one if there is none."""
        node = self.at(*keys)
        return node if isinstance(node, Mapping) else Mapping(self.start, self.start)

    def listed(self, *keys: str) -> list[Node]:
        """Return the items of the list at the end of a path, each once; a single value is a list of one."""
        node = self.at(*keys)
        if node is None:
            return []
        items = node.items if isinstance(node, Sequence) else [node]
        return list({id(item): item for item in items}.values())

    def text(self, *keys: str) -> str:
        """Return the scalar at the end of a path as text; empty if there is none."""
        node = self.at(*keys)
        return node.value if isinstance(node, Scalar) else ""

    def scalar(self, *keys: str) -> Scalar | None:
        """Return the scalar at the end of a path."""
        node = self.at(*keys)
        return node if isinstance(node, Scalar) else None


Node = Scalar | Sequence | Mapping


def documents(text: str) -> list[Node]:
    """Return the documents of a YAML text.

    Raises:
        SyntaxError: the text is not YAML, or is nested too deeply.
    """
    _provide_parser_pattern()
    from wardround.languages.yaml.events import read  # takes longer to import than to use

    return read(text)


_CHARACTERS = "[^\x09\x0a\x0d\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]"
"""The pattern PyYAML compiles for its parser in Python, which takes a third of its import."""


def _provide_parser_pattern() -> None:
    from wardround.storage.cpython import provide_compiled
    from wardround.storage.regex_cache import regex_cache

    if "yaml" not in sys.modules:
        provide_compiled(regex_cache().compiled(_CHARACTERS), _CHARACTERS)


def walk(node: Node) -> Iterator[Node]:
    """Yield every node at and below one, each once, however often an alias repeats it; in source order."""
    seen: set[int] = set()
    waiting: list[Node] = [node]
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one
        if isinstance(one, Mapping):
            waiting += reversed([value for _, value in one.entries])
        elif isinstance(one, Sequence):
            waiting += reversed(one.items)


def passage(source: str, scalar: Scalar) -> Passage:
    """Return the text of a scalar, at its position in the source."""
    raw = source[scalar.start : scalar.end]
    cut = _after_properties(raw, scalar.style)
    raw, start = raw[cut:], scalar.start + cut
    if scalar.style in ("|", ">"):
        header = _HEADER.match(raw)
        size = header.end() if header else 0
        body = raw[size:]
        return Passage(_folded(body) if scalar.style == ">" else body, start + size)
    if scalar.style == '"':
        return Passage(_ESCAPE.sub(_unescaped, raw[1:-1]).replace("\n", " "), start + 1)
    if scalar.style == "'":
        return Passage(raw[1:-1].replace("''", " '").replace("\n", " "), start + 1)
    return Passage(raw.replace("\n", " "), start)


def _after_properties(raw: str, style: str) -> int:
    """Return the length of the anchor and tag in a scalar's source."""
    found = re.match(r"(?:[&!]\S*\s+)+", raw) if raw[:1] in ("&", "!") else None
    if found is None:
        return 0
    return found.end() if not style or raw[found.end() : found.end() + 1] == style else 0


def _unescaped(found: re.Match[str]) -> str:
    escape = found.group()
    plain = _PLAIN_ESCAPES.get(escape[1:], "")
    # The blank goes in front, so that an escaped quote keeps its position before the following text.
    return (" " if plain == "\n" else plain).rjust(len(escape))


def _folded(body: str) -> str:
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
