"""PY393: zero replaced by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_FRACTION = LazyPattern(r"\b(float|Decimal)\b")
_WHOLE = LazyPattern(r"\bint\b")
_MAY_BE_NONE = LazyPattern(r"\bNone\b|\bOptional\b")
_ZERO_COUNTS = LazyPattern(
    r"(?i)(^|_)(min|minimum|offset|start|begin|index|position|threshold|retries|retry_count|depth|level"
    r"|priority|seed|delay|tolerance|score|verbosity|rotation|margin|padding)(_|$)"
)


class ZeroReplacedByDefault(PythonCheck):
    """An argument of zero is replaced by the default.

    ``score or 0.5`` selects the right operand for ``None`` and for ``0`` alike, and zero is a valid argument:
    a threshold of nothing, no retries, the first position. Use ``if score is None``.
    """

    ID = "PY393"
    NAME = "zero-replaced-by-default"
    MATURITY = Maturity.PREVIEW
    DEFECT_CLASS = "falsy-default"
    SEVERITY = Severity.INFO
    WORDS = (" or ",)
    VALID = [
        code("""
            def f(score: float | None = None):
                return 0.5 if score is None else score
        """),
        code("""
            def f(score: float | None = None):
                return score or 0.0
        """),
    ]
    INVALID = [
        code("""
            def f(score: float | None = None):
                return «score or 0.5»
        """),
        code("""
            LEAST = -1.0

            def f(rows, least: Optional[float] = None):
                least = «least or LEAST»
                return [one for one in rows if one > least]
        """),
    ]

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        first, second = node.values[0], node.values[1]
        if not isinstance(node.op, ast.Or) or len(node.values) != 2 or not isinstance(first, ast.Name):
            return
        function = self.module.function_of(node)
        if isinstance(function, FunctionNode) and self._is_some_number(second):
            value = next(
                (parameter for parameter in _parameters(function) if parameter.arg == first.id), None
            )
            if value is not None and _accepts_zero(value) and not _tests_for_zero(function, first.id):
                message = f'"{first.id}" of 0 becomes {unparse(second)}; test for None instead'
                self.report(self.module.span(node), message)

    def _is_some_number(self, node: ast.expr) -> bool:
        """Return True if a value is a number other than zero, or a constant of the module that is."""
        if isinstance(node, ast.Name):
            text = self.module.assigned.get(node.id, [])
            return len(text) == 1 and not isinstance(text[0], ast.Name) and self._is_some_number(text[0])
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            node = node.operand
        is_number = isinstance(node, ast.Constant) and type(node.value) in (int, float)
        return is_number and node.value != 0  # type: ignore[attr-defined]


def _parameters(function: FunctionNode) -> Iterator[ast.arg]:
    arguments = function.args
    yield from (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)


def _accepts_zero(given: ast.arg) -> bool:
    text = unparse(given.annotation) if given.annotation is not None else ""
    if not _MAY_BE_NONE.search(text):
        return False
    return bool(_FRACTION.search(text) or (_WHOLE.search(text) and _ZERO_COUNTS.search(given.arg)))


def _tests_for_zero(function: FunctionNode, name: str) -> bool:
    """Return True if the function tests for zero itself."""
    return any(
        isinstance(node, ast.Compare)
        and isinstance(node.left, ast.Name)
        and node.left.id == name
        and any(isinstance(other, ast.Constant) and other.value == 0 for other in node.comparators)
        for node in walk(function)
    )
