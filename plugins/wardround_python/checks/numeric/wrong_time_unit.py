from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Severity
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround.semantics.docdrift.units import is_implausible, plain_unit, unit_named, unit_of
from wardround_python.check import PythonCheck
from wardround_python.libraries.time_units import is_clock, seconds_operands, timed_arguments

_TIMES = frozenset({"ms", "s", "min", "h", "day", "us"})
_UNIT_WORD = LazyPattern(r"(?i)_(?:ms|millis\w*|sec(?:ond)?s?|minutes?|mins|hours?|days?|micros\w*|s)\b")


class WrongTimeUnit(PythonCheck):
    """A value in one unit of time is passed to a parameter in another unit.

    ``requests.get(url, timeout=WAIT_MS)`` waits a thousand times as long as the name promises; or the name is
    wrong and misleads the next change of the number. Convert the value, or name it after its unit.
    """

    ID = "PY480"
    NAME = "wrong-time-unit"
    WORDS = (
        "sleep", "timeout", "timedelta", "time()", "monotonic()", "perf_counter()", "expire", "setex",
        "countdown", "max_age", "call_later", "Timer(", "wait_for", "alarm(",
        "relativedelta", " ex=", " px=", "(ex=",
    )  # fmt: skip
    SEVERITY = Severity.WARN
    DEFECT_CLASS = "misleading-name"
    VALID = [
        code("""
            import time
            time.sleep(wait_ms / 1000)
        """),
        code("""
            import time
            time.sleep(settings.wait_seconds)
        """),
    ]
    INVALID = [
        code("""
            import time
            «PAUSE_MS» = 5
            time.sleep(PAUSE_MS)
        """),
        code("""
            import time
            PAUSE_MS = 5000
            time.sleep(«PAUSE_MS»)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and _UNIT_WORD.search(source.text) is not None

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or self._called_name(node.func)
        if name:
            for argument, unit, reported in timed_arguments(node, name, self.module.packages):
                self._judge(argument, unit, reported)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self._compare(node)

    def visit_Compare(self, node: ast.Compare) -> None:
        self._compare(node)

    def _compare(self, node: ast.BinOp | ast.Compare) -> None:
        for argument in seconds_operands(node, self._clocks) if self._clocks else ():
            self._judge(argument, "s", "a difference of clock times in seconds")

    def _judge(self, argument: ast.expr, unit: str, told: str) -> None:
        if self._check_conversion(argument, unit, told):
            return
        for name in self._names(argument):
            written = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
            value = plain_unit(written)
            if value in _TIMES and value != unit and self.adds(argument):
                says = (
                    f'"{written}" is in {unit_named(value)} by its name, and {told} is in {unit_named(unit)}'
                )
                self.report(self.module.span(self._misnamed_constant(written, value) or argument), says)
                return

    def _misnamed_constant(self, name: str, unit: str) -> ast.expr | None:
        """Return the constant of a name whose number is in the accepted unit, in spite of its name."""
        for statement in self.module.tree.body:
            targets = statement.targets if isinstance(statement, ast.Assign) else []
            value = statement.value if isinstance(statement, ast.Assign) else None
            if [getattr(target, "id", "") for target in targets] == [name] and isinstance(
                value, ast.Constant
            ):
                number = value.value
                is_wrong = isinstance(number, (int, float)) and is_implausible(number, unit)
                return targets[0] if is_wrong else None
        return None

    def _check_conversion(self, argument: ast.expr, unit: str, told: str) -> bool:
        """Report a name that is converted to the unit its name already has: ``sleep(WAIT_S / 1000)``."""
        match argument:
            case ast.BinOp(op=ast.Div() | ast.FloorDiv(), left=item, right=divisor):
                written = item.attr if isinstance(item, ast.Attribute) else getattr(item, "id", "")
            case _:
                return False
        is_thousand = isinstance(divisor, ast.Constant) and divisor.value in (1000, 1_000_000)
        if is_thousand and unit == "s" and plain_unit(written) == "s" and self.adds(argument):
            says = f'"{written}" is in seconds by its name, and is divided by {unparse(divisor)} for {told}'
            self.report(self.module.span(self._constant_or(written, argument)), says)
        return True

    def _constant_or(self, name: str, node: ast.expr) -> ast.expr:
        """Return the constant that is assigned to a name, or else another node."""
        match self.module.assigned.get(name, []):
            case [ast.Constant() as constant]:
                return constant
            case _:
                return node

    def _names(self, argument: ast.expr) -> Iterator[ast.expr]:
        """Return the names of an argument: itself, the branches of a conditional, or its last value."""
        for value in argument.values if isinstance(argument, ast.BoolOp) else [argument]:
            values = self.module.assigned.get(value.id, []) if isinstance(value, ast.Name) else []
            if isinstance(value, ast.Name) and unit_of(value.id) is None and len(values) == 1:
                yield values[0]
            yield value

    def _called_name(self, func: ast.expr) -> str:
        """Return the called name without its import: its last part, with a leading dot for a method."""
        if isinstance(func, ast.Attribute):
            return f".{func.attr}"
        return func.id if isinstance(func, ast.Name) else ""

    @cached_property
    def _clocks(self) -> frozenset[str]:
        calls = (n for n in self.module.nodes if isinstance(n, ast.Call) and not n.args)
        return frozenset(unparse(n) for n in calls if is_clock(self.module.imported_name(n.func)))
