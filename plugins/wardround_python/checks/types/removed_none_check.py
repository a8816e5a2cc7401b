"""PY450: removed none check."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name, names_in
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.analysis.null_guards import (
    SURE,
    assigned_values,
    compared_names,
    is_caught,
    required_names,
)
from wardround_python.check import PythonCheck

_GOES_THROUGH = frozenset({"len", "list", "sorted", "set", "enumerate"})


class RemovedNoneCheck(PythonCheck):
    """A test for None was removed, and the value is used without it.

    The function tested the value and returned without one. The value has the same source as before, so it can
    still be missing. Test it again, or get it from a function that raises if there is none.
    """

    ID = "PY450"
    NAME = "removed-none-check"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "none-used"
    PREFILTER = "wardround_python.prefilters:changes_a_function"
    SEVERITY = Severity.WARN
    VALID = [
        code(
            """
            def name(key):
                row = store.find(key)
                if row is None:
                    return '?'
                return row.name
            """,
            base="""
            def name(key):
                row = store.find(key)
                if row is None:
                    return ''
                return row.name
            """,
        ),
        code(
            """
            def name(key):
                row = store.get_or_404(key)
                return row.name
            """,
            base="""
            def name(key):
                row = store.find(key)
                if row is None:
                    return ''
                return row.name
            """,
        ),
    ]
    INVALID = [
        code(
            """
            def name(key):
                row = store.find(key)
                return «row».name
            """,
            base="""
            def name(key):
                row = store.find(key)
                if row is None:
                    return ''
                return row.name
            """,
        ),
        code(
            """
            def shut(self, task: Task | None):
                self.open = False
                «task».cancel()
            """,
            base="""
            def shut(self, task: Task | None):
                self.open = False
                if task is None:
                    return
                task.cancel()
            """,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        for was, now in rewritten(self.source, self.module):
            asked = dict(required_names(was))
            compared = compared_names(now) if asked else frozenset()
            for name in asked:
                if self._may_be_none(name, was, now) and name not in compared:
                    self._tell(name, now, is_listed=_is_listed(name, was), is_none=asked[name])

    def _may_be_none(self, name: str, was: FunctionNode, now: FunctionNode) -> bool:
        """Return True if a name is still assigned from the same source, which may return None."""
        before, after = assigned_values(name, was), assigned_values(name, now)
        if before or after:
            sure = isinstance(after[-1], SURE) if after else True
            return not sure and [*map(unparse, before)] == [*map(unparse, after)]
        arguments = {
            argument.arg: argument
            for argument in (*now.args.posonlyargs, *now.args.args, *now.args.kwonlyargs)
        }
        if name not in arguments:
            return name in self.module.assigned or name in self.module.imported
        declared = arguments[name].annotation
        written = "" if declared is None else unparse(declared)
        return "None" in written or "Optional[" in written

    def _tell(self, name: str, now: FunctionNode, *, is_listed: bool, is_none: bool) -> None:
        for node in walk(now):
            value = _needed(node, is_listed=is_listed)
            if not isinstance(value, ast.Name) or value.id != name or not isinstance(value.ctx, ast.Load):
                continue
            if not is_caught(self.module, node, ("AttributeError", "TypeError", "IndexError", "KeyError")):
                what = "None" if is_none else "missing"
                self.report(
                    self.module.span(value),
                    f"{name} may be {what}: the function returned then before this change; test it again",
                )
            return


def _needed(node: ast.AST, *, is_listed: bool) -> ast.expr | None:
    """Return the name whose value a node needs: an entry, an attribute, its elements."""
    if isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and not is_listed):
        return node.value
    is_taken_apart = isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple)
    return node.value if isinstance(node, ast.Assign) and is_taken_apart else None


def _is_listed(name: str, function: FunctionNode) -> bool:
    """Return True if a name is iterated or counted: it may be empty then, but is not None."""
    for node in walk(function):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and name in names_in(node.iter):
            return True
        counts = isinstance(node, ast.Call) and last_name(node.func) in _GOES_THROUGH
        if isinstance(node, ast.Call) and counts and name in map(last_name, node.args):
            return True
    return False
