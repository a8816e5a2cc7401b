"""The effects of exception handlers: how much of an error they preserve, and which information is lost."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from wardround.languages.python.literals import is_true
from wardround.languages.python.module import nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern

BROAD = frozenset({"Exception", "BaseException"})
# Calls with outside effects, whose failure loses more than a result.
_DEED = LazyPattern(
    r"_*(save|store|insert|update|delete|send|publish|commit|write|create|post|put|push|notify|charge|pay|refund"
    r"|upload|deliver|enqueue|record|add|append|persist|submit|emit|dispatch|execute|apply|import_|sync)(_\w+)?"
)
_SENDS = LazyPattern(r"post|put|patch|delete|send(_\w+)?|publish")
_CHECKS_ANSWER = LazyPattern(r"raise_for_status")
_TOOL_COMMENT = LazyPattern(r"#\s*(pragma|type|pylint|nosec|noqa|pyright|mypy|ruff)\b[^#]*", re.IGNORECASE)
_WAIVER = LazyPattern(
    r"#\s*(noqa\b[^#]*\b(S110|S112|BLE001)\b|nosec\b|pylint:\s*disable=[^#]*(broad|W0703|W0718))"
)

Guarded = ast.Try | ast.With | ast.AsyncWith


def has_explaining_comment(lines: Sequence[str]) -> bool:
    return any("#" in _TOOL_COMMENT.sub("", line) or _WAIVER.search(line) for line in lines)


def has_outside_effects(node: Guarded) -> bool:
    """Return True if the body also has outside effects, for whose failure "no" is not a result."""
    return calls_for_effect(node.body, _DEED)


def sends_and_tests(statements: Sequence[ast.stmt]) -> bool:
    """Return True if statements send something to a service and then only test whether it was accepted."""
    retained = [s for s in statements if isinstance(s, ast.Assign)]
    sent = [s.value.value if isinstance(s.value, ast.Await) else s.value for s in retained]
    checks = calls_for_effect(statements, _CHECKS_ANSWER) and len(statements) == len(retained) + 1
    return checks and any(
        isinstance(c, ast.Call) and _SENDS.fullmatch(getattr(c.func, "attr", "")) for c in sent
    )


def is_broad(handler: ast.ExceptHandler) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(kind is None or (isinstance(kind, ast.Name) and kind.id in BROAD) for kind in kinds)


def catches_any(handler: ast.ExceptHandler, names: LazyPattern) -> bool:
    """Return True if the exceptions that a handler catches include one of the names."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = [kind.attr if isinstance(kind, ast.Attribute) else getattr(kind, "id", "") for kind in kinds]
    return any(names.fullmatch(name) for name in caught)


def calls_for_effect(statements: Sequence[ast.stmt], deeds: LazyPattern) -> bool:
    """Return True if statements call a function of such a name for its effect, not for its result."""
    calls = [s.value for s in nodes_run_by(statements) if isinstance(s, ast.Expr)]
    called = [call.value if isinstance(call, ast.Await) else call for call in calls]
    return any(
        isinstance(c, ast.Call) and deeds.fullmatch(getattr(c.func, "attr", getattr(c.func, "id", "")))
        for c in called
    )


def is_nothing(statement: ast.stmt) -> bool:
    """Return True for a statement that does nothing with an error, or replaces a result by an empty one."""
    match statement:
        case ast.Pass() | ast.Continue() | ast.Break():
            return True
        case ast.Expr(value=ast.Constant(value=value)):
            return value is ...
        case ast.Assign(targets=[ast.Name(), *_], value=value):
            return is_empty(value) and not _is_false(value)
        case ast.Return(value=value):
            return is_empty(value) or is_zero(value) or is_true(value)
        case _:
            return False


def _is_false(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value is False


def is_unseen(statement: ast.stmt) -> bool:
    """Return True if a statement logs at a level that is shown only while debugging."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    func = call.func if isinstance(call, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr == "debug" and "log" in unparse(func.value).lower()


def is_zero(value: ast.expr | None) -> bool:
    """Return True if a value is zero, as a number or converted to one: ``Decimal("0")``."""
    if isinstance(value, ast.Call) and len(value.args) == 1:
        value = value.args[0]
    return isinstance(value, ast.Constant) and str(value.value) in ("0", "0.0", "0.00")


def is_empty(value: ast.expr | None) -> bool:
    if value is None:
        return True
    if isinstance(value, ast.Constant):
        return value.value is None or value.value is False or value.value == ""
    if isinstance(value, (ast.List, ast.Tuple)):
        return not value.elts
    return isinstance(value, ast.Dict) and not value.keys
