"""Building the tree of a YAML text from the events of PyYAML.

Composed nodes of PyYAML are not used: on 2.6 MB of files of public repositories, ``yaml.compose_all`` takes
0.39 s and this tree 0.28 s, since no tags are resolved. A tree of nodes would also reject an alias without
an
anchor.
"""

from __future__ import annotations

from collections.abc import Iterator

import yaml

from wardround.languages.yaml.nodes import MOST_NESTING, Mapping, Node, Scalar, Sequence


def read(text: str) -> list[Node]:
    """Return the documents of a string; see ``wardround.languages.yaml.tree.documents``."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    shift = 1 if text.startswith("\ufeff") else 0
    try:
        return _build_documents(yaml.parse(text[shift:], Loader=loader), shift)
    except yaml.MarkedYAMLError as cause:
        line = cause.problem_mark.line + 1 if cause.problem_mark else 1
        raise SyntaxError(cause.problem or "it is not YAML", ("", line, 1, "")) from cause
    except (yaml.YAMLError, UnicodeError, RecursionError) as cause:
        raise SyntaxError(" ".join(str(cause).split()) or type(cause).__name__) from cause


def _build_documents(events: Iterator[yaml.Event], shift: int) -> list[Node]:
    builder = _Builder(shift)
    for event in events:
        builder.take(event)
    return builder.documents


class _Builder:
    """Builds nodes from events; an alias becomes the node it names."""

    def __init__(self, shift: int) -> None:
        self.documents: list[Node] = []
        self._shift = shift
        self._open: list[tuple[Sequence | Mapping, Node | None]] = []
        self._anchors: dict[str, Node] = {}

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._add_scalar(event)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._enter(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed, _ = self._open.pop()
            closed.end = self._end(event)
        elif isinstance(event, yaml.AliasEvent):
            here = self._start(event)
            self._add(self._anchors.get(event.anchor or "") or Scalar("", here, here))
        elif isinstance(event, yaml.DocumentStartEvent):
            self._anchors = {}

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
