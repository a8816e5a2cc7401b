from __future__ import annotations

import ast
import re

from wardround.findings import Plane
from wardround.languages.python.module import last_name, nodes_run_by
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_CHECKS = LazyPattern(
    r"_*(?:(?:validate|verify|ensure|assert|authorize|authenticate|require|enforce|forbid|clean|check)(?:_\w+)?"
    r"|full_clean|raise_for_\w+|raise_if_\w+)"
)
_WEAK = LazyPattern(r"_*(?:check|clean|ensure|require|verify)(?:_(?P<what>\w+))?")
"""Words that also mean inspecting an object, or creating it if it is missing."""
_CRITICAL = LazyPattern(
    r"(?i)perm|access|auth|owner|user|role|admin|token|signature|password|csrf|url|path|host|origin|redirect|safe"
    r"|valid|limit|quota|size|input|schema|checksum|hash|cert|email|amount|balance|name|type|data"
)
_LOGGERS = LazyPattern(
    r"(?:.*\.)?(?:_?log(?:ger|ging)?|LOG(?:GER)?|warnings|statsd|metrics|stdout|stderr)", re.DOTALL
)
_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break, ast.Yield, ast.YieldFrom, ast.Await)
_SETS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Delete)


class ValidationOnlyLogged(PythonCheck):
    """A failed validation is logged, and the function continues as if it had passed.

    The validator rejects by raising. If the error is caught and nothing else is done, the validation has
    no effect: the rejected value is used anyway. Raise, return, or leave the error to the caller.
    """

    ID = "PY442"
    NAME = "validation-only-logged"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "swallowed-exception"
    WORDS = ("except",)
    VALID = [
        code("""
            def take(url):
                try:
                    validate_url(url)
                except ValueError as e:
                    raise Refused from e
                return load(url)
        """),
        code("""
            def take(url):
                try:
                    validate_url(url)
                except ValueError:
                    url = None
                return url
        """),
    ]
    INVALID = [
        code("""
            def take(url):
                try:
                    validate_url(url)
                «except» ValueError as e:
                    logger.warning('%s', e)
                return load(url)
        """),
        code("""
            class View:
                def put(self, form):
                    try:
                        self.check_permission(form.owner)
                    «except» Forbidden:
                        pass
                    form.save()
        """),
    ]

    def visit_Try(self, node: ast.Try) -> None:
        call = _check_in(node)
        if call is None or node.orelse or not self._uses_value_later(node, call):
            return
        for handler in node.handlers:
            if only_logs(handler):
                self.report(
                    self.module.keyword_span(handler, len("except")),
                    f"values rejected by {unparse(call.func)}() are used anyway; raise or return here",
                )

    def _uses_value_later(self, node: ast.Try, call: ast.Call) -> bool:
        """Return True if the checked value is used later in the block or the enclosing function."""
        checked = {
            inner.id
            for inner in nodes_run_by([*call.args, *call.keywords, call.func])
            if isinstance(inner, ast.Name)
        }
        parent = self.module.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                after = block[block.index(node) + 1 :]
                used = {child.id for child in nodes_run_by(after) if isinstance(child, ast.Name)}
                return bool(checked - {"self", "cls"} & used) if checked - {"self", "cls"} else bool(after)
        return False


def _check_in(node: ast.Try) -> ast.Call | None:
    """Return the only call of a ``try`` if its result is unused and it rejects by raising."""
    if len(node.body) != 1 or not isinstance(node.body[0], ast.Expr):
        return None
    value = node.body[0].value
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call) or not _CHECKS.fullmatch(name := last_name(call.func)):
        return None
    weak = _WEAK.fullmatch(name)
    return call if weak is None or _CRITICAL.search(weak["what"] or "") else None


def only_logs(handler: ast.ExceptHandler) -> bool:
    """Return True if a handler logs at most: it leaves nothing, sets nothing and calls nothing else."""
    for node in nodes_run_by(handler.body):
        if isinstance(node, (*_LEAVES, *_SETS)):
            return False
        if isinstance(node, ast.Call):
            func = node.func
            owner = unparse(func.value) if isinstance(func, ast.Attribute) else ""
            is_text = last_name(func) in ("str", "repr", "format", "print", "warn", "_", "type", "join")
            if not is_text and not _LOGGERS.fullmatch(owner):
                return False
    return True
