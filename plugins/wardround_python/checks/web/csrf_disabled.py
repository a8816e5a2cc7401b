from __future__ import annotations

import ast
from collections.abc import Sequence
from functools import cached_property

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import entries, is_false, literal, settings_in
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

_OFF = frozenset({"WTF_CSRF_ENABLED", "JWT_COOKIE_CSRF_PROTECT", "xsrf_cookies"})
_OPTIONS = frozenset({"require_csrf", "check_origin"})
_MESSAGE = "any site can send this request for a logged-in visitor; require a CSRF token"
_LOGINS = ("flask_login", "login_required", "current_user", "flask_security")
"""Words of Flask applications whose visitors log in with a cookie."""
_LOGGED_IN = LazyPattern(
    r"\brequest\.user\b|\brequest\.session\b|\bcurrent_user\b|login_required|LoginRequired|permission_required|"
    r"staff_member_required|user_passes_test|\bsession\["
)
# Credentials that a browser does not send by itself.
_PROVEN = LazyPattern(
    r"(?i)webhook|hmac|signature|compare_digest|api_?key|authorization|bearer|token_required|oauth|saml|verify_"
)
_OPEN_PLACES = LazyPattern(r"(?i)(^|[/_.])(tests?|testing|dev(elopment)?|local|ci|e2e)([/_.]|$)")
_TRUSTS_ALL = LazyPattern(r"^(https?://)?\*(\.(com|net|org|io|app|dev))?$")


