"""PY023: guard by assert."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.python.module import FunctionNode
from wardround.languages.python.tree import unparse, walk
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

# Identity and authorization.
_AUTHORIZATION = LazyPattern(
    r"is_(staff|admin\w*|superuser|authori[sz]ed|owner|owned_by|allowed|permitted|moderator|verified)"
    r"|has_(perm\w*|role\w*|access\w*|scope\w*|right\w*)|can_\w+|may_\w+|owner(_id)?|permissions?|roles?|scopes"
    r"|compare_digest|check_password\w*|verify_(password|token|signature|hmac)\w*|csrf\w*|signature|is_valid_token"
    r"|authenticate\w*|authori[sz]e\w*|current_user|request_user|check_perm\w*",
)
# Methods with a side effect, which is lost with the assert.
_EFFECT = LazyPattern(
    r"(pop|popitem|remove|discard|add|append|delete|save|write|commit|acquire|send|post|put|push|execute"
    r"|insert|update|create|close|unlink|rename|register|start|run|next|setdefault)(_\w+)?"
)


_SECRET = LazyPattern(r"(?i)(^|_)(token|secret|password|api_?key|signature|digest|hmac|mac|otp|pin)$")
_PLACE = LazyPattern(
    r"(?i)\.is_relative_to\(|commonpath\(|'\.\.' not in|"
    r"\b\w*(path|file|dir|target)\w*\.startswith\((?!['\"][/.]?['\"])"
)


class GuardByAssert(PythonCheck):
    """An ``assert`` checks authorization or has a side effect.

    ``python -O`` removes asserts: everyone is then authorized, and the side effect does not happen. Check
    with ``if`` and raise; run the side effect before and assert its result.
    """

    ID = "PY023"
    NAME = "guard-by-assert"
    MATURITY = Maturity.PREVIEW
    WORDS = ("assert ",)
    SEVERITY = Severity.INFO
    PLANE = Plane.SECURITY
    VALID = [
        code("""
            def f(user):
                if not user.is_admin:
                    raise PermissionError
        """),
        code("""
            def f(n):
                assert n > 0
        """),
    ]
    INVALID = [
        code("""
            def drop(user, page):
                «assert user.is_admin»
                page.delete()
        """),
        code("""
            def drop(user, page):
                «assert page.owner_id == user.id, 'not yours'»
        """),
    ]

    def _protection(self, node: ast.Assert) -> str | None:
        """Describe the protection of an assert: a secret, a path, a value of the request."""
        parts = list(walk(node.test))
        if any(map(_is_comparison_of_secrets, parts)):
            return "the secret is not compared under python -O; use if and raise"
        text = unparse(node.test)
        if _PLACE.search(text):
            return "the path is not validated under python -O; use if and raise"
        function = self.module.function_of(node)
        assert isinstance(function, FunctionNode)
        named = {parameter.arg for parameter in function.args.args}
        if "request" in named and "request." in text and "request.user" not in text:
            return "the request is not validated under python -O; use if and raise"
        return None

    def visit_Assert(self, node: ast.Assert) -> None:
        if not isinstance(self.module.function_of(node), FunctionNode) or _only_narrows(node.test):
            return
        protection = self._protection(node)
        if protection is not None:
            self.report(self.module.span(node), protection)
            return
        for inner in walk(node.test):
            if isinstance(inner, ast.Attribute) and _AUTHORIZATION.fullmatch(inner.attr):
                self.report(
                    self.module.span(node), f'"{inner.attr}" is not checked under python -O; use if and raise'
                )
                return
            func = inner.func if isinstance(inner, ast.Call) else None
            if isinstance(func, ast.Attribute) and _EFFECT.fullmatch(func.attr):
                message = f"{unparse(func)}() does not run under python -O; call it before the assert"
                self.report(self.module.span(node), message)
                return


def _is_comparison_of_secrets(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and any(
        _SECRET.search(
            comparator.attr if isinstance(comparator, ast.Attribute) else getattr(comparator, "id", "")
        )
        for comparator in node.comparators
        if not isinstance(node.ops[0], (ast.Is, ast.IsNot))
    )


def _only_narrows(test: ast.expr) -> bool:
    """Return True if a test only narrows a type: not None, or of a class."""
    if isinstance(test, ast.BoolOp):
        return all(map(_only_narrows, test.values))
    if isinstance(test, ast.Compare):
        is_identity = isinstance(test.ops[0], (ast.Is, ast.IsNot)) and isinstance(
            test.left, (ast.Name, ast.Attribute)
        )
        return is_identity and isinstance(test.comparators[0], ast.Constant)
    return (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id in ("isinstance", "callable")
    )
