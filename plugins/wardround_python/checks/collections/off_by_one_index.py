from __future__ import annotations

import ast
from typing import TypeGuard

from wardround.findings import SuggestedFix
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.analysis.null_guards import is_caught, tested_expressions
from wardround_python.check import PythonCheck


class OffByOneIndex(PythonCheck):
    """A loop over all indices of a list reads the next entry.

    In the last iteration there is none: IndexError for every list that is not empty. Stop one earlier
    (``range(len(rows) - 1)``), or iterate over ``zip(rows, rows[1:])``.
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
        self._check(node, node.target, node.iter)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._check(node, node.generators[0].target, node.generators[0].iter)

    def _check(self, node: ast.For | ast.ListComp, target: ast.expr, over: ast.expr) -> None:
        index_name, sequence, margin = _index_range(target, over)
        if index_name is None or index_name in tested_expressions(node):
            return
        child = _access_beyond(node, index_name, sequence, margin)
        if child is None or any(isinstance(inner, ast.Break) for inner in walk(node)):
            return
        if not is_caught(self.module, child, ("IndexError", "LookupError")):
            message = f"{unparse(child)} is out of range in the last iteration; stop one earlier"
            step = 0 if margin else _ahead(child.slice, index_name)
            self.report(self.module.span(child), message, self._shorter_range_fix(over, step))

    def _shorter_range_fix(self, over: ast.expr, step: int) -> SuggestedFix | None:
        """Return the fix that ends ``range(len(...))`` earlier; the last item may need more than that."""
        if not step or not isinstance(over, ast.Call) or last_name(over.func) != "range":
            return None
        size = over.args[0]
        return self.fix(
            over, lambda rewrite: rewrite.expression(size, f"{{size}} - {step}", size=size), "stop earlier"
        )


def _access_beyond(
    node: ast.For | ast.ListComp, index_name: str, sequence: str, margin: int
) -> ast.Subscript | None:
    """Return the first access of a sequence further ahead than its loop leaves room for."""
    for child in walk(node):
        if not isinstance(child, ast.Subscript) or unparse(child.value) != sequence:
            continue
        if _ahead(child.slice, index_name) > margin:
            return child
    return None


def _index_range(target: ast.expr, over: ast.expr) -> tuple[str | None, str, int]:
    """Return the index variable, its sequence, and how far before the end it stops at least."""
    is_call = isinstance(over, ast.Call) and len(over.args) == 1 and not over.keywords
    if not isinstance(over, ast.Call) or not is_call or not isinstance(over.func, ast.Name):
        return None, "", 0
    if over.func.id == "enumerate":
        return _enumerated_range(target, over.args[0])
    if over.func.id == "range" and isinstance(target, ast.Name):
        length, margin = _split_offset(over.args[0])
        if _is_len(length):
            return target.id, unparse(length.args[0]), margin
    return None, "", 0


def _enumerated_range(target: ast.expr, sequence: ast.expr) -> tuple[str | None, str, int]:
    """Return the index range of ``for i, row in enumerate(rows)``."""
    index = target.elts[0] if isinstance(target, ast.Tuple) else None
    if isinstance(index, ast.Name) and isinstance(sequence, (ast.Name, ast.Attribute)):
        return index.id, unparse(sequence), 0
    return None, "", 0


def _split_offset(length: ast.expr) -> tuple[ast.expr, int]:
    """Return the length and the literal number subtracted from it: ``len(rows) - 1``."""
    if isinstance(length, ast.BinOp) and isinstance(length.right, ast.Constant):
        offset = length.right.value
        if isinstance(offset, int):
            return length.left, offset if isinstance(length.op, ast.Sub) else -offset
    return length, 0


def _is_len(node: ast.expr) -> TypeGuard[ast.Call]:
    is_named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "len"
    return is_named and isinstance(node, ast.Call) and bool(node.args)


def _ahead(index: ast.expr, index_name: str) -> int:
    """Return how far an index is ahead of the loop's; a very small number if it is unrelated."""
    if isinstance(index, ast.Name) and index.id == index_name:
        return 0
    if isinstance(index, ast.BinOp) and isinstance(index.op, ast.Add) and _ahead(index.left, index_name) == 0:
        step = index.right.value if isinstance(index.right, ast.Constant) else None
        return step if isinstance(step, int) else -99
    return -99
