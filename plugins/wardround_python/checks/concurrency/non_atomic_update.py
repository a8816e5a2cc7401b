from __future__ import annotations

import ast
import math
from collections.abc import Collection, Iterator, Sequence

from wardround.languages.python.module import FunctionNode, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.libraries.db_autocommit import is_autocommitting, is_change

_TRANSACTIONAL = LazyPattern(
    r"(?i)\batomic\b|transaction|begin_nested|\.begin\(|savepoint|unit_?of_?work|[\"'](?:begin|start)\b|rollback"
)
_SAVING_METHODS = frozenset({"save", "asave", "update", "aupdate"})


class NonAtomicUpdate(PythonCheck):
    """Two updates that belong together are committed separately.

    The connection commits each statement at once, or a ``commit`` separates them. If the second fails,
    the first remains: money is debited and never credited. Put both into one transaction.
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
        self._check(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check(node)

    def _check(self, node: FunctionNode) -> None:
        calls = [child for child in nodes_run_by(node.body) if isinstance(child, ast.Call)]
        if len(calls) < 2 or _TRANSACTIONAL.search(unparse(node)):
            return
        pair = self._statement_updates(calls) or self._of_objects(node, calls)
        if pair is not None and not self._has_request_transactions():
            first, second = pair
            reported = first if self.adds(first) else second
            self.report(
                self.module.span(reported),
                f"this remains if the update on line {second.lineno} fails; use one transaction"
                if reported is first
                else f"if this fails, the update on line {first.lineno} remains; use one transaction",
            )

    def _statement_updates(self, calls: Sequence[ast.Call]) -> tuple[ast.Call, ast.Call] | None:
        """Return two statements on a connection that commits each at once."""
        changes = [call for call in calls if is_change(call, self.module)]
        for position, second in enumerate(changes[1:], 1):
            first = changes[position - 1]
            if self._runs_after(second, first) and all(
                isinstance(item.func, ast.Attribute)
                and is_autocommitting(item.func.value, self.module, self.callees)
                for item in (first, second)
            ):
                return first, second
        return None

    def _of_objects(self, node: FunctionNode, calls: Sequence[ast.Call]) -> tuple[ast.Call, ast.Call] | None:
        """Return the updates of a transfer between two records: two ``save``, or a ``commit`` between."""
        if self.module.packages & {"sqlalchemy", "sqlmodel", "flask_sqlalchemy"}:
            return self._commit_updates(node, calls)
        saves = _method_calls(calls, _SAVING_METHODS)
        moved = list(self._transfer_updates([call for call, _ in saves]))
        if len(moved) == 2:
            return moved[0], moved[1]
        parties = _transfer_parties(node)
        by_name = {unparse(call.func): call for call, owner in reversed(saves) if owner in parties}
        if len(by_name) == 2:
            first, second = sorted(by_name.values(), key=lambda call: call.lineno)
            if self._runs_after(second, first):
                return first, second
        return None

    def _commit_updates(
        self, node: FunctionNode, calls: Sequence[ast.Call]
    ) -> tuple[ast.Call, ast.Call] | None:
        parties = _transfer_parties(node)
        commits = [call for call, _ in _method_calls(calls, {"commit"})]
        if not parties or not commits:
            return None
        moves = [move.lineno for move in _moves(node) if unparse(_record(move)) in parties]
        between = _first_commit(commits, min(moves), max(moves))
        after = _first_commit(commits, max(moves))
        if between is None or after is None or not self._runs_after(after, between):
            return None
        return between, after

    def _transfer_updates(self, saves: Sequence[ast.Call]) -> Iterator[ast.Call]:
        """Yield both updates of a transfer: ``update(cents=F("cents") - x)`` and the reverse."""
        found: dict[tuple[str | None, type[ast.operator]], ast.Call] = {}
        for save in saves:
            for keyword in save.keywords:
                value = keyword.value
                if isinstance(value, ast.BinOp) and unparse(value.left).endswith(f"F('{keyword.arg}')"):
                    found[keyword.arg, type(value.op)] = save
        for (name, operator), update in found.items():
            other = found.get((name, ast.Add if operator is ast.Sub else ast.Sub))
            if other is not None and other is not update:
                yield update

    def _has_request_transactions(self) -> bool:
        """Return True if the project runs every request in a transaction."""
        if not self.module.packages & {"django"}:
            return False
        return bool(self.source.project.files_with_word(["ATOMIC_REQUESTS"], ["*.py"]))

    def _runs_after(self, second: ast.AST, first: ast.AST) -> bool:
        """Return True if both run in sequence: neither is in another branch."""
        above = [first, *self.module.ancestors(first)]
        child: ast.AST = second
        for parent in self.module.ancestors(second):
            if parent in above:
                position = above.index(parent)
                return position > 0 and not _are_branches(parent, above[position - 1], child)
            child = parent
        return False


def _are_branches(parent: ast.AST, entry: ast.AST, other: ast.AST) -> bool:
    """Return True if two direct children of a statement are in alternative branches of it."""
    if isinstance(parent, ast.If):
        return (entry in parent.body) != (other in parent.body) and parent.test not in (entry, other)
    if isinstance(parent, ast.Try):
        return entry in parent.handlers or other in parent.handlers
    return isinstance(parent, (ast.IfExp, ast.Match, ast.ExceptHandler))


def _moves(node: FunctionNode) -> Iterator[ast.AugAssign]:
    for child in walk(node):
        is_move = isinstance(child, ast.AugAssign) and isinstance(child.op, (ast.Add, ast.Sub))
        if is_move and isinstance(child, ast.AugAssign) and isinstance(child.target, ast.Attribute):
            yield child


def _record(move: ast.AugAssign) -> ast.expr:
    assert isinstance(move.target, ast.Attribute)
    return move.target.value


def _transfer_parties(node: FunctionNode) -> frozenset[str]:
    """Return the two objects of a transfer: ``a.cents -= n``, ``b.cents += n``."""
    found: dict[tuple[str, str], dict[type[ast.operator], str]] = {}
    for item in _moves(node):
        assert isinstance(item.target, ast.Attribute)
        key = item.target.attr, unparse(item.value)
        found.setdefault(key, {})[type(item.op)] = unparse(_record(item))
    for parties in found.values():
        if len(set(parties.values())) == 2:
            return frozenset(parties.values())
    return frozenset()


def _first_commit(commits: Sequence[ast.Call], above: int, below: float = math.inf) -> ast.Call | None:
    """Return the first commit between two lines."""
    return next((commit for commit in commits if above < commit.lineno < below), None)


def _method_calls(calls: Sequence[ast.Call], methods: Collection[str]) -> list[tuple[ast.Call, str]]:
    """Return the calls of some methods, each with the object's source text."""
    return [
        (call, unparse(call.func.value))
        for call in calls
        if isinstance(call.func, ast.Attribute) and call.func.attr in methods
    ]
