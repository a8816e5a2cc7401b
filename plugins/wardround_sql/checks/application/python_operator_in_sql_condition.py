from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.rules.cases import code
from wardround_sql.check import SqlCheck
from wardround_sql.frontends.python_code import SqlModule, parsed_module
from wardround_sql.frontends.python_scopes import callee_name

_TAKERS = frozenset({"where", "filter", "having", "and_", "or_", "on", "any", "has"})
_SQLALCHEMY = ("sqlalchemy", "sqlmodel", "flask_sqlalchemy")


class PythonOperatorInSqlCondition(SqlCheck):
    """Python operator (``is``, ``in``, ``and``, ``or``, ``not``) in a SQLAlchemy condition.

    Python evaluates these operators before SQLAlchemy sees the condition: ``User.deleted is None`` is False
    whatever the table holds, ``a and b`` evaluates to one of the two, and ``not User.active`` raises or is
    False. Write ``User.deleted.is_(None)``, ``a & b`` or two conditions, ``~User.active``,
    ``User.id.in_(ids)``.
    """

    ID = "SQ083"
    NAME = "python-operator-in-sql-condition"
    DEFECT_CLASS = "compared-with-null"
    READS = "code"
    WORDS = ("sqlalchemy", "sqlmodel")

    CASE_PATH = "app/q.py"
    VALID = [
        code("""
            from sqlalchemy import select
            from app.models import User
            q = select(User).where(User.gone.is_(None), User.id.in_(ids))
        """),
        code("""
            from sqlalchemy import select
            from app.models import User
            q = select(User).where((User.a == 1) & (User.b == 2))
        """),
    ]
    INVALID = [
        code("""
            from sqlalchemy import select
            from app.models import User
            q = select(User).where(«User.gone is None»)
        """),
        code("""
            from sqlalchemy import select
            from app.models import User
            q = s.query(User).filter(«User.a == 1 and User.b == 2»)
        """),
    ]

    def run(self) -> None:
        module = parsed_module(self.source.text) if self.source.path.endswith(".py") else None
        if module is None or not any(name.split(".")[0] in _SQLALCHEMY for name in module.imports):
            return
        for call in module.calls:
            if call.name in _TAKERS and _is_chained(call.node):
                for argument in call.node.args:
                    self._check(module, argument)

    def _check(self, module: SqlModule, argument: ast.expr) -> None:
        for part, message in _evaluated_operands(argument):
            start, end = module.place(part)
            self.report(self.script.locations.span_of(start, min(end, start + 80)), message)


def _is_chained(call: ast.Call) -> bool:
    """Return True if a call is a step of a query, not a function of the same name."""
    return isinstance(call.func, ast.Attribute) or callee_name(call) in ("and_", "or_")


def _evaluated_operands(node: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """Yield the parts of a condition that Python evaluates before SQLAlchemy receives them."""
    match node:
        case ast.BoolOp() if all(map(_is_condition, node.values)):
            word, sign = ("and", "&") if isinstance(node.op, ast.And) else ("or", "|")
            yield node, f"Python's {word!r} discards one of the two conditions; use {sign} or {word}_()"
        case ast.UnaryOp(op=ast.Not(), operand=operand) if _is_column(operand):
            yield node, "Python's 'not' does not negate a column; use ~"
        case ast.Compare(ops=[_], left=left) if _is_column(left):
            yield from _object_comparisons(node)


def _object_comparisons(node: ast.Compare) -> Iterator[tuple[ast.expr, str]]:
    if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
        yield node, "Python compares the column object here, not its values; use .is_() or .is_not()"
    elif isinstance(node.ops[0], (ast.In, ast.NotIn)):
        yield node, "Python searches the list for the column object here; use .in_() or .not_in()"


def _is_condition(node: ast.expr) -> bool:
    return isinstance(node, ast.Compare) and (
        _is_column(node.left) or any(_is_column(c) for c in node.comparators)
    )


def _is_column(node: ast.expr) -> bool:
    """Return True if an expression is a column of a model class or of a table."""
    if not isinstance(node, ast.Attribute):
        return False
    owner = node.value
    if isinstance(owner, ast.Attribute):
        return owner.attr == "c"
    return (
        isinstance(owner, ast.Name)
        and owner.id[:1].isupper()
        and not owner.id.isupper()
        and node.attr.islower()
    )
