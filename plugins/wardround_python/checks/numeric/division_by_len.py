from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.findings import Severity
from wardround.languages.python.module import nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.rules.cases import code
from wardround_python.analysis.null_guards import is_caught, tested_expressions
from wardround_python.check import PythonCheck

_MEANS = frozenset({"statistics.mean", "statistics.median", "statistics.fmean", "statistics.mode"})
_CATCHES = ("ZeroDivisionError", "ArithmeticError", "ValueError", "StatisticsError", "IndexError")
_COUNTED = ("count", "scalar_count")


class DivisionByLen(PythonCheck):
    """A division by a length that may be zero.

    The result of a filter or a query can be empty: then this raises ZeroDivisionError, on the first day
    without an order. Define the result for an empty collection.
    """

    ID = "PY034"
    NAME = "division-by-len"
    WORDS = ("len(", ".count(", "mean(", "median(")
    DEFECT_CLASS = "division-by-zero"
    SEVERITY = Severity.INFO
    VALID = [
        code("""
            def f(xs):
                if not xs:
                    return 0
                return sum(xs) / len(xs)
        """),
        code("""
            def f(xs):
                good = [x for x in xs if x]
                return sum(good) / len(good) if good else 0
        """),
    ]
    INVALID = [
        code("""
            def f(xs):
                good = [x for x in xs if x]
                return «sum(good) / len(good)»
        """),
        code("""
            def good(xs):
                return [x for x in xs if x]
            def f(xs):
                found = good(xs)
                return «sum(found) / len(found)»
        """),
    ]

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not isinstance(node.op, (ast.Div, ast.FloorDiv, ast.Mod)) or self._builds_string(node):
            return
        scope = self.module.function_of(node)
        if scope is None or isinstance(scope, ast.Lambda):
            return
        divisor = node.right
        names = [unparse(divisor)]
        if isinstance(divisor, ast.Name):
            values = self._values(scope, divisor.id)
            if len(values) != 1:
                return
            divisor = values[0]
        counted = self._counted_collection(divisor)
        if counted is None:
            return
        names += [unparse(divisor), unparse(counted)]
        averages = (
            "len(" in unparse(node.left)
            or f"sum({unparse(counted)}" in unparse(node.left)
            or self._is_sum_over(node.left, counted)
        )
        if self._may_be_empty(scope, counted, averages) and not self._is_guarded(scope, node, names):
            self.report(
                self.module.span(node),
                f"ZeroDivisionError if {unparse(counted)} is empty; define the result for that case",
            )

    def visit_Call(self, node: ast.Call) -> None:
        """Report the mean of the result of a filter."""
        name = self.module.qualified_name(node.func) or ""
        if name not in _MEANS or len(node.args) != 1 or node.keywords:
            return
        averaged, scope = node.args[0], self.module.function_of(node)
        if scope is None or not _is_filtered(self._only_value(scope, averaged)):
            return
        if not self._is_guarded(scope, node, [unparse(averaged)]):
            self.report(
                self.module.span(node),
                f"{name}() raises if nothing passes the filter; define the result for that case",
            )

    def _only_value(self, scope: ast.AST, node: ast.expr) -> ast.expr:
        """Return the value that a function assigns to a name; the node itself for all others."""
        values = self._values(scope, node.id) if isinstance(node, ast.Name) else []
        return values[0] if len(values) == 1 else node

    def _builds_string(self, node: ast.BinOp) -> bool:
        """Return True if it formats a string or joins paths."""
        left = node.left
        return isinstance(left, ast.JoinedStr) or (
            isinstance(left, ast.Constant) and isinstance(left.value, str)
        )

    def _counted_collection(self, divisor: ast.expr) -> ast.expr | None:
        """Return the collection whose length is taken by ``len(x)`` or ``x.count()``."""
        if not isinstance(divisor, ast.Call) or divisor.keywords:
            return None
        if isinstance(divisor.func, ast.Name) and divisor.func.id == "len" and len(divisor.args) == 1:
            counted = divisor.args[0]
            return counted if isinstance(counted, (ast.Name, ast.Attribute)) else None
        if isinstance(divisor.func, ast.Attribute) and divisor.func.attr in _COUNTED and not divisor.args:
            return divisor.func.value
        return None

    def _is_sum_over(self, value: ast.expr, counted: ast.expr) -> bool:
        """Return True if a value is a sum over the counted collection."""
        written = unparse(counted)
        return any(
            isinstance(n, ast.comprehension) and unparse(n.iter) == written for n in walk(value)
        ) and "sum(" in unparse(value)

    def _may_be_empty(self, scope: ast.AST, counted: ast.expr, averages: bool) -> bool:
        if isinstance(counted, ast.Name):
            values = self._values(scope, counted.id)
            if not values:
                return averages and _is_parameter(scope, counted.id)
            return len(values) == 1 and (_is_filtered(values[0]) or self._is_filtered_elsewhere(values[0]))
        return isinstance(counted, ast.Call) and _is_filtered(counted)

    def _is_filtered_elsewhere(self, value: ast.expr) -> bool:
        call = value.value if isinstance(value, ast.Await) else value
        if not isinstance(call, ast.Call):
            return False
        result = self.callees.definition_of(call)
        if result is None or isinstance(result.node, ast.ClassDef):
            return False
        returns = [n.value for n in nodes_run_by(result.node.body) if isinstance(n, ast.Return)]
        return bool(returns) and all(item is not None and _is_filtered(item) for item in returns)

    def _values(self, scope: ast.AST, name: str) -> list[ast.expr]:
        """Return the values that a function assigns to a name; none for a name from outside."""
        results: list[ast.expr] = []
        for node in walk(scope):
            value = _value_for(node, name)
            if value is not None:
                results.append(value)
            elif _adds_values(node, name):
                results += [ast.Constant(1), ast.Constant(1)]
        return results

    def _is_guarded(self, scope: ast.AST, node: ast.AST, names: Sequence[str]) -> bool:
        looked_at = tested_expressions(scope)
        return bool(looked_at & set(names)) or is_caught(self.module, node, _CATCHES)


def _value_for(node: ast.AST, name: str) -> ast.expr | None:
    """Return the value that an assignment has for a name."""
    match node:
        case ast.Assign(targets=targets, value=value):
            pass
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            targets = [target]
        case _:
            return None
    return value if any(isinstance(t, ast.Name) and t.id == name for t in targets) else None


def _adds_values(node: ast.AST, name: str) -> bool:
    """Return True if a name gets further values, or those of a loop."""
    match node:
        case ast.AugAssign() | ast.For():
            return unparse(node.target) == name
        case ast.Call():
            return unparse(node.func) in (f"{name}.append", f"{name}.add")
        case _:
            return False


def _is_filtered(value: ast.expr) -> bool:
    """Return True if a value is the result of a filter, of a list or of a table."""
    value = value.value if isinstance(value, ast.Await) else value
    match value:
        case ast.Call(func=ast.Name(id="list" | "tuple" | "set" | "sorted"), args=[first, *_]):
            return _is_filtered(first)
        case ast.Call(func=ast.Name(id=name)):
            return name == "filter"
        case ast.Call(func=ast.Attribute(attr="fetchall" | "filter" | "exclude")):
            return True
        case ast.Call(func=ast.Attribute(attr="all") as query):
            return "filter" in unparse(query) or "where" in unparse(query)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
            return len(value.generators) == 1 and bool(value.generators[0].ifs)
        case _:
            return False


def _is_parameter(scope: ast.AST, name: str) -> bool:
    arguments = getattr(scope, "args", None)
    return arguments is not None and any(
        a.arg == name for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    )
