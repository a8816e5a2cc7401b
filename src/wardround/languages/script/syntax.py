"""The syntax tree of a script, with positions as in findings.

Importing this loads the parser: do it where the words of a file require a tree.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import tree_sitter_typescript
from tree_sitter import Language, Node, Parser

from wardround.findings import Span
from wardround.lazy import LazyPattern

__all__ = ["MARKED_UP", "Node", "ScriptModule", "inside", "parse_script", "syntax_error"]

_TREES_KEPT = 12
_TYPED = (".ts", ".mts", ".cts")
MARKED_UP = (".vue", ".svelte", ".astro")
"""Suffixes of files with markup around their scripts; only the scripts are parsed."""
_SCRIPT = LazyPattern(r"(?is)<script\b(?P<attributes>[^>]*)>(?P<code>.*?)</script\s*>")
_TYPED_BLOCK = LazyPattern(r"(?i)\blang\s*=\s*[\"']?ts\b")
_SEEN = LazyPattern(r"[^\n]")


class ScriptModule:
    """A script and its tree; for a Vue or Svelte file the code of its script blocks.

    Attributes:
        text: the parsed text, character for character as long as the file.
        root: the node of the program.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text, is_typed = _script_source(path, text)
        self._bytes = self.text.encode("utf-8", "surrogatepass")
        self._is_plain = len(self._bytes) == len(self.text)
        self.root: Node = _parser(is_typed).parse(self._bytes).root_node

    def of(self, node: Node) -> str:
        """Return the text of a node."""
        return self._bytes[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def between(self, start: int, end: int) -> str:
        """Return the text between two offsets in bytes."""
        return self._bytes[start:end].decode("utf-8", "replace")

    def span(self, node: Node) -> Span:
        """Return the span of a node, 1-based, columns in characters."""
        return Span(*self.place(node), *self._position_at(node.end_byte, *node.end_point))

    def place(self, node: Node) -> tuple[int, int]:
        """Return the (line, column) at which a node begins."""
        return self._position_at(node.start_byte, *node.start_point)

    def _position_at(self, at: int, row: int, column: int) -> tuple[int, int]:
        if self._is_plain:
            return row + 1, column + 1
        return row + 1, len(self._bytes[at - column : at].decode("utf-8", "replace")) + 1


@lru_cache(maxsize=_TREES_KEPT)
def parse_script(path: str, text: str) -> ScriptModule:
    """Return the tree of a file; the latest are cached, so that all checks share one."""
    return ScriptModule(path, text)


def syntax_error(path: str, text: str) -> str | None:
    """Return why a script does not parse, with the line; None if it does."""
    root = ScriptModule(path, text).root
    if root.has_error:
        return f"line {_first_error(root).start_point[0] + 1}: it is not valid syntax"
    wrong = next(filter(_has_another_end, inside(root)), None)
    return None if wrong is None else f"line {wrong.start_point[0] + 1}: the element has another closing tag"


def _has_another_end(node: Node) -> bool:
    """Return True for an element of JSX whose tags differ, which the grammar accepts."""
    if node.type != "jsx_element":
        return False
    tags = (node.child_by_field_name("open_tag"), node.child_by_field_name("close_tag"))
    names = [tag and tag.child_by_field_name("name") for tag in tags]
    first, last = (name and name.text for name in names)
    return first != last


def _first_error(node: Node) -> Node:
    """Return the first node of the tree that the parser skipped or inserted."""
    while not (node.is_error or node.is_missing):
        inner = next((child for child in node.children if child.has_error), None)
        if inner is None:
            return node
        node = inner
    return node


def inside(node: Node) -> Iterator[Node]:
    """Yield a node and the named nodes in it, in source order."""
    open_ = [node]
    while open_:
        item = open_.pop()
        yield item
        open_.extend(reversed(item.named_children))


@lru_cache(maxsize=2)
def _parser(is_typed: bool) -> Parser:
    """Return a parser for TypeScript proper, or for everything that may contain JSX."""
    grammar = tree_sitter_typescript.language_typescript if is_typed else tree_sitter_typescript.language_tsx
    return Parser(Language(grammar()))


def _script_source(path: str, text: str) -> tuple[str, bool]:
    if not path.endswith(MARKED_UP):
        return text, path.endswith(_TYPED)
    pieces: list[str] = []
    at, is_typed = 0, False
    for block in _SCRIPT.finditer(text):
        pieces += [_blank(text[at : block.start("code")]), block["code"]]
        at = block.end("code")
        is_typed = is_typed or _TYPED_BLOCK.search(block["attributes"]) is not None
    return "".join([*pieces, _blank(text[at:])]), is_typed


def _blank(text: str) -> str:
    return _SEEN.sub(" ", text)
