"""PY402."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import walk
from wardround_python.check import PythonCheck
from wardround_python.libraries.db_autocommit import autocommits, is_change

_TOGETHER = LazyPattern(
    r"(?i)\batomic\b|transaction|begin_nested|\.begin\(|savepoint|unit_?of_?work|[\"'](?:begin|start)\b|rollback"
)
_SAVES = frozenset({"save", "asave", "update", "aupdate"})


class NonAtomicUpdate(PythonCheck):
    """Two changes that belong together are kept one by one.

    The connection keeps each statement at once, or there is a ``commit`` between them. Where the second fails
    the first stays: money is taken and nobody gets it. Put both into one transaction.
    """

    ID = "PY402"
    NAME = "non-atomic-update"
    PREFILTER = "wardround_python.prefilters:may_change_by_halves"
    DEFECT_CLASS = "missing-transaction"
    VALID = [
        code("""
            import psycopg
            def f(a):
                with psycopg.connect('x', autocommit=True) as c, c.transaction():
                    c.execute('INSERT INTO a VALUES (%s)', a)
                    c.execute('DELETE FROM b WHERE a = %s', a)
        """),
        code("""
            import psycopg
            def f(a):
                with psycopg.connect('x') as c:
                    c.execute('INSERT INTO a VALUES (%s)', a)
                    c.execute('DELETE FROM b WHERE a = %s', a)
        """),
    ]
    INVALID = [
        code("""
            import psycopg

            TAKE = 'UPDATE stock SET left = left - %s WHERE id = %s'

            def _open():
                return psycopg.connect('db', autocommit=True)

            def order(item, many):
                with _open() as conn:
                    «conn.execute(TAKE, (many, item))»
                    conn.execute('INSERT INTO orders (item) VALUES (%s)', (item,))
        """),
        code("""
            import sqlite3

            def close(day):
                conn = sqlite3.connect('x.db', isolation_level=None)
                cur = conn.cursor()
                «cur.execute('INSERT INTO closed SELECT * FROM days')»
                if day:
                    cur.execute(f'DELETE FROM days WHERE day = {day}')
        """),
    ]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._look_at(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._look_at(node)

    def _look_at(self, node: FunctionNode) -> None:
        calls = [one for one in nodes_run_by(node.body) if isinstance(one, ast.Call)]
        if len(calls) < 2 or _TOGETHER.search(ast.unparse(node)):
            return
        pair = self._of_statements(calls) or self._of_objects(node, calls)
        if pair is not None and not self._is_kept_together():
            first, second = pair
            place = first if self.adds(first) else second
            self.report(
                self.module.span(place),
                f"this is kept even if the change on line {second.lineno} fails: nothing holds them together"
                if place is first
                else f"if this fails, the change on line {first.lineno} stays: nothing holds them together",
            )

    def _of_statements(self, calls: Sequence[ast.Call]) -> tuple[ast.Call, ast.Call] | None:
        """Two statements on a connection that keeps each at once."""
        changes = [one for one in calls if is_change(one, self.module)]
        for at, second in enumerate(changes[1:], 1):
            first = changes[at - 1]
            if self._follows(second, first) and all(
                isinstance(one.func, ast.Attribute) and autocommits(one.func.value, self.module, self.callees)
                for one in (first, second)
            ):
                return first, second
        return None

    def _of_objects(self, node: FunctionNode, calls: Sequence[ast.Call]) -> tuple[ast.Call, ast.Call] | None:
        """What is taken from one record and given to another: two ``save``, or a ``commit`` between."""
        if self.module.packages & {"sqlalchemy", "sqlmodel", "flask_sqlalchemy"}:
            return self._of_commits(node, calls)
        saves = [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr in _SAVES]
        moved = list(self._moved_by_update(saves))
        if len(moved) == 2:
            return moved[0], moved[1]
        names = _taken_and_given(node)
        told = [
            one
            for one in saves
            if isinstance(one.func, ast.Attribute) and ast.unparse(one.func.value) in names
        ]
        by_name = {ast.unparse(one.func): one for one in reversed(told)}
        if len(by_name) == 2:
            first, second = sorted(by_name.values(), key=lambda one: one.lineno)
            if self._follows(second, first):
                return first, second
        return None

    def _of_commits(self, node: FunctionNode, calls: Sequence[ast.Call]) -> tuple[ast.Call, ast.Call] | None:
        names = _taken_and_given(node)
        if not names:
            return None
        kept = [one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "commit"]
        moves = [place.lineno for place in _moves(node) if ast.unparse(_record(place)) in names]
        between = [one for one in kept if min(moves) < one.lineno < max(moves)]
        after = [one for one in kept if one.lineno > max(moves)]
        return (between[0], after[0]) if between and after and self._follows(after[0], between[0]) else None

    def _moved_by_update(self, saves: Sequence[ast.Call]) -> Iterator[ast.Call]:
        """``update(cents=F("cents") - x)`` and ``update(cents=F("cents") + x)``."""
        found: dict[tuple[str | None, type[ast.operator]], ast.Call] = {}
        for one in saves:
            for keyword in one.keywords:
                value = keyword.value
                if isinstance(value, ast.BinOp) and ast.unparse(value.left).endswith(f"F('{keyword.arg}')"):
                    found[keyword.arg, type(value.op)] = one
        for (name, operator), one in found.items():
            other = found.get((name, ast.Add if operator is ast.Sub else ast.Sub))
            if other is not None and other is not one:
                yield one

    def _is_kept_together(self) -> bool:
        """Whether the project puts every request into a transaction."""
        if not self.module.packages & {"django"}:
            return False
        return bool(self.source.project.files_with_word(["ATOMIC_REQUESTS"], ["*.py"]))

    def _follows(self, second: ast.AST, first: ast.AST) -> bool:
        """Whether both run in one go: neither is in another branch than the other."""
        above = [first, *self.module.ancestors(first)]
        child: ast.AST = second
        for parent in self.module.ancestors(second):
            if parent in above:
                at = above.index(parent)
                return at > 0 and not _are_branches(parent, above[at - 1], child)
            child = parent
        return False


def _are_branches(parent: ast.AST, one: ast.AST, other: ast.AST) -> bool:
    """Whether two nodes right below a statement stand in parts of it of which one runs."""
    if isinstance(parent, ast.If):
        return (one in parent.body) != (other in parent.body) and parent.test not in (one, other)
    if isinstance(parent, ast.Try):
        return one in parent.handlers or other in parent.handlers
    return isinstance(parent, (ast.IfExp, ast.Match, ast.ExceptHandler))


def _moves(node: FunctionNode) -> Iterator[ast.AugAssign]:
    for one in walk(node):
        is_move = isinstance(one, ast.AugAssign) and isinstance(one.op, (ast.Add, ast.Sub))
        if is_move and isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Attribute):
            yield one


def _record(move: ast.AugAssign) -> ast.expr:
    assert isinstance(move.target, ast.Attribute)
    return move.target.value


def _taken_and_given(node: FunctionNode) -> frozenset[str]:
    """The two objects of which one loses what the other gets: ``a.cents -= n``, ``b.cents += n``."""
    found: dict[tuple[str, str], dict[type[ast.operator], str]] = {}
    for one in _moves(node):
        assert isinstance(one.target, ast.Attribute)
        key = one.target.attr, ast.unparse(one.value)
        found.setdefault(key, {})[type(one.op)] = ast.unparse(_record(one))
    for both in found.values():
        if len(set(both.values())) == 2:
            return frozenset(both.values())
    return frozenset()
