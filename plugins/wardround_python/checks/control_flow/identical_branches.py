from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.check import PythonCheck


class IdenticalBranches(PythonCheck):
    """Two branches, conditions or operands are identical.

    The condition decides nothing, the second ``elif`` is unreachable, or the comparison always holds: one
    of the two was copied and not edited. Correct the copy or remove it.
    """

    ID = "PY072"
    NAME = "identical-branches"
    PREFILTER = "wardround_python.prefilters:has_duplicate_code"
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
        if not node.orelse or not self.adds_line(node) or self._continues_chain(node):
            return
        chain, else_body = self._chain(node)
        self._check_conditions(chain)
        bodies = [*(part.body for part in chain), else_body]
        if not else_body or isinstance(else_body[0], ast.Pass):
            return
        if all(_are_equal(bodies[0], body) for body in bodies[1:]) and self._adds_any(bodies):
            message = "all branches are identical, so the condition has no effect"
            self.report(self.module.keyword_span(node, 2), message)

    def _continues_chain(self, node: ast.If) -> bool:
        """Return True for the only statement of an ``else``, which belongs to the ``if`` around it."""
        parent = self.module.parents[node]
        return isinstance(parent, ast.If) and parent.orelse == [node]

    def _adds_any(self, bodies: Sequence[Sequence[ast.stmt]]) -> bool:
        return any(self.adds_line(statement) for body in bodies for statement in body)

    def _chain(self, node: ast.If) -> tuple[list[ast.If], list[ast.stmt]]:
        """Return an ``if`` with its ``elif`` clauses, and the body of its ``else``."""
        chain, else_body = [node], node.orelse
        while len(else_body) == 1 and isinstance(else_body[0], ast.If) and self._is_elif(else_body[0]):
            chain.append(else_body[0])
            else_body = else_body[0].orelse
        return chain, else_body

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        if self.source.is_added(node.lineno):
            self._check_operands(node, node.values)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq) and isinstance(node.left, ast.Attribute):
            self._check_operands(node, [node.left, node.comparators[0]])

    def adds_line(self, node: ast.stmt) -> bool:
        return any(map(self.source.is_added, range(node.lineno, (node.end_lineno or node.lineno) + 1)))

    def _is_elif(self, node: ast.If) -> bool:
        return self.source.lines[node.lineno - 1][node.col_offset :].startswith("elif")

    def _check_conditions(self, chain: Sequence[ast.If]) -> None:
        seen: list[ast.expr] = []
        for item in chain if len(chain) > 1 else ():
            if any(_are_equal([item.test], [other]) for other in seen) and not _contains_call(item.test):
                self.report(
                    self.module.span(item.test),
                    "this condition repeats one above, so the branch is unreachable",
                )
                return
            seen.append(item.test)

    def _check_operands(self, node: ast.expr, values: Sequence[ast.expr]) -> None:
        for position, value in enumerate(values):
            for other in values[:position]:
                if (
                    _are_equal([value], [other])
                    and not _contains_call(value)
                    and not isinstance(value, ast.Constant)
                ):
                    self.report(self.module.span(node), f"{unparse(value)} is on both sides of the operator")
                    return


def _are_equal(sequence: Sequence[ast.AST], other: Sequence[ast.AST]) -> bool:
    """Return True if two pieces of code are equal; compare sizes before trees."""
    if len(sequence) != len(other) or any(
        type(a) is not type(b) for a, b in zip(sequence, other, strict=True)
    ):
        return False
    if any(_size(a) != _size(b) for a, b in zip(sequence, other, strict=True)):
        return False
    return all(ast.dump(a) == ast.dump(b) for a, b in zip(sequence, other, strict=True))


def _size(node: ast.AST) -> tuple[int, int]:
    """Return the number of lines and columns of a node."""
    lines = getattr(node, "end_lineno", 0) - getattr(node, "lineno", 0)
    return lines, 0 if lines else getattr(node, "end_col_offset", 0) - getattr(node, "col_offset", 0)


def _contains_call(node: ast.AST) -> bool:
    return any(isinstance(child, (ast.Call, ast.Await, ast.NamedExpr, ast.Yield)) for child in walk(node))
