"""Syntax trees of TypeScript and JavaScript, for the parts of a file that a check compares."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from tree_sitter import Language, Node, Parser

SUFFIXES = (".ts", ".tsx", ".js", ".jsx", ".mts", ".cts", ".mjs", ".cjs")
TYPED = (".ts", ".tsx", ".mts", ".cts")


@lru_cache(maxsize=2)
def _parser(is_tsx: bool) -> Parser:
    import tree_sitter_typescript  # loads a grammar, which changes without scripts do not need

    grammar = (
        tree_sitter_typescript.language_tsx() if is_tsx else tree_sitter_typescript.language_typescript()
    )
    return Parser(Language(grammar))


@lru_cache(maxsize=128)
def tree_of(path: str, text: str) -> Node:
    """Return the root of a module."""
    return _parser(not path.endswith((".ts", ".mts", ".cts"))).parse(text.encode()).root_node


def text_of(node: Node | None) -> str:
    """Return the source of a node; empty for none."""
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def descendants(node: Node) -> Iterator[Node]:
    """Yield a node and all nodes below it, in any order."""
    open_ = [node]
    while open_:
        item = open_.pop()
        yield item
        open_ += item.named_children


def line_of(node: Node) -> int:
    """Return the 1-based line on which a node begins."""
    return node.start_point[0] + 1
