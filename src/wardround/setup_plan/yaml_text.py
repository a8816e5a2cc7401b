"""Insertion into YAML as text, so that comments and formatting stay; the result is verified by parsing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import yaml


class NotUnderstood(Exception):
    """The text is not in a form to which lines can be added. The message is the reason."""


class _Reader(yaml.SafeLoader):
    """Reads a tag of an application, such as ``!reference``, as its name and value."""

    def any_tag(self, suffix: str, node: yaml.Node) -> Any:
        """Return a tagged value as plain data."""
        return [suffix, _plain(node)]


_Reader.add_multi_constructor("!", _Reader.any_tag)


def _plain(node: yaml.Node) -> Any:
    if isinstance(node, yaml.ScalarNode):
        return node.value
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return [(_plain(key), _plain(value)) for key, value in node.value]


class YamlText:
    """The text of a YAML file whose top is a mapping in block style.

    Raises:
        NotUnderstood: it is not such a text.
    """

    def __init__(self, content: bytes) -> None:
        try:
            text = content.decode("utf-8")
            self.value = yaml.load(text, _Reader)  # noqa: S506  (a subclass of the safe loader)
            self._top = yaml.compose(text, _Reader)
        except (UnicodeDecodeError, yaml.YAMLError, ValueError, RecursionError) as cause:
            raise NotUnderstood("it is not valid YAML") from cause
        if text and not isinstance(self._top, yaml.MappingNode) and self._top is not None:
            raise NotUnderstood("its top is not a mapping")
        if isinstance(self._top, yaml.MappingNode) and self._top.flow_style:
            raise NotUnderstood("its top is not in block style")
        self.value = self.value or {}
        self._newline = "\r\n" if "\r\n" in text else "\n"
        self._lines = text.splitlines(keepends=True)

    def with_key(self, lines: Sequence[str], change: Callable[[Any], None]) -> bytes:
        """Return the text with lines at its end.

        Args:
            change: makes the same change to the value.

        Raises:
            NotUnderstood: the text would not have that value.
        """
        separator = [""] if self._lines and self._lines[-1].strip() else []
        return self._insert(len(self._lines), [*separator, *lines], change)

    def with_item(self, keys: Sequence[str], lines: Sequence[str], change: Callable[[Any], None]) -> bytes:
        """Return the text with lines after the last item of the collection at these keys.

        The lines get the indentation of the other items.

        Raises:
            NotUnderstood: the collection does not exist or is empty or in flow style, or the result would
                not have the value.
        """
        node = self._node(keys)
        name = ".".join(keys)
        if not isinstance(node, yaml.CollectionNode) or not node.value or node.flow_style:
            raise NotUnderstood(f"{name} is not a list of entries in block style")
        pad = self._indentation(node)
        return self._insert(self._end(node), [f"{pad}{line}" if line else line for line in lines], change)

    def _node(self, keys: Sequence[str]) -> yaml.Node | None:
        node = self._top
        for key in keys:
            if not isinstance(node, yaml.MappingNode):
                return None
            node = next((value for name, value in node.value if name.value == key), None)
        return node

    def _indentation(self, node: yaml.CollectionNode) -> str:
        """Return the white space before the last item, which is that of the others."""
        last = node.value[-1]
        start = last[0].start_mark if isinstance(last, tuple) else last.start_mark
        line: str = self._lines[start.line]
        pad = line[: len(line) - len(line.lstrip(" "))]
        is_item = isinstance(node, yaml.SequenceNode)
        if is_item and not line[len(pad) :].startswith("-"):
            raise NotUnderstood("an entry does not begin on the line of its dash")
        return pad

    def _end(self, node: yaml.Node) -> int:
        """Return the index of the line after the last value of a node: comments may follow it."""
        leaf = _last_leaf(node)
        mark = leaf.end_mark
        end = mark.line + 1 if mark.column else mark.line
        while end > leaf.start_mark.line + 1 and not self._lines[end - 1].strip():
            end -= 1  # an indented text block contains the empty lines after it
        return end

    def _insert(self, index: int, lines: Sequence[str], change: Callable[[Any], None]) -> bytes:
        before = list(self._lines)
        if index and not before[index - 1].endswith("\n"):
            before[index - 1] += self._newline
        added = [f"{line}{self._newline}" for line in lines]
        content = "".join([*before[:index], *added, *before[index:]]).encode()
        expected = yaml.load("".join(self._lines), _Reader) or {}  # noqa: S506  (as above)
        change(expected)
        if YamlText(content).value != expected:
            raise NotUnderstood("the entry cannot be added without changing others")
        return content


def _last_leaf(node: yaml.Node) -> yaml.Node:
    """Return the last scalar or collection in flow style; its end mark is exact."""
    while isinstance(node, yaml.CollectionNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node
