"""Walks through Python's trees: what ``ast`` gives, but for contexts, in the same order."""

from __future__ import annotations

import ast
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from wardround.python_tree import children, parse, walk, written

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


class TestParse:
    """Type parameters are read by interpreters that do not know them."""

    TEXT = (
        "type Pair[T] = tuple[T, T]\n"
        "type Names = list[str]\n"
        "class Shelf[\n    Key: (int, str),\n    Value = dict[str, int],\n]:\n"
        "    async def first[T](self, rows: list[T]) -> T | None:\n        return rows[0]\n"
        "type = 1\n"
    )

    def test_what_is_left_stands_where_it_stood(self) -> None:
        tree = parse(self.TEXT)
        places = {node.name: (node.lineno, node.col_offset) for node in walk(tree) if hasattr(node, "name")}
        assert places["Shelf"] == (3, 0)
        assert places["first"] == (7, 4)
        [returned] = [node for node in walk(tree) if isinstance(node, ast.Return)]
        assert (returned.lineno, returned.col_offset) == (8, 8)

    def test_what_this_interpreter_cannot_read_says_which_one_it_is(self) -> None:
        with pytest.raises(SyntaxError, match=rf"\(to Python 3\.{sys.version_info.minor}: run wardround on"):
            parse("def f[T](x): return x\nvalue = (\n")

    def test_warnings_of_what_is_read_are_not_ours(self) -> None:
        assert parse('pattern = "\\d"\n').body
