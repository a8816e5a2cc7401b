"""PY039: naive aware datetime mix."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.analysis.null_guards import is_caught
from wardround_python.check import PythonCheck

_AWARE, _NAIVE = "with a zone", "without one"
_MOST_STEPS = 5
_NOW = frozenset({"datetime.datetime.now", "datetime.datetime.fromtimestamp"})
_ALWAYS_NAIVE = frozenset(
    {"datetime.datetime.utcnow", "datetime.datetime.utcfromtimestamp", "datetime.datetime.today"}
)
_ALWAYS_AWARE = frozenset({"django.utils.timezone.localtime", "pendulum.now"})
_KEEPS = frozenset({"astimezone"})
_CONSTRUCTORS = frozenset({"datetime.datetime", "datetime.datetime.strptime", "datetime.datetime.combine"})
_MOST_NAIVE_ARGUMENTS = 7
"""Positional arguments of ``datetime`` before the zone."""


class NaiveAwareDatetimeMix(PythonCheck):
    """A timezone-aware datetime is compared with a naive one, or subtracted from it.

    Python raises TypeError each time the line runs. Make both aware: parse with ``%z`` or add a zone with
    ``.replace(tzinfo=...)``, and use ``datetime.now(timezone.utc)`` instead of ``utcnow()``.
    """

    ID = "PY039"
    NAME = "naive-aware-datetime-mix"
    MATURITY = Maturity.PREVIEW
    WORDS = ("datetime",)
    DEFECT_CLASS = "naive-datetime"
    VALID = [
        code("""
            from datetime import datetime, timezone
            def f(row):
                return datetime.now(timezone.utc) > datetime.fromisoformat(row['at'])
        """),
        code("""
            from datetime import datetime
            def f(text):
                return datetime.now() > datetime.strptime(text, '%Y')
        """),
    ]
    INVALID = [
        code("""
            from datetime import datetime, timezone
            def f(text):
                at = datetime.strptime(text, '%Y')
                return «datetime.now(timezone.utc) > at»
        """),
        code("""
            from datetime import datetime
            from django.utils import timezone
            def age(user):
                since = datetime(2020, 1, 1)
                return «timezone.now() - since»
        """),
    ]

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) == 1 and isinstance(node.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE)):
            self._check(node, node.left, node.comparators[0])

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.Sub):
            self._check(node, node.left, node.right)

    def _check(self, node: ast.expr, left: ast.expr, right: ast.expr) -> None:
        item = self._kind(left, 0)
        other = self._kind(right, 0) if item is not None else None
        if (
            item is not None
            and other is not None
            and item != other
            and not is_caught(self.module, node, ("TypeError",))
        ):
            self.report(
                self.module.span(node),
                f"{unparse(left)} is a time {item}, {unparse(right)} {other}: TypeError; give both a zone",
            )

    def _kind(self, value: ast.expr, step: int) -> str | None:
        """Return the zone state of a datetime; None if it is unknown, or the value is not a datetime."""
        if step > _MOST_STEPS:
            return None
        if isinstance(value, ast.BinOp) and isinstance(value.op, (ast.Add, ast.Sub)):
            return self._kind(value.left, step + 1) if self._is_duration(value.right) else None
        if isinstance(value, ast.Call):
            return self._kind_of_call(value, step)
        if isinstance(value, (ast.Name, ast.Attribute)):
            name = value.id if isinstance(value, ast.Name) else f".{value.attr}"
            return self._kind_of_name(name, value, step)
        return None

    def _is_duration(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Call):
            return (self.module.imported_name(value.func) or "").endswith(("timedelta", "relativedelta"))
        if isinstance(value, (ast.Name, ast.Attribute)):
            name = value.id if isinstance(value, ast.Name) else f".{value.attr}"
            assigned = self._assigned_values.get(name, [])
            return len(assigned) == 1 and isinstance(assigned[0], ast.Call) and self._is_duration(assigned[0])
        return False

    def _kind_of_call(self, call: ast.Call, step: int) -> str | None:
        name = self.module.imported_name(call.func)
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return None
        has_zone = _has_zone(call)
        if name in _NOW:
            position = 1 if name.endswith("fromtimestamp") else 0
            return _AWARE if has_zone or len(call.args) > position else _NAIVE
        if name in _ALWAYS_NAIVE:
            return _NAIVE
        if self._is_always_aware(name):
            return _AWARE
        if name in _CONSTRUCTORS:
            return self._kind_of_constructor(call, name, has_zone)
        return self._kind_of_method(call, call.func, has_zone, step)

    def _is_always_aware(self, name: str | None) -> bool:
        is_django = name == "django.utils.timezone.now" and "USE_TZ = False" not in self.source.text
        return is_django or name in _ALWAYS_AWARE

    def _kind_of_constructor(self, call: ast.Call, name: str, has_zone: bool) -> str | None:
        if name == "datetime.datetime":
            if len(call.args) > _MOST_NAIVE_ARGUMENTS:
                return None
            return _AWARE if has_zone else _NAIVE
        if len(call.args) != 2:
            return None
        if name == "datetime.datetime.combine":
            return _AWARE if has_zone else None
        time_format = self._text_of(call.args[1])
        return None if time_format is None or "%z" in time_format else _NAIVE

    def _kind_of_method(self, call: ast.Call, func: ast.expr, has_zone: bool, step: int) -> str | None:
        if not isinstance(func, ast.Attribute):
            return None
        if func.attr in _KEEPS or (func.attr == "replace" and has_zone):
            return _AWARE
        if func.attr == "replace" and call.keywords:
            return self._kind(func.value, step + 1)
        return None

    def _text_of(self, value: ast.expr) -> str | None:
        if isinstance(value, ast.Name):
            assigned = self._assigned_values.get(value.id, [])
            value = assigned[0] if len(assigned) == 1 else value
        return value.value if isinstance(value, ast.Constant) and isinstance(value.value, str) else None

    def _kind_of_name(self, name: str, value: ast.expr, step: int) -> str | None:
        assigned = self._assigned_values.get(name, [])
        if isinstance(value, ast.Name):
            scope = self.module.function_of(value)
            mine = [item for item in assigned if self.module.function_of(item) is scope]
            assigned = mine or [element for element in assigned if self.module.function_of(element) is None]
            if scope is not None and any(isinstance(n, ast.arg) and n.arg == value.id for n in walk(scope)):
                return None
        kinds = {
            self._kind(operand, step + 1)
            for operand in assigned
            if not (isinstance(operand, ast.Constant) and operand.value is None)
        }
        return next(iter(kinds)) if len(kinds) == 1 else None

    @cached_property
    def _assigned_values(self) -> dict[str, list[ast.expr]]:
        """Map a name or attribute to the values the module assigns, as keyword arguments too."""
        result: dict[str, list[ast.expr]] = {}
        for node in self.module.nodes:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    if isinstance(target, ast.Name):
                        result.setdefault(target.id, []).append(node.value)
                    elif isinstance(target, ast.Attribute):
                        result.setdefault(f".{target.attr}", []).append(node.value)
            elif isinstance(node, ast.keyword) and node.arg:
                call = self.module.parents[node]
                if (isinstance(call, ast.Call) and last_name(call.func)[:1].isupper()) or last_name(
                    getattr(call, "func", None)
                ) == "cls":
                    result.setdefault(f".{node.arg}", []).append(node.value)
            elif isinstance(node, ast.NamedExpr) and isinstance(node.target, ast.Name):
                result.setdefault(node.target.id, []).append(node.value)
            elif isinstance(node, (ast.For, ast.comprehension)) and isinstance(node.target, ast.Name):
                result.setdefault(node.target.id, []).append(ast.Constant(0))
        return result


def _has_zone(call: ast.Call) -> bool:
    """Return True if a call has a zone argument, unless one is None."""
    zones = [k.value for k in call.keywords if k.arg in ("tz", "tzinfo")]
    is_none = any(isinstance(zone, ast.Constant) and zone.value is None for zone in zones)
    return bool(zones) and not is_none
