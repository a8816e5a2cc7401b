from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.rules.cases import code
from wardround_python.analysis.type_inference import ValueKinds
from wardround_python.analysis.value_types import BYTES, TEXT
from wardround_python.check import PythonCheck

_BY_TEXT = frozenset(
    """
    startswith endswith split rsplit partition rpartition strip lstrip rstrip replace find count index
    """.split()  # noqa: SIM905
)


class IncomparableTypes(PythonCheck):
    """Values of types that are never equal are compared.

    Bytes never equal a string, a string never a number, a list never a tuple: the comparison is False for all
    values, and the branch behind it never runs. Redis, a socket, a child process and the body of a request
    return bytes unless text is requested. Decode or convert one of the operands first.
    """

    ID = "PY401"
    NAME = "incomparable-types"
    PREFILTER = "wardround_python.prefilters:has_certain_comparison"
    DEFECT_CLASS = "useless-comparison"
    VALID = [
        code("""
            import redis
            db = redis.Redis(decode_responses=True)
            def f(key):
                return db.get(key) == 'on'
        """),
        code("""
            import redis
            db = redis.Redis()
            def f(key):
                return db.get(key) == b'on'
        """),
    ]
    INVALID = [
        code("""
            import redis

            def _db():
                return redis.Redis.from_url('redis://db')

            def is_on(name):
                found = _db().get(name)
                return «found == 'on'»
        """),
        code("""
            import redis.asyncio as redis
            DONE = 'done'
            class Jobs:
                def __init__(self, url):
                    self._db = redis.from_url(url)

                async def is_done(self, job):
                    return «await self._db.hget(job, 'state') == DONE»
        """),
    ]

    @property
    def _kinds(self) -> ValueKinds:
        return ValueKinds.of_module(self.module, self.callees)

    def visit_Compare(self, node: ast.Compare) -> None:
        if len(node.ops) != 1:
            return
        operator, left, right = node.ops[0], node.left, node.comparators[0]
        if isinstance(operator, (ast.Eq, ast.NotEq)):
            text = self._incomparable_pair(left, [right])
        elif isinstance(operator, (ast.In, ast.NotIn)):
            if isinstance(right, (ast.Tuple, ast.List, ast.Set)):
                text = self._incomparable_pair(left, right.elts)
            else:
                self._check_membership(left, right, node)
                return
        else:
            return
        if text:
            always = "true" if isinstance(operator, (ast.NotEq, ast.NotIn)) else "false"
            self.report(
                self.module.span(node),
                (f"{text[0]} is compared with {text[1]}, which is always {always}; convert one of them"),
            )

    def visit_Call(self, node: ast.Call) -> None:
        func = node.func
        if not isinstance(func, ast.Attribute) or func.attr not in _BY_TEXT or not node.args:
            return
        if self._kinds.of(node.args[0]) == TEXT and self._kinds.of(func.value) == BYTES:
            self.report(
                self.module.span(node),
                f"{func.attr}() of bytes with a text argument raises TypeError; decode the bytes first",
            )

    def visit_Subscript(self, node: ast.Subscript) -> None:
        key = node.slice
        if (
            isinstance(key, ast.Constant)
            and isinstance(key.value, str)
            and self._kinds.contains_bytes(node.value)
        ):
            self.report(
                self.module.span(node),
                "the keys are bytes and this is text, so it is never found; use a bytes key",
            )

    def _check_membership(self, left: ast.expr, right: ast.expr, node: ast.Compare) -> None:
        if self._kinds.of(left) != TEXT:
            return
        if self._kinds.of(right) == BYTES:
            self.report(self.module.span(node), "text in bytes raises TypeError; decode the bytes first")
        elif self._kinds.contains_bytes(right):
            self.report(
                self.module.span(node),
                "the elements are bytes and this is text, so it is never found; use bytes",
            )

    def _incomparable_pair(self, left: ast.expr, others: Sequence[ast.expr]) -> tuple[str, ...]:
        """Return the two types if values of one never equal values of the other."""
        if all(isinstance(operand, ast.Constant) for operand in (left, *others)):
            return ()
        first = self._kinds.of(left)
        seconds = {self._kinds.of(other) for other in others} if first else set()
        if len(seconds) != 1:
            return ()
        second = seconds.pop()
        if second in ("", first) or {first, second} <= {"a set", "a view"}:
            return ()
        return first, second
