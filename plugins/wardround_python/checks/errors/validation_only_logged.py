"""PY442."""

from __future__ import annotations

import ast
import re

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.module import last_name, nodes_run_by
from wardround_python.check import PythonCheck

_CHECKS = LazyPattern(
    r"_*(?:(?:validate|verify|ensure|assert|authorize|authenticate|require|enforce|forbid|clean|check)(?:_\w+)?"
    r"|full_clean|raise_for_\w+|raise_if_\w+)"
)
_WEAK = LazyPattern(r"_*(?:check|clean|ensure|require|verify)(?:_(?P<what>\w+))?")
"""Words that also mean to look into something, or to make sure that it is there."""
_GRAVE = LazyPattern(
    r"(?i)perm|access|auth|owner|user|role|admin|token|signature|password|csrf|url|path|host|origin|redirect|safe"
    r"|valid|limit|quota|size|input|schema|checksum|hash|cert|email|amount|balance|name|type|data"
)
_TELLS = LazyPattern(
    r"(?:.*\.)?(?:_?log(?:ger|ging)?|LOG(?:GER)?|warnings|statsd|metrics|stdout|stderr)", re.DOTALL
)
_LEAVES = (ast.Raise, ast.Return, ast.Continue, ast.Break, ast.Yield, ast.YieldFrom, ast.Await)
_SETS = (ast.Assign, ast.AugAssign, ast.AnnAssign, ast.NamedExpr, ast.Delete)


class ValidationOnlyLogged(PythonCheck):
    """A check refuses something, its error is logged, and the function goes on as if it had passed.

    Such a call says no by raising. With the error caught and nothing done about it, the check has no effect:
    what it refuses is used all the same. Raise, return, or leave the error to the caller.
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
        if call is None or node.orelse or not self._goes_on(node, call):
            return
        for handler in node.handlers:
            if only_tells(handler):
                self.report(
                    self.module.keyword_span(handler, len("except")),
                    f"what {ast.unparse(call.func)}() refuses is logged at most, and used all the same",
                )

    def _goes_on(self, node: ast.Try, call: ast.Call) -> bool:
        """Whether what was checked is used after it, in the same block or the function around it."""
        checked = {
            one.id
            for one in nodes_run_by([*call.args, *call.keywords, call.func])
            if isinstance(one, ast.Name)
        }
        parent = self.module.parents[node]
        for name in ("body", "orelse", "finalbody"):
            block = getattr(parent, name, None)
            if isinstance(block, list) and node in block:
                after = block[block.index(node) + 1 :]
                used = {one.id for one in nodes_run_by(after) if isinstance(one, ast.Name)}
                return bool(checked - {"self", "cls"} & used) if checked - {"self", "cls"} else bool(after)
        return False


def _check_in(node: ast.Try) -> ast.Call | None:
    """The call that is all a ``try`` does, if nobody takes its answer and it refuses by raising."""
    if len(node.body) != 1 or not isinstance(node.body[0], ast.Expr):
        return None
    value = node.body[0].value
    call = value.value if isinstance(value, ast.Await) else value
    if not isinstance(call, ast.Call) or not _CHECKS.fullmatch(name := last_name(call.func)):
        return None
    weak = _WEAK.fullmatch(name)
    return call if weak is None or _GRAVE.search(weak["what"] or "") else None


def only_tells(handler: ast.ExceptHandler) -> bool:
    """Whether a handler logs at most: it leaves nothing, sets nothing and calls nothing else."""
    for node in nodes_run_by(handler.body):
        if isinstance(node, (*_LEAVES, *_SETS)):
            return False
        if isinstance(node, ast.Call):
            func = node.func
            owner = ast.unparse(func.value) if isinstance(func, ast.Attribute) else ""
            is_text = last_name(func) in ("str", "repr", "format", "print", "warn", "_", "type", "join")
            if not is_text and not _TELLS.fullmatch(owner):
                return False
    return True
