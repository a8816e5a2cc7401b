"""PY024."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.languages.python.module import FunctionNode
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

# Each call gives another value: a default made of one is the same for as long as the program runs.
_EVERY_TIME_NEW = frozenset(
    {
        "datetime.datetime.now", "datetime.datetime.utcnow", "datetime.datetime.today", "datetime.date.today",
        "django.utils.timezone.now", "django.utils.timezone.localdate", "time.time", "time.monotonic",
        "uuid.uuid1", "uuid.uuid4", "secrets.token_hex", "secrets.token_urlsafe", "random.random",
        "random.randint", "pendulum.now", "arrow.now", "arrow.utcnow",
    }
)  # fmt: skip
_WORDS = tuple(sorted({f"{name.rpartition('.')[2]}(" for name in _EVERY_TIME_NEW}))
_DEFAULTS = frozenset({"default", "server_default", "onupdate"})


class DefaultEvaluatedOnce(PythonCheck):
    """A default that should be new each time is made once, when the module is imported.

    Defaults of parameters and of class attributes are worked out at definition: every call and every row then
    gets the time, or the id, of the program's start. Use None and make it in the body, or pass the function
    itself (``default_factory=datetime.now``, ``default=uuid4``).
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
        if name not in _EVERY_TIME_NEW:
            return
        where = self._default_of(node)
        if where is not None:
            self.report(
                self.module.span(node), f"{name}() is called once, at import: {where} never changes after"
            )

    def _default_of(self, node: ast.Call) -> str | None:
        """Which default a call is part of, with no function in between to make it anew."""
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
                is_field = isinstance(child, ast.AnnAssign) and _is_record(parent)
                of_column = keyword in _DEFAULTS and isinstance(child, (ast.Assign, ast.AnnAssign))
                return "the field's default" if is_field or of_column else None
            child = parent
        return None


def _is_record(node: ast.ClassDef) -> bool:
    """Whether the annotated values of a class are defaults of its instances' fields."""
    marks = [ast.unparse(one) for one in (*node.decorator_list, *node.bases)]
    return any(
        "dataclass" in mark or "Model" in mark or "Schema" in mark or "define" in mark for mark in marks
    )
