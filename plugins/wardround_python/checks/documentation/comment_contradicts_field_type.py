"""PY483: comment contradicts field type."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Plane, Severity
from wardround.languages.python.module import last_name
from wardround.rules.maturity import Maturity
from wardround.semantics.docdrift.column_comments import contradiction
from wardround_python.check import PythonCheck

_COLUMNS = frozenset({"Column", "mapped_column", "add_column"})
_DJANGO = {
    "DecimalField": "numeric",
    "FloatField": "float",
    "DateTimeField": "timestamp",
    "DateField": "date",
    "BooleanField": "boolean",
    "JSONField": "json",
    "CharField": "varchar",
    "DurationField": "interval",
}
_ALCHEMY = {
    "Numeric": "numeric", "DECIMAL": "numeric", "NUMERIC": "numeric", "Float": "float",
    "DateTime": "timestamp",
    "TIMESTAMP": "timestamp", "Date": "date", "Boolean": "boolean", "JSON": "json", "JSONB": "json",
    "ARRAY": "json",
    "String": "varchar", "Interval": "interval",
}  # fmt: skip
_WORDS = ("comment", "doc", "help_text")


class CommentContradictsFieldType(PythonCheck):
    """The description of a model field contradicts the field's type.

    With ``help_text="Price in cents"`` on a decimal field with two places, the next caller multiplies a
    value by a hundred that is already in full units. Update the description together with the type.
    """

    ID = "PY483"
    NAME = "comment-contradicts-field-type"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "stale-comment"
    WORDS = ("comment=", "doc=", "help_text=")
    VALID = [
        code("""
            fee = Column(Integer, comment='Fee in cents')
        """),
        code("""
            fee = Column(Numeric(12, 0), comment='Fee in cents')
        """),
    ]
    INVALID = [
        code("""
            fee = Column(Numeric(12, 2), «comment='Fee in cents'»)
        """),
        code("""
            fee = models.DecimalField(max_digits=9, decimal_places=2, «help_text='Fee in cents.'»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        description = next((k for k in node.keywords if k.arg in _WORDS), None)
        text = (
            description.value.value if description and isinstance(description.value, ast.Constant) else None
        )
        if description is None or not isinstance(text, str):
            return
        kind, sizes = _field_type(node)
        found = contradiction(kind, sizes, text, is_list=False) if kind else None
        if found is not None and self.adds(node):
            start, end, reason = found
            self.report(
                self.module.span(description), f'the description has "{text[start:end]}", but {reason}'
            )


def _django_sizes(node: ast.Call) -> tuple[int, ...]:
    given = {k.arg: k.value.value for k in node.keywords if isinstance(k.value, ast.Constant)}
    names = ("max_digits", "decimal_places") if "decimal_places" in given else ("max_length",)
    return tuple(int(str(given[name])) for name in names if str(given.get(name)).isdigit())


def _alchemy_type(node: ast.Call) -> tuple[str, tuple[int, ...]]:
    for argument in node.args:
        call = argument if isinstance(argument, ast.Call) else None
        kind = _ALCHEMY.get(last_name(call.func if call else argument), "")
        if kind:
            sizes = [a.value for a in (call.args if call else ()) if isinstance(a, ast.Constant)]
            return kind, tuple(size for size in sizes if isinstance(size, int))
    return "", ()


def _field_type(node: ast.Call) -> tuple[str, tuple[int, ...]]:
    """Return the SQL type of a field or column and its sizes; an empty type if it is unknown."""
    name = last_name(node.func)
    if name in _DJANGO:
        return _DJANGO[name], _django_sizes(node)
    return _alchemy_type(node) if name in _COLUMNS else ("", ())
