"""PY450: removed none check."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode, last_name, names_in
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.changed_functions import rewritten
from wardround_python.analysis.null_guards import is_caught, tested
from wardround_python.check import PythonCheck

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_SURE = (
    ast.Constant,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.Tuple,
    ast.ListComp,
    ast.DictComp,
    ast.SetComp,
    ast.JoinedStr,
)

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
            asked = dict(_tested_names(was))
            compared = _compared(now) if asked else frozenset()
            for name in asked:
                if self._may_be_none(name, was, now) and name not in compared:
                    self._tell(name, now, is_listed=_is_listed(name, was), is_none=asked[name])

    def _may_be_none(self, name: str, was: FunctionNode, now: FunctionNode) -> bool:
        """Return True if a name is still assigned from the same source, which may return None."""
        before, after = _values(name, was), _values(name, now)
        if before or after:
            sure = isinstance(after[-1], _SURE) if after else True
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


def _tested_names(function: FunctionNode) -> Iterator[tuple[str, bool]]:
    """Return the names without whose value a function returns, and whether only None is tested."""
    for node in walk(function):
        if isinstance(node, ast.If) and isinstance(node.body[-1], _LEAVES):
            test = node.test
            for part in (
                test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or) else [test]
            ):
                if isinstance(part, ast.UnaryOp) and isinstance(part.op, ast.Not):
                    if isinstance(part.operand, ast.Name):
                        yield part.operand.id, False
                elif isinstance(part, ast.Compare) and isinstance(part.ops[0], ast.Is):
                    against = part.comparators[0]
                    is_none = isinstance(against, ast.Constant) and against.value is None
                    if is_none and isinstance(part.left, ast.Name):
                        yield part.left.id, True


def _values(name: str, function: FunctionNode) -> list[ast.expr]:
    """Return the values that statements assign to a name; a loop or a ``with`` assigns an unknown one."""
    results: list[ast.expr] = []
    for node in walk(function):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.NamedExpr, ast.AugAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if (
                any(isinstance(target, ast.Name) and target.id == name for target in targets)
                and node.value is not None
            ):
                results.append(node.value)
    return sorted(results, key=lambda one: one.lineno)


def _compared(function: FunctionNode) -> frozenset[str]:
    """Return the names that a function tests, or tests to decide later."""
    looked = (n for n in walk(function) if isinstance(n, (ast.Compare, ast.UnaryOp, ast.BoolOp)))
    return tested(function) | {name for item in looked for name in names_in(item)}


def _is_listed(name: str, function: FunctionNode) -> bool:
    """Return True if a name is iterated or counted: it may be empty then, but is not None."""
    for node in walk(function):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)) and name in names_in(node.iter):
            return True
        counts = isinstance(node, ast.Call) and last_name(node.func) in _GOES_THROUGH
        if isinstance(node, ast.Call) and counts and name in map(last_name, node.args):
            return True
    return False
