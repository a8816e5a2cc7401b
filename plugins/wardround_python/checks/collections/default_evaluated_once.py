"""PY024: default evaluated once."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

# Functions that return another value at each call; as a default the value is fixed at import.
_VARYING_FUNCTIONS = frozenset(
    {
        "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today",
        "django.utils.timezone.now", "django.utils.timezone.localdate", "time.time", "time.monotonic",
        "uuid.uuid1", "uuid.uuid4", "secrets.token_hex", "secrets.token_urlsafe", "random.random",
        "random.randint", "pendulum.now", "arrow.now", "arrow.utcnow",
    }
)  # fmt: skip
_WORDS = tuple(sorted({f"{name.rpartition('.')[2]}(" for name in _VARYING_FUNCTIONS}))
_DEFAULTS = frozenset({"default", "server_default", "onupdate"})


class DefaultEvaluatedOnce(PythonCheck):
    """A default that should be fresh each time is evaluated once, at import.

    Defaults of parameters and of class attributes are evaluated at definition: every call and every row
    then gets the time, or the id, of the program's start. Use None and compute the value in the body, or
    pass the function itself (``default_factory=datetime.now``, ``default=uuid4``).
    """

    ID = "PY024"
    NAME = "default-evaluated-once"
    MATURITY = Maturity.PREVIEW
    WORDS = _WORDS
    DEFECT_CLASS = "mutable-default"
    VALID = [
        code("""
            from datetime import date
            def f(day=None):
                day = day or date.today()
        """),
        code("""
            import uuid
            class Row(Base):
                id = Column(default=uuid.uuid4)
        """),
    ]
    INVALID = [
        code("""
            from datetime import datetime
            def f(at=«datetime.now()»):
                return at
        """),
        code("""
            import time
            async def f(*, since: float = «time.time()» - 60): ...
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func)
        if name not in _VARYING_FUNCTIONS:
            return
        default = self._default_of(node)
        if default is not None:
            self.report(
                self.module.span(node),
                f"{name}() is evaluated once, at import, so {default} never changes; use a factory",
            )

    def _default_of(self, node: ast.Call) -> str | None:
        """Return which default a call is part of, unless a function in between evaluates it again."""
        child: ast.AST = node
        keyword = ""
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.arguments):
                function = self.module.parents[parent]
                return "the parameter's default" if isinstance(function, FunctionNode) else None
            if isinstance(parent, (ast.Lambda, ast.FunctionDef, ast.AsyncFunctionDef)):
                return None
            if isinstance(parent, ast.keyword):
                keyword = parent.arg or ""
            if isinstance(parent, ast.ClassDef):
                return "the field's default" if _is_field(child, parent, keyword) else None
            child = parent
        return None


def _is_record(node: ast.ClassDef) -> bool:
    """Return True if the annotated values of a class are defaults of its instances' fields."""
    marks = [unparse(decorator) for decorator in (*node.decorator_list, *node.bases)]
    return any(
        "dataclass" in mark or "Model" in mark or "Schema" in mark or "define" in mark for mark in marks
    )


def _is_field(statement: ast.AST, owner: ast.ClassDef, keyword: str) -> bool:
    """Return True for an annotated field of a record, or a column with a default."""
    if isinstance(statement, ast.AnnAssign) and _is_record(owner):
        return True
    return keyword in _DEFAULTS and isinstance(statement, (ast.Assign, ast.AnnAssign))
