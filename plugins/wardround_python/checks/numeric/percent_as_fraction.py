"""PY085: percent as fraction."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.languages.python.module import last_name
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_PERCENT = LazyPattern(r"(?i)(?:^|_)(?:percent|percentage|pct)$")
_WHOLE = 1
"""A number above this is on a scale to one hundred: 15 percent rather than 0.15."""


class PercentAsFraction(PythonCheck):
    """A percentage from 0 to 100 is used as a fraction from 0 to 1.

    ``price * (1 - 15)`` subtracts fourteen times the price instead of 15 percent. Divide by 100 first, or
    store the fraction and name it so.
    """

    ID = "PY085"
    NAME = "percent-as-fraction"
    MATURITY = Maturity.PREVIEW
    WORDS = ("percent", "pct", "PERCENT", "PCT")
    VALID = [
        code("""
            tax_percent = 15
            total = price * (1 + tax_percent / 100)
        """),
        code("""
            tax_percent = 0.15
            total = price * (1 + tax_percent)
        """),
    ]
    INVALID = [
        code("""
            tax_percent = 15
            total = price * («1 + tax_percent»)
        """),
        code("""
            def total(price, discount_pct=10):
                return price * («1 - discount_pct»)
        """),
    ]

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not isinstance(node.op, (ast.Add, ast.Sub)) or not _is_one(node.left):
            return
        name = last_name(node.right) if isinstance(node.right, (ast.Name, ast.Attribute)) else ""
        if _PERCENT.search(name) and name in self._to_a_hundred:
            text = f"{name} is a percentage, used here as a fraction; divide it by 100"
            self.report(self.module.span(node), text)

    @cached_property
    def _to_a_hundred(self) -> frozenset[str]:
        """Return the names to which the module assigns a number above 1, or that it compares with one."""
        numbers: dict[str, list[float]] = {}
        for name, value in self._numbers():
            numbers.setdefault(name, []).append(value)
        return frozenset(
            name
            for name, found in numbers.items()
            if max(found) > _WHOLE and not any(0 < n < _WHOLE for n in found)
        )

    def _numbers(self) -> Iterator[tuple[str, float]]:
        for node in self.module.nodes:
            if isinstance(node, ast.Assign):
                yield from _pairs(node.targets, [node.value] * len(node.targets))
            elif isinstance(node, ast.Compare):
                yield from _pairs([node.left], node.comparators)
            elif isinstance(node, ast.arguments):
                defaults = node.defaults
                last = [*node.posonlyargs, *node.args][
                    len(node.posonlyargs) + len(node.args) - len(defaults) :
                ]
                yield from (
                    (a.arg, n) for a, d in zip(last, defaults, strict=True) if (n := _number(d)) is not None
                )


def _pairs(names: Sequence[ast.expr], values: Sequence[ast.expr]) -> Iterator[tuple[str, float]]:
    for name, value in zip(names, values, strict=False):
        number = _number(value)
        if number is not None and isinstance(name, (ast.Name, ast.Attribute)):
            yield last_name(name), number


def _number(node: ast.expr) -> float | None:
    value = node.value if isinstance(node, ast.Constant) else None
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _is_one(node: ast.expr) -> bool:
    return _number(node) == _WHOLE
