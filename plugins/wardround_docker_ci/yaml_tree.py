"""YAML as a tree whose nodes know where they stand, read from events so that no nesting is too deep."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import yaml

from wardround_docker_ci.places import Passage

MOST_NESTING = 200
"""Deeper than any file people write; beyond it the C parser takes time that grows with the square."""

_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r?\n[ \t]*|.)", re.DOTALL)
_HEADER = re.compile(r"[|>][^\n]*\n?")
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", '"': '"', "/": "/", "\\": "\\", " ": " "}


@dataclass(slots=True, eq=False)
class Scalar:
    """A single value; ``style`` is its quote or ``|`` or ``>``, empty if it has none."""

    value: str
    start: int
    end: int
    style: str = ""


@dataclass(slots=True, eq=False)
class Sequence:
    """A list."""

    start: int
    end: int = 0
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Mapping:
    """Keys and values as written, doubled keys included."""

    start: int
    end: int = 0
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)

    def get(self, key: str) -> Node | None:
        """The value of a key, its own before what a merge key ``<<`` brings; of doubled keys the last."""
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
        """The key itself, where it is written here."""
        return next((key for key, _ in self.entries if key.value == name), None)

    def at(self, *keys: str) -> Node | None:
        """The value at the end of a path of keys."""
        node: Node | None = self
        for key in keys:
            if not isinstance(node, Mapping):
                return None
            node = node.get(key)
        return node

    def mapping(self, *keys: str) -> Mapping:
        """The mapping at the end of a path; an empty one if there is none."""
        node = self.at(*keys)
        return node if isinstance(node, Mapping) else Mapping(self.start, self.start)

    def listed(self, *keys: str) -> list[Node]:
        """The items of the list at the end of a path, each once; a single value counts as a list of one."""
        node = self.at(*keys)
        if node is None:
            return []
        items = node.items if isinstance(node, Sequence) else [node]
        return list({id(item): item for item in items}.values())

    def text(self, *keys: str) -> str:
        """The scalar at the end of a path as text; empty if there is none."""
        node = self.at(*keys)
        return node.value if isinstance(node, Scalar) else ""

    def scalar(self, *keys: str) -> Scalar | None:
        """The scalar at the end of a path."""
        node = self.at(*keys)
        return node if isinstance(node, Scalar) else None


Node = Scalar | Sequence | Mapping


def documents(text: str) -> list[Node]:
    """The documents of a YAML text.

    Raises:
        SyntaxError: the text is not YAML, or nested beyond what anybody writes.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    shift = 1 if text.startswith("\ufeff") else 0
    try:
        return _built(yaml.parse(text[shift:], Loader=loader), shift)
    except yaml.MarkedYAMLError as cause:
        line = cause.problem_mark.line + 1 if cause.problem_mark else 1
        raise SyntaxError(cause.problem or "it is not YAML", ("", line, 1, "")) from cause
    except (yaml.YAMLError, UnicodeError, RecursionError) as cause:
        raise SyntaxError(" ".join(str(cause).split()) or type(cause).__name__) from cause


def _built(events: Iterator[yaml.Event], shift: int) -> list[Node]:
    builder = _Builder(shift)
    for event in events:
        builder.take(event)
    return builder.documents


class _Builder:
    """Puts nodes together from events; an alias becomes the node it names."""

    def __init__(self, shift: int) -> None:
        self.documents: list[Node] = []
        self._shift = shift
        self._open: list[tuple[Sequence | Mapping, Node | None]] = []
        self._anchors: dict[str, Node] = {}

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self._anchors = {}
        elif isinstance(event, yaml.AliasEvent):
            here = self._start(event)
            self._add(self._anchors.get(event.anchor or "") or Scalar("", here, here))
        elif isinstance(event, yaml.ScalarEvent):
            self._add_scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._enter(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed, _ = self._open.pop()
            closed.end = self._end(event)

    def _start(self, event: yaml.Event) -> int:
        return event.start_mark.index + self._shift if event.start_mark else 0

    def _end(self, event: yaml.Event) -> int:
        return event.end_mark.index + self._shift if event.end_mark else 0

    def _add_scalar(self, event: yaml.ScalarEvent) -> None:
        node = Scalar(event.value, self._start(event), self._end(event), event.style or "")
        self._name(event.anchor, node)
        self._add(node)

    def _name(self, anchor: str | None, node: Node) -> None:
        if anchor is not None:
            self._anchors[anchor] = node

    def _enter(self, event: yaml.CollectionStartEvent) -> None:
        if len(self._open) >= MOST_NESTING:
            raise SyntaxError(f"nested more than {MOST_NESTING} deep")
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        node = Mapping(self._start(event)) if is_mapping else Sequence(self._start(event))
        self._name(event.anchor, node)
        self._add(node)
        self._open.append((node, None))

    def _add(self, node: Node) -> None:
        if not self._open:
            self.documents.append(node)
            return
        parent, key = self._open[-1]
        if isinstance(parent, Sequence):
            parent.items.append(node)
        elif key is None:
            self._open[-1] = (parent, node)
        else:
            if isinstance(key, Scalar):
                parent.entries.append((key, node))
            self._open[-1] = (parent, None)


def walk(node: Node) -> Iterator[Node]:
    """Every node below and at one, each once, however often an alias repeats it; in source order."""
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
    """What a scalar says, at its place in the source."""
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
    """How much of a scalar's source is its anchor and tag."""
    found = re.match(r"(?:[&!]\S*\s+)+", raw) if raw[:1] in ("&", "!") else None
    if found is None:
        return 0
    return found.end() if not style or raw[found.end() : found.end() + 1] == style else 0


def _unescaped(found: re.Match[str]) -> str:
    escape = found.group()
    plain = _PLAIN_ESCAPES.get(escape[1:], "")
    # The blank goes in front, so that an escaped quote keeps its place before what follows.
    return (" " if plain == "\n" else plain).rjust(len(escape))


def _folded(body: str) -> str:
    """A folded block: one line, but for blank lines and lines that are further indented."""
    lines = body.split("\n")
    indent = next((len(line) - len(line.lstrip(" ")) for line in lines if line.strip()), 0)
    deeper = [not line.strip() or line[indent : indent + 1] in (" ", "\t") for line in lines]
    out = []
    for number, line in enumerate(lines):
        if number:
            out.append("\n" if deeper[number] or deeper[number - 1] else " ")
        out.append(line)
    return "".join(out)
