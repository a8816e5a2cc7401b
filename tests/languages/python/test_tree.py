"""Walks through Python's trees: the nodes of ``ast.walk`` except contexts, in the same order."""

from __future__ import annotations

import ast
import re
import statistics
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from wardround.languages.python.tree import children, parse, unparse, walk

_CONTEXTS = (ast.Load, ast.Store, ast.Del)
_ROOT = Path(__file__).parents[3]
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
    assert unparse(node) == ast.unparse(node)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("f\"ls {'\\n'.join(f'{r}\\t' for r in rows)} {x}\"", {"ls", "join", "r", "rows", "x"}),
        ("f\"{f'{a!r}'} {b'\\0'}\"", {"a"}),
        (f"g({hex(16**4000)})", {"g", hex(16**4000)}),
        ("+".join(["a.b(1)"] * 600), {"a", "b", "1"}),
    ],
)
def test_a_tree_without_a_spelling_has_its_names(text: str, words: set[str]) -> None:
    (statement,) = parse(text).body
    assert isinstance(statement, ast.Expr)
    assert words <= set(re.findall(r"\w+", unparse(statement.value)))


def test_only_the_shared_reader_calls_what_can_raise_on_valid_code() -> None:
    roots = [_ROOT / "src", _ROOT / "plugins"]
    texts = {path: path.read_text("utf-8") for root in roots for path in root.rglob("*.py")}
    users = {path.name for path, text in texts.items() if "ast.unparse(" in text or "map(ast.unparse" in text}
    assert users == {"tree.py", "unwritable.py"}


def test_a_literal_of_any_length_is_read_with_newer_syntax() -> None:
    (_, long) = parse(f"a = f\"{{'\\n'}}\"\nb = '{'x' * 40_000}'\n").body
    assert isinstance(long, ast.Assign)


def test_a_node_made_manually_may_lack_fields() -> None:
    assert [type(node) for node in walk(ast.Return())] == [ast.Return]


class _Slow:
    """A value whose removal, in whichever thread the collector runs, lets another thread run."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        time.sleep(0.001)


class TestParse:
    def test_threads_parse_at_the_same_time(self) -> None:
        lines = (f"def f{n}(a, b=[1, {{2: {n}}}]):\n    return a[b] * {n} if a else b\n" for n in range(200))
        text, troubles = "".join(lines), list[Exception]()

        def parse_often() -> None:
            for _ in range(15):
                [_Slow() for _ in range(20)]
                try:
                    parse(text)
                except Exception as trouble:  # noqa: BLE001  (reported below)
                    troubles.append(trouble)

        threads = [threading.Thread(target=parse_often) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert troubles == []

    """Syntax that is newer than the interpreter is read like any other."""

    TEXT = (
        "type Pair[T] = tuple[T, T]\n"
        "type Names = list[str]\n"
        "class Shelf[\n    Key: (int, str),\n    Value = dict[str, int],\n]:\n"
        "    async def first[T](self, rows: list[T]) -> T | None:\n        return rows[0]\n"
        "type = 1\n"
    )

    def test_what_is_left_is_where_it_stood(self) -> None:
        tree = parse(self.TEXT)
        locations = {
            node.name: (node.lineno, node.col_offset)
            for node in walk(tree)
            if isinstance(node, (ast.ClassDef, ast.AsyncFunctionDef))
        }
        assert locations == {"Shelf": (3, 0), "first": (7, 4)}
        [returned] = [node for node in walk(tree) if isinstance(node, ast.Return)]
        assert (returned.lineno, returned.col_offset) == (8, 8)

    @pytest.mark.parametrize(
        ("text", "line", "column"),
        [
            ("x = (\n", 1, 5),
            ("def f[T](x): return x\nvalue = x y\n", 2, 11),
            ('a = f"{d["k"]}"; b = 1 1\n', 1, 24),
            ('a = f"{d["k" "j" 1]}"\n', 1, 10),
            ("try:\n    pass\nexcept A, B as e:\n    pass\n", 3, 8),
            ("print 'x'\n", 1, 1),
            ("x = {{ cookiecutter.name }} y\n", 1, 29),
            ("x = b'' f'{a}'\n", 1, 5),
            ("type X = int int\n", 1, 14),
            ("\n# é\nx = f'é{d['ü'] ö}'\n", 3, 9),
            ("x = f'{d['a'] + {}}'\ny = f'{a'\n", 2, 9),
            ("x = t'a' 'b'\n", 1, 5),
            ("x = f'{d['a']}\\N{NO SUCH}'\n", 1, 15),
        ],
    )
    def test_an_error_of_every_version_is_reported_where_it_is(
        self, text: str, line: int, column: int
    ) -> None:
        with pytest.raises(SyntaxError) as caught:
            parse(text)
        assert (caught.value.lineno, caught.value.offset) == (line, column)
        assert "Python 3" not in caught.value.msg

    def test_warnings_of_what_is_read_are_not_ours(self) -> None:
        assert parse('pattern = "\\d"\n').body
