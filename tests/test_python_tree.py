"""Walks through Python's trees: what ``ast`` gives, but for contexts, in the same order."""

from __future__ import annotations

import ast
import statistics
from collections.abc import Sequence
from pathlib import Path

import pytest

from wardround.python_tree import children, walk, written

_CONTEXTS = (ast.Load, ast.Store, ast.Del)
_MODULES = sorted(Path(statistics.__file__).parent.glob("*.py"))[:60]


def _without_contexts(nodes: Sequence[ast.AST]) -> list[ast.AST]:
    return [node for node in nodes if not isinstance(node, _CONTEXTS)]


@pytest.mark.parametrize("path", _MODULES, ids=lambda path: path.stem)
def test_walks_come_by_what_ast_comes_by(path: Path) -> None:
    tree = ast.parse(path.read_text("utf-8"))
    assert list(walk(tree)) == _without_contexts(list(ast.walk(tree)))
    for node in walk(tree):
        assert list(children(node)) == _without_contexts(list(ast.iter_child_nodes(node)))


@pytest.mark.parametrize("text", ["a", "a.b.c", "f(x).b", "a[0].b", "1 .real", "a if b else c"])
def test_what_is_written_is_what_unparse_writes(text: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert written(node) == ast.unparse(node)


def test_a_node_made_by_hand_may_lack_fields() -> None:
    assert [type(node) for node in walk(ast.Return())] == [ast.Return]
