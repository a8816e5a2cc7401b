"""PY025."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.source import SourceFile
from wardround.findings import SuggestedFix
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround_python.check import PythonCheck

_CHANGES = frozenset({"remove", "pop", "insert", "popitem", "discard", "clear", "popleft", "add"})
_GROWS = frozenset({"append", "appendleft"})
"""What adds to a list; a loop over a list sees each addition, as worklists rely on."""
_VIEWS = frozenset({"items", "keys", "values"})


class MutationDuringIteration(PythonCheck):
    """A collection is changed while a loop goes through it.

    A list then skips the entry after each one removed; a dictionary or a set raises RuntimeError; a list
    that each round adds to never ends. Go through a copy (``list(rows)``), or build a new collection.
    """

    ID = "PY025"
    NAME = "mutation-during-iteration"
    DEFECT_CLASS = "changed-while-iterated"
    WORDS = ("del ", *(f".{change}(" for change in sorted(_CHANGES | _GROWS)))
    VALID = [
        code("""
            for row in list(rows):
                rows.remove(row)
        """),
        code("""
            for row in rows[:]:
                rows.remove(row)
        """),
    ]
    INVALID = [
        code("""
            for row in «rows»:
                if row.old:
                    rows.remove(row)
        """),
        code(
            """
            for key, value in «table.items()»:
                if not value:
                    del table[key]
            """,
            fixed="""
            for key, value in list(table.items()):
                if not value:
                    del table[key]
            """,
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        text = source.text
        return "for " in text and (
            "del " in text or any(f".{change}(" in text for change in _CHANGES | _GROWS)
        )

    def visit_For(self, node: ast.For) -> None:
        iterated = _iterated(node.iter)
        if iterated is None or any(_gives(n, iterated) for n in nodes_run_by(node.body)):
            return
        for growth in _endless_growth(node, iterated):
            text = f"each round adds to {iterated} in line {growth.lineno}, so the loop does not end"
            self.report(self.module.span(node.iter), text, self._copied(node, False))
            return
        for change in [*_changes(node, iterated), *self._through_own(node, iterated)]:
            if not self._leaves(change, node):
                text = f"{iterated} is changed in line {change.lineno} while the loop goes through it"
                self.report(self.module.span(node.iter), text, self._copied(node, _is_own(change, node)))
                return

    def _copied(self, loop: ast.For, safe: bool) -> SuggestedFix | None:
        if isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "enumerate":
            return None  # the numbers of a copy are wrong after a change
        return self.fix(
            loop, lambda one: one.expression(loop.iter, "list({value})", value=loop.iter),
            "loop over a copy", safe=safe,
        )  # fmt: skip

    def _through_own(self, loop: ast.For, name: str) -> Iterator[ast.Call]:
        """The calls of methods of the same class that take something out of a collection of ``self``."""
        calls = (
            [n for n in nodes_run_by(loop.body) if isinstance(n, ast.Call)]
            if name.startswith("self.")
            else []
        )
        own = [c for c in calls if isinstance(c.func, ast.Attribute) and ast.unparse(c.func.value) == "self"]
        for call in own:
            found = self.callees.definition_of(call)
            if found is not None and isinstance(found.node, FunctionNode) and found.is_method:
                body = ast.For(
                    ast.Name("_"), ast.Name("_"), [s for s in found.node.body if _always_runs(s)], []
                )
                if any(_changes(body, name)):
                    yield call

    def _leaves(self, change: ast.AST, loop: ast.For) -> bool:
        """Whether the loop ends in the block of the change, after it."""
        child = change
        for parent in self.module.ancestors(change):
            if parent is loop:
                return isinstance(loop.body[-1], (ast.Break, ast.Return, ast.Raise))
            for name in ("body", "orelse"):
                block = getattr(parent, name, None)
                if isinstance(block, list) and child in block:
                    after = block[block.index(child) :]
                    if any(isinstance(one, (ast.Break, ast.Return, ast.Raise)) for one in after):
                        return True
            child = parent
        return False


def _is_own(change: ast.expr | ast.stmt, loop: ast.For) -> bool:
    """Return True if a change removes the item of the round, which a loop over a copy does not miss."""
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
    if isinstance(change, ast.Delete):
        removed = [one.slice for one in change.targets if isinstance(one, ast.Subscript)]
    elif isinstance(change, ast.Call) and last_name(change.func) in ("remove", "discard", "pop"):
        removed = change.args[:1]
    else:
        removed = []
    return isinstance(first, ast.Name) and [last_name(one) for one in removed] == [first.id]


def _always_runs(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Delete, ast.Return, ast.With))


def _iterated(value: ast.expr) -> str | None:
    """The collection a loop goes through itself, not a copy: a name or attribute of a name."""
    if isinstance(value, ast.Call):
        func = value.func
        if isinstance(func, ast.Attribute) and func.attr in _VIEWS and not value.args:
            return _iterated(func.value)
        if isinstance(func, ast.Name) and func.id == "enumerate" and value.args:
            return _iterated(value.args[0])
        return None
    return ast.unparse(value) if isinstance(value, (ast.Name, ast.Attribute)) else None


def _changes(loop: ast.For, name: str) -> Iterator[ast.expr | ast.stmt]:
    for node in nodes_run_by(loop.body):
        if isinstance(node, ast.Delete):
            if any(isinstance(t, ast.Subscript) and ast.unparse(t.value) == name for t in node.targets):
                yield node
        elif isinstance(node, ast.Call) and _changes_it(node.func, name):
            yield node


def _changes_it(func: ast.expr, name: str) -> bool:
    """Whether a method takes something out of the collection, or puts it in."""
    return isinstance(func, ast.Attribute) and func.attr in _CHANGES and ast.unparse(func.value) == name


def _endless_growth(loop: ast.For, name: str) -> Iterator[ast.Call]:
    """Yield what adds to the iterated list in every round; worklists add to it under a condition."""
    leaves = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
    if any(isinstance(node, leaves) for node in nodes_run_by(loop.body)):
        return
    for statement in loop.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and _adds_to(call.func, name):
            yield call


def _adds_to(func: ast.expr, name: str) -> bool:
    return isinstance(func, ast.Attribute) and func.attr in _GROWS and ast.unparse(func.value) == name


def _gives(node: ast.AST, name: str) -> bool:
    """Whether a statement of the loop gives the name another value."""
    return isinstance(node, ast.Assign) and any(ast.unparse(target) == name for target in node.targets)
