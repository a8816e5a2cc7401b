"""PY039."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import walk
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
                f"{ast.unparse(left)} is a time {item}, {ast.unparse(right)} {other}: "
                "TypeError; give both a zone",
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
        zones = [k.value for k in call.keywords if k.arg in ("tz", "tzinfo")]
        if any(isinstance(zone, ast.Constant) and zone.value is None for zone in zones):
            zones = []
        if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
            return None
        if name in _NOW:
            place = 1 if name.endswith("fromtimestamp") else 0
            return _AWARE if zones or len(call.args) > place else _NAIVE
        if name in _ALWAYS_NAIVE:
            return _NAIVE
        if name in _ALWAYS_AWARE or (
            name == "django.utils.timezone.now" and "USE_TZ = False" not in self.source.text
        ):
            return _AWARE
        if name == "datetime.datetime.strptime" and len(call.args) == 2:
            written = self._text_of(call.args[1])
            return None if written is None or "%z" in written else _NAIVE
        if name == "datetime.datetime" and len(call.args) <= 7:
            return _AWARE if zones else _NAIVE
        if name == "datetime.datetime.combine" and len(call.args) == 2:
            return _AWARE if zones else None
        if isinstance(call.func, ast.Attribute) and call.func.attr == "replace" and zones:
            return _AWARE
        if isinstance(call.func, ast.Attribute) and call.func.attr in _KEEPS:
            return _AWARE
        if isinstance(call.func, ast.Attribute) and call.func.attr == "replace" and call.keywords:
            return self._kind(call.func.value, step + 1)
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
