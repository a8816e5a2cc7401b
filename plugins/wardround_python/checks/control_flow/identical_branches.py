"""PY072."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.checks.cases import code
from wardround.languages.python.tree import walk
from wardround_python.check import PythonCheck


class IdenticalBranches(PythonCheck):
    """Two branches, two conditions or the two sides of an operator are the same.

    The condition decides nothing, the second ``elif`` is never reached, the comparison always holds: one
    of the two was copied and not changed. Write what the other was meant to be, or drop it.
    """

    ID = "PY072"
    NAME = "identical-branches"
    PREFILTER = "wardround_python.prefilters:says_something_twice"
    WORDS = ("else:", "elif", "__eq__(")
    DEFECT_CLASS = "useless-comparison"
    VALID = [
        code("""
            if a:
                x = 1
            else:
                x = 2
        """),
        code("""
            if a:
                x = 1
            elif b:
                x = 1
            else:
                x = 2
        """),
    ]
    INVALID = [
        code("""
            def f(o):
                «if» o.heavy:
                    o.fee += 5
                else:
                    o.fee += 5
                return o
        """),
        code("""
            if a == 1:
                x = 1
            elif a == 2:
                x = 2
            elif «a == 1»:
                x = 3
        """),
    ]

    def visit_If(self, node: ast.If) -> None:
        parent = self.module.parents[node] if node.orelse else None
        if (
            parent is None
            or not self.adds_line(node)
            or (isinstance(parent, ast.If) and parent.orelse == [node])
        ):
            return
        chain, rest = [node], node.orelse
        while len(rest) == 1 and isinstance(rest[0], ast.If) and self._is_elif(rest[0]):
            chain.append(rest[0])
            rest = rest[0].orelse
        self._look_at_conditions(chain)
        bodies = [*(one.body for one in chain), rest]
        if rest and all(_are_equal(bodies[0], body) for body in bodies[1:]):
            if isinstance(rest[0], ast.Pass) or not any(
                self.adds_line(one) for body in bodies for one in body
            ):
                return
            self.report(
                self.module.keyword_span(node, 2), "every branch does the same: the condition decides nothing"
            )

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        if self.source.is_added(node.lineno):
            self._look_at_sides(node, node.values)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq) and isinstance(node.left, ast.Attribute):
            self._look_at_sides(node, [node.left, node.comparators[0]])

    def adds_line(self, node: ast.stmt) -> bool:
        return any(map(self.source.is_added, range(node.lineno, (node.end_lineno or node.lineno) + 1)))

    def _is_elif(self, node: ast.If) -> bool:
        return self.source.lines[node.lineno - 1][node.col_offset :].startswith("elif")

    def _look_at_conditions(self, chain: Sequence[ast.If]) -> None:
        seen: list[ast.expr] = []
        for one in chain if len(chain) > 1 else ():
            if any(_are_equal([one.test], [other]) for other in seen) and not _calls(one.test):
                self.report(self.module.span(one.test), "this was asked above: the branch is never reached")
                return
            seen.append(one.test)

    def _look_at_sides(self, node: ast.expr, values: Sequence[ast.expr]) -> None:
        for place, one in enumerate(values):
            for other in values[:place]:
                if _are_equal([one], [other]) and not _calls(one) and not isinstance(one, ast.Constant):
                    self.report(self.module.span(node), f"{ast.unparse(one)} stands on both sides")
                    return


def _are_equal(one: Sequence[ast.AST], other: Sequence[ast.AST]) -> bool:
    """Whether two pieces of code say the same, looked at closely only where they may."""
    if len(one) != len(other) or any(type(a) is not type(b) for a, b in zip(one, other, strict=True)):
        return False
    if any(_width(a) != _width(b) for a, b in zip(one, other, strict=True)):
        return False
    return all(ast.dump(a) == ast.dump(b) for a, b in zip(one, other, strict=True))


def _width(node: ast.AST) -> tuple[int, int]:
    """How many lines and columns a node takes."""
    lines = getattr(node, "end_lineno", 0) - getattr(node, "lineno", 0)
    return lines, 0 if lines else getattr(node, "end_col_offset", 0) - getattr(node, "col_offset", 0)


def _calls(node: ast.AST) -> bool:
    return any(isinstance(one, (ast.Call, ast.Await, ast.NamedExpr, ast.Yield)) for one in walk(node))
