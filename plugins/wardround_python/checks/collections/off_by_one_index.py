"""PY052."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import SuggestedFix
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import walk
from wardround_python.analysis.null_guards import is_caught, tested
from wardround_python.check import PythonCheck


class OffByOneIndex(PythonCheck):
    """A loop over all places of a list reads the place after.

    In the last round there is none: IndexError, once the list has anything in it. Stop one earlier
    (``range(len(rows) - 1)``), or go through ``zip(rows, rows[1:])``.
    """

    ID = "PY052"
    NAME = "off-by-one-index"
    WORDS = ("range(len(", "enumerate(")
    DEFECT_CLASS = "index-out-of-bounds"
    VALID = [
        code("""
            def f(xs):
                for i in range(len(xs) - 1):
                    g(xs[i], xs[i + 1])
        """),
        code("""
            def f(xs):
                for i in range(len(xs)):
                    if i + 1 < len(xs):
                        g(xs[i + 1])
        """),
    ]
    INVALID = [
        code(
            """
            def f(xs):
                for i in range(len(xs)):
                    g(xs[i], «xs[i + 1]»)
            """,
            fixed="""
            def f(xs):
                for i in range(len(xs) - 1):
                    g(xs[i], xs[i + 1])
            """,
        ),
        code("""
            def f(xs):
                return [«xs[i + 1]» - x for i, x in enumerate(xs)]
        """),
    ]

    def visit_For(self, node: ast.For) -> None:
        self._look_at(node, node.target, node.iter)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._look_at(node, node.generators[0].target, node.generators[0].iter)

    def _look_at(self, node: ast.For | ast.ListComp, target: ast.expr, over: ast.expr) -> None:
        place, listed, most = _places(target, over)
        if place is None or any(place in written for written in map(_names_of, tested(node))):
            return
        for one in walk(node):
            if (
                isinstance(one, ast.Subscript)
                and ast.unparse(one.value) == listed
                and _ahead(one.slice, place) > most
            ):
                leaves = any(isinstance(n, ast.Break) for n in walk(node))
                if not leaves and not is_caught(self.module, one, ("IndexError", "LookupError")):
                    message = f"in the last round {ast.unparse(one)} is behind the end"
                    step = 0 if most else _ahead(one.slice, place)
                    self.report(self.module.span(one), message, self._shortened(over, step))
                return

    def _shortened(self, over: ast.expr, step: int) -> SuggestedFix | None:
        """Return the fix that ends ``range(len(...))`` earlier; the last item may need more than that."""
        if not step or not isinstance(over, ast.Call) or last_name(over.func) != "range":
            return None
        size = over.args[0]
        return self.fix(
            over, lambda one: one.expression(size, f"{{size}} - {step}", size=size), "stop earlier"
        )


def _places(target: ast.expr, over: ast.expr) -> tuple[str | None, str, int]:
    """The name of the place, what it is a place of, and how far behind it the end is at least."""
    if (
        not isinstance(over, ast.Call)
        or len(over.args) != 1
        or over.keywords
        or not isinstance(over.func, ast.Name)
    ):
        return None, "", 0
    given = over.args[0]
    if over.func.id == "enumerate" and isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name):
        return (
            (target.elts[0].id, ast.unparse(given), 0)
            if isinstance(given, (ast.Name, ast.Attribute))
            else (None, "", 0)
        )
    if over.func.id != "range" or not isinstance(target, ast.Name):
        return None, "", 0
    most = 0
    if (
        isinstance(given, ast.BinOp)
        and isinstance(given.right, ast.Constant)
        and isinstance(given.right.value, int)
    ):
        most = given.right.value if isinstance(given.op, ast.Sub) else -given.right.value
        given = given.left
    if (
        isinstance(given, ast.Call)
        and isinstance(given.func, ast.Name)
        and given.func.id == "len"
        and given.args
    ):
        return target.id, ast.unparse(given.args[0]), most
    return None, "", 0


def _ahead(index: ast.expr, place: str) -> int:
    """How many places after the loop's an index is; a very small number where it is another."""
    if isinstance(index, ast.Name) and index.id == place:
        return 0
    if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Add) and _ahead(index.left, place) == 0:
        step = index.right.value if isinstance(index.right, ast.Constant) else None
        return step if isinstance(step, int) else -99
    return -99


def _names_of(written: str) -> frozenset[str]:
    return frozenset({written})