class CsrfDisabled(PythonCheck):
    """CSRF protection is disabled for logged-in visitors.

    The browser sends the login cookie with requests from any site, so any page a visitor opens can make
    changes in their name. Leave the protection on; exempt only views that authenticate the caller in another
    way.
    """

    ID = "PY347"
    NAME = "csrf-disabled"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "csrf-off"
    WORDS = ("csrf", "CSRF", "xsrf", "check_origin", "CsrfView", "SessionMiddleware")
    VALID = [
        code("""
            app.config['WTF_CSRF_ENABLED'] = True
        """),
        code(
            """
            WTF_CSRF_ENABLED = False
            """,
            path="shop/settings/testing.py",
        ),
    ]
    INVALID = [
        code("""
            «app.config['WTF_CSRF_ENABLED'] = False»
        """),
        code("""
            app.config.update(SECRET=S, «WTF_CSRF_ENABLED=False»)
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and not _OPEN_PLACES.search(source.path)

    def visit_Assign(self, node: ast.Assign) -> None:
        for name, value, _ in settings_in(node):
            if is_false(value) and self._is_protection(name, node):
                self.report(self.module.span(node), _MESSAGE)
            elif name == "MIDDLEWARE" and isinstance(value, (ast.List, ast.Tuple)):
                self._check_middleware(node, value)
            elif name == "CSRF_TRUSTED_ORIGINS" and isinstance(value, (ast.List, ast.Tuple)):
                self._check_trusted_origins(node, value)

    def _is_protection(self, name: str, node: ast.Assign) -> bool:
        """Return True if a setting enables the protection of a site or form for which it is required."""
        if name == "csrf":
            return self._is_form_setting(node) and not self._is_behind_switch(node) and self._has_logins
        return name in _OFF and not self._is_behind_switch(node)

    def _check_trusted_origins(self, node: ast.Assign, value: ast.List | ast.Tuple) -> None:
        origins = [str(literal(self.module, element)) for element in value.elts]
        if any(map(_TRUSTS_ALL.search, origins)) and not self._is_behind_switch(node):
            self.report(
                self.module.span(node),
                "CSRF protection is disabled, so any site can submit forms for a visitor; leave it on",
            )

    def visit_keyword(self, node: ast.keyword) -> None:
        if is_false(node.value) and self._is_option(node):
            if not self._is_behind_switch(node):
                self.report(self.module.span(node), _MESSAGE)
        elif node.arg == "meta":
            value = entries(node.value).get("csrf")
            if value is not None and is_false(value) and self._has_logins:
                self.report(self.module.span(value), _MESSAGE)

    def _is_option(self, node: ast.keyword) -> bool:
        """Return True if a keyword enables the protection."""
        if node.arg in _OFF:
            return True
        call = self.module.parents[node]
        called = unparse(call.func) if isinstance(call, ast.Call) else ""
        return node.arg in _OPTIONS and "csrf" in called + str(node.arg)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._check_exemption(node)
        self._check_override(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._check_exemption(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._check_exemption(node)

    def _check_exemption(self, node: FunctionNode | ast.ClassDef) -> None:
        """Report an exempt view that reads the logged-in user and has no other authentication."""
        for decorator in node.decorator_list:
            text = unparse(decorator)
            if "csrf_exempt" in text or text.endswith("csrf.exempt"):
                view = unparse(node)
                if _LOGGED_IN.search(view) and not _PROVEN.search(view):
                    self.report(self.module.span(decorator), _MESSAGE)

    def _check_override(self, node: ast.FunctionDef) -> None:
        if self.module.class_of(node) is None:
            return
        body = [statement for statement in node.body if not _is_constant(statement)]
        if node.name == "enforce_csrf" and _has_no_effect(body):
            self.report(self.module.name_span(node), _MESSAGE)
        elif node.name == "check_origin" and len(node.args.args) == 2 and _only_returns(body, True):
            self.report(
                self.module.name_span(node),
                "pages of any site can open this socket for a visitor; verify the Origin",
            )

    def _check_middleware(self, node: ast.Assign, value: ast.List | ast.Tuple) -> None:
        """Report Django middleware for a site with logins that lacks the CSRF middleware."""
        values = [str(element.value) for element in value.elts if isinstance(element, ast.Constant)]
        is_login = any(
            operand.endswith("AuthenticationMiddleware") and "contrib" in operand for operand in values
        )
        is_session = any(item.endswith("SessionMiddleware") for item in values)
        if is_login and is_session and "csrf" not in self.source.text.lower():
            self.report(self.module.keyword_span(node, len("MIDDLEWARE")), _MESSAGE)

    @cached_property
    def _has_logins(self) -> bool:
        """Return True if a file of the project mentions visitors who log in."""
        own = any(word in self.source.text for word in _LOGINS)
        return own or bool(self.source.project.files_with_word(_LOGINS, ["*.py"]))

    def _is_form_setting(self, node: ast.Assign) -> bool:
        """Return True for ``Meta`` of a form that reads the form data of a request."""
        cls = self.module.parents[node]
        return isinstance(cls, ast.ClassDef) and cls.name == "Meta" and not self._accepts_json(cls)

    def _accepts_json(self, meta: ast.ClassDef) -> bool:
        """Return True if the form, or a base form in this file, gets its values from code: a JSON body."""
        form = self.module.parents[meta]
        bases = [unparse(base) for base in form.bases] if isinstance(form, ast.ClassDef) else []
        extended = [parent for name in bases for parent in self.module.top_classes.get(name, ())]
        return any(map(_processes_data, (form, *extended)))

    def _is_behind_switch(self, node: ast.AST) -> bool:
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.If):
                return True
            if isinstance(parent, ast.ClassDef) and "test" in parent.name.lower():
                return True
            if isinstance(parent, ast.ClassDef) and "dev" in parent.name.lower():
                return True
        return False


def _is_constant(statement: ast.stmt) -> bool:
    """Return True for a docstring or ``...``."""
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _has_no_effect(body: Sequence[ast.stmt]) -> bool:
    if len(body) > 1:
        return False
    return not body or isinstance(body[0], ast.Pass) or _only_returns(body, None)


def _only_returns(body: Sequence[ast.stmt], value: object) -> bool:
    if len(body) != 1 or not isinstance(body[0], ast.Return):
        return False
    result = body[0].value
    if result is None:
        return value is None
    return isinstance(result, ast.Constant) and result.value is value


def _processes_data(form: ast.AST) -> bool:
    """Return True if a class calls ``process(data=...)``."""
    calls = (node for node in walk(form) if isinstance(node, ast.Call))
    processing = (call for call in calls if last_name(call.func) == "process")
    return any([keyword.arg for keyword in call.keywords] == ["data"] for call in processing)
