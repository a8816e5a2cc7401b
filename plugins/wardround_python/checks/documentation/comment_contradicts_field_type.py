"""PY483."""

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
    """Words about a field of a model say of its values what its type does not allow.

    ``help_text="Price in cents"`` on a decimal field with two places makes the next caller multiply by a
    hundred what is whole already. Change the words with the type.
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
        words = next((k for k in node.keywords if k.arg in _WORDS), None)
        if (
            words is None
            or not isinstance(words.value, ast.Constant)
            or not isinstance(words.value.value, str)
        ):
            return
        name = last_name(node.func)
        kind = ""
        sizes: tuple[int, ...] = ()
        if name in _DJANGO:
            kind, sizes = _DJANGO[name], _django_sizes(node)
        elif name in _COLUMNS:
            kind, sizes = _alchemy_type(node)
        found = contradiction(kind, sizes, words.value.value, is_list=False) if kind else None
        if found is not None and self.adds(node):
            start, end, why = found
            text = words.value.value[start:end]
            self.report(self.module.span(words), f'the words say "{text}", but {why}')


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
            return kind, tuple(one for one in sizes if isinstance(one, int))
    return "", ()
