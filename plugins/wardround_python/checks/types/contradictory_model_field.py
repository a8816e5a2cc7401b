"""PY079: contradictory model field."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import is_true
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_FIELDS = frozenset(
    {
        "DateField", "DateTimeField", "TimeField", "IntegerField", "PositiveIntegerField", "BigIntegerField",
        "DecimalField", "FloatField", "ForeignKey", "OneToOneField", "UUIDField", "DurationField",
        "SmallIntegerField", "PositiveSmallIntegerField", "GenericIPAddressField",
    }
)  # fmt: skip
_FILLED = frozenset({"default", "auto_now", "auto_now_add", "db_default", "primary_key", "editable"})
_NOW = frozenset(
    {
        "now", "utcnow", "today", "localtime", "localdate", "uuid4", "uuid1", "time", "token_hex",
        "token_urlsafe",
    }
)  # fmt: skip


class ContradictoryModelField(PythonCheck):
    """Settings of a Django model field contradict each other, or its use.

    ``SET_NULL`` without ``null=True`` fails when the referenced row is deleted; with ``blank=True`` and
    without ``null=True`` a form accepts a value that the database rejects; a default that is called is
    computed once, at import.
    """

    ID = "PY079"
    NAME = "contradictory-model-field"
    MATURITY = Maturity.PREVIEW
    WORDS = ("django",)
    PLANE = Plane.CONTRACT
    DEFECT_CLASS = "model-field"
    VALID = [
        code("""
            from django.db import models
            class A(models.Model):
                x = models.CharField(max_length=3, blank=True)
                y = models.DateField(null=True, blank=True)
                z = models.DateTimeField(default=now)
                u = models.ForeignKey('U', null=True, on_delete=models.SET_NULL)
                price = models.DecimalField(max_digits=9, decimal_places=2)
                k = models.IntegerField(blank=True, default=0)
                w = models.DateField(auto_now_add=True, blank=True)
        """),
        code("""
            from django.db import models
            class A(models.Model):
                at = models.DateField(default=make())
        """),
    ]
    INVALID = [
        code("""
            from django.db import models
            class A(models.Model):
                u = «models.ForeignKey('U', on_delete=models.SET_NULL)»
        """),
        code("""
            from django.db import models
            class A(models.Model):
                due = «models.DateField(blank=True)»
        """),
    ]

    def visit_Assign(self, node: ast.Assign) -> None:
        value = node.value
        if not isinstance(value, ast.Call) or not isinstance(node.targets[0], ast.Name):
            return
        if not (self.module.imported_name(value.func) or "").startswith(
            ("django.db.models", "django.contrib.gis.db")
        ):
            return
        if not isinstance(self.module.parents[node], ast.ClassDef):
            return
        arguments = {keyword.arg: keyword.value for keyword in value.keywords}
        if None in arguments:
            return
        message = self._message(
            last_name(value.func), node.targets[0].id, {k: v for k, v in arguments.items() if k}, value
        )
        if message is not None:
            self.report(self.module.span(value), message[1], severity=message[0])

    def _message(
        self, kind: str, name: str, given: dict[str, ast.expr], made: ast.Call
    ) -> tuple[Severity, str] | None:
        nullable = "null" in given and not (
            isinstance(given["null"], ast.Constant) and not given["null"].value
        )
        if "on_delete" in given and last_name(given["on_delete"]) == "SET_NULL" and not nullable:
            return Severity.ERROR, (
                "SET_NULL fails without null=True when the referenced row is deleted; add null=True"
            )
        default = given.get("default")
        if isinstance(default, ast.Call) and last_name(default.func) in _NOW:
            return (
                Severity.WARN,
                f"{unparse(default)} is computed once, at import; pass the function itself",
            )
        if sum(is_true(given[item]) for item in ("auto_now", "auto_now_add") if item in given) == 2:
            return Severity.ERROR, (
                "auto_now and auto_now_add exclude each other, and Django rejects the model; remove one"
            )
        may_be_left = "blank" in given and is_true(given["blank"]) and not nullable
        if kind in _FIELDS and may_be_left and _FILLED.isdisjoint(given):
            return Severity.WARN, (
                "blank=True without null=True: forms accept an empty value "
                "that the database rejects; add null=True"
            )
        if kind == "ForeignKey" and "unique" in given and is_true(given["unique"]):
            return Severity.INFO, "a unique ForeignKey is a one-to-one relation; use OneToOneField"
        if kind == "CharField" and "max_length" not in given and not made.args and "choices" not in given:
            return (
                None
                if self._has_lengthless
                else (Severity.INFO, "some databases reject this field without max_length; set it")
            )
        return None

    @property
    def _has_lengthless(self) -> bool:
        return "postgres" in self.source.text
