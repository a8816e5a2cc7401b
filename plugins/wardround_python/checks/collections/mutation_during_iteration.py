from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.findings import SuggestedFix
from wardround.languages.python.module import FunctionNode, last_name, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_MUTATING_METHODS = frozenset({"remove", "pop", "insert", "popitem", "discard", "clear", "popleft", "add"})
_GROWING_METHODS = frozenset({"append", "appendleft"})
"""Methods that add to a list; a loop over a list visits each addition, as worklists rely on."""
_VIEWS = frozenset({"items", "keys", "values"})


class MutationDuringIteration(PythonCheck):
    """A collection is modified while a loop iterates over it.

    A list then skips the entry after each removed one; a dictionary or a set raises RuntimeError; a list
    that grows in each iteration never ends. Iterate over a copy (``list(rows)``), or build a new
    collection.
    """

    ID = "PY025"
    NAME = "mutation-during-iteration"
    DEFECT_CLASS = "changed-while-iterated"
    WORDS = ("del ", *(f".{change}(" for change in sorted(_MUTATING_METHODS | _GROWING_METHODS)))
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
            "del " in text or any(f".{change}(" in text for change in _MUTATING_METHODS | _GROWING_METHODS)
        )

    def visit_For(self, node: ast.For) -> None:
        iterated = _iterated_collection(node.iter)
        if iterated is None or any(_rebinds_name(n, iterated) for n in nodes_run_by(node.body)):
            return
        for growth in _endless_growth(node, iterated):
            text = f"every iteration adds to {iterated} on line {growth.lineno}, so the loop never ends"
            self.report(self.module.span(node.iter), text, self._copy_fix(node, False))
            return
        for change in [*_modifications(node, iterated), *self._removals_by_own_methods(node, iterated)]:
            if not self._ends_loop(change, node):
                text = f"{iterated} is modified on line {change.lineno} during iteration; iterate over a copy"
                self.report(
                    self.module.span(node.iter),
                    text,
                    self._copy_fix(node, _removes_current_item(change, node)),
                )
                return

    def _copy_fix(self, loop: ast.For, safe: bool) -> SuggestedFix | None:
        if isinstance(loop.iter, ast.Call) and last_name(loop.iter.func) == "enumerate":
            return None  # the indices of a copy are wrong after a modification
        return self.fix(
            loop, lambda rewrite: rewrite.expression(loop.iter, "list({value})", value=loop.iter),
            "loop over a copy", safe=safe,
        )  # fmt: skip

    def _removals_by_own_methods(self, loop: ast.For, name: str) -> Iterator[ast.Call]:
        """Yield the calls of methods of the same class that remove items from a collection of ``self``."""
        if not name.startswith("self."):
            return
        for call in (n for n in nodes_run_by(loop.body) if isinstance(n, ast.Call)):
            if isinstance(call.func, ast.Attribute) and unparse(call.func.value) == "self":
                body = [statement for statement in self._method_body(call) if _always_runs(statement)]
                if any(_modifications(ast.For(ast.Name("_"), ast.Name("_"), body, []), name)):
                    yield call

    def _method_body(self, call: ast.Call) -> Sequence[ast.stmt]:
        definition = self.callees.definition_of(call)
        if definition is None or not definition.is_method or not isinstance(definition.node, FunctionNode):
            return ()
        return definition.node.body

    def _ends_loop(self, change: ast.AST, loop: ast.For) -> bool:
        """Return True if the loop ends in the block of the change, after it."""
        child = change
        for parent in self.module.ancestors(change):
            if parent is loop:
                return isinstance(loop.body[-1], (ast.Break, ast.Return, ast.Raise))
            for name in ("body", "orelse"):
                block = getattr(parent, name, None)
                if isinstance(block, list) and child in block:
                    after = block[block.index(child) :]
                    if any(isinstance(item, (ast.Break, ast.Return, ast.Raise)) for item in after):
                        return True
            child = parent
        return False


def _removes_current_item(change: ast.expr | ast.stmt, loop: ast.For) -> bool:
    """Return True if a change removes the current item, so that a loop over a copy is equivalent."""
    first = loop.target.elts[0] if isinstance(loop.target, ast.Tuple) else loop.target
    if isinstance(change, ast.Delete):
        removed = [target.slice for target in change.targets if isinstance(target, ast.Subscript)]
    elif isinstance(change, ast.Call) and last_name(change.func) in ("remove", "discard", "pop"):
        removed = change.args[:1]
    else:
        removed = []
    return isinstance(first, ast.Name) and [last_name(node) for node in removed] == [first.id]


def _always_runs(statement: ast.stmt) -> bool:
    return isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Delete, ast.Return, ast.With))


def _iterated_collection(value: ast.expr) -> str | None:
    """Return the collection a loop iterates over directly, not a copy: a name or attribute of a name."""
    if isinstance(value, ast.Call):
        func = value.func
        if isinstance(func, ast.Attribute) and func.attr in _VIEWS and not value.args:
            return _iterated_collection(func.value)
        if isinstance(func, ast.Name) and func.id == "enumerate" and value.args:
            return _iterated_collection(value.args[0])
        return None
    return unparse(value) if isinstance(value, (ast.Name, ast.Attribute)) else None


def _modifications(loop: ast.For, name: str) -> Iterator[ast.expr | ast.stmt]:
    for node in nodes_run_by(loop.body):
        if isinstance(node, ast.Delete):
            if any(isinstance(t, ast.Subscript) and unparse(t.value) == name for t in node.targets):
                yield node
        elif isinstance(node, ast.Call) and _is_mutating(node.func, name):
            yield node


def _is_mutating(func: ast.expr, name: str) -> bool:
    """Return True if a method removes an item from the collection or adds one."""
    return isinstance(func, ast.Attribute) and func.attr in _MUTATING_METHODS and unparse(func.value) == name


def _endless_growth(loop: ast.For, name: str) -> Iterator[ast.Call]:
    """Yield the calls that add to the iterated list in every iteration; worklists add under a condition."""
    leaves = (ast.Break, ast.Return, ast.Raise, ast.Yield, ast.YieldFrom, ast.Await)
    if any(isinstance(node, leaves) for node in nodes_run_by(loop.body)):
        return
    for statement in loop.body:
        call = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(call, ast.Call) and _adds_to(call.func, name):
            yield call


def _adds_to(func: ast.expr, name: str) -> bool:
    return isinstance(func, ast.Attribute) and func.attr in _GROWING_METHODS and unparse(func.value) == name


def _rebinds_name(node: ast.AST, name: str) -> bool:
    """Return True if a statement of the loop rebinds the name."""
    return isinstance(node, ast.Assign) and any(unparse(target) == name for target in node.targets)
