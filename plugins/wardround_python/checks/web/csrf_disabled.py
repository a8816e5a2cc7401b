"""PY347: csrf disabled."""

from __future__ import annotations

import ast
from functools import cached_property

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import entries, literal, settings_in
from wardround.languages.python.module import FunctionNode, last_name
from wardround.languages.python.tree import unparse, walk
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
            is_off = isinstance(value, ast.Constant) and value.value is False
            if (name in _OFF and is_off) or (name == "csrf" and is_off and self._is_form_setting(node)):
                if not self._is_behind_switch(node) and (name != "csrf" or self._has_logins):
                    self.report(self.module.span(node), _MESSAGE)
            elif name == "MIDDLEWARE" and isinstance(value, (ast.List, ast.Tuple)):
                self._check_middleware(node, value)
            elif name == "CSRF_TRUSTED_ORIGINS" and isinstance(value, (ast.List, ast.Tuple)):
                values = [str(literal(self.module, element)) for element in value.elts]
                if any(_TRUSTS_ALL.search(operand) for operand in values) and not self._is_behind_switch(
                    node
                ):
                    self.report(
                        self.module.span(node),
                        "CSRF protection is disabled, so any site can submit "
                        "forms for a visitor; leave it on",
                    )

    def visit_keyword(self, node: ast.keyword) -> None:
        is_off = isinstance(node.value, ast.Constant) and node.value.value is False
        call = self.module.parents[node]
        called = unparse(call.func) if isinstance(call, ast.Call) else ""
        if is_off and (node.arg in _OFF or (node.arg in _OPTIONS and "csrf" in called + str(node.arg))):
            if not self._is_behind_switch(node):
                self.report(self.module.span(node), _MESSAGE)
        elif node.arg == "meta":
            for name, value in entries(node.value).items():
                is_csrf = name == "csrf" and isinstance(value, ast.Constant) and value.value is False
                if is_csrf and self._has_logins:
                    self.report(self.module.span(value), _MESSAGE)

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
        body = [
            statement
            for statement in node.body
            if not (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
        ]
        only = body[0] if len(body) == 1 else None
        if self.module.class_of(node) is None:
            return
        if node.name == "enforce_csrf" and (not body or isinstance(only, ast.Pass) or _returns(only, None)):
            self.report(self.module.name_span(node), _MESSAGE)
        elif node.name == "check_origin" and len(node.args.args) == 2 and _returns(only, True):
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
        return isinstance(cls, ast.ClassDef) and cls.name == "Meta" and not self._takes_data(cls)

    def _takes_data(self, meta: ast.ClassDef) -> bool:
        """Return True if the form, or one that it extends here, gets its values from code: a JSON body."""
        form = self.module.parents[meta]
        bases = [unparse(base) for base in form.bases] if isinstance(form, ast.ClassDef) else []
        extended = [one for name in bases for one in self.module.top_classes.get(name, ())]
        calls = (n for one in (form, *extended) for n in walk(one) if isinstance(n, ast.Call))
        return any(
            last_name(call.func) == "process" and [keyword.arg for keyword in call.keywords] == ["data"]
            for call in calls
        )

    def _is_behind_switch(self, node: ast.AST) -> bool:
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.If):
                return True
            if isinstance(parent, ast.ClassDef) and "test" in parent.name.lower():
                return True
            if isinstance(parent, ast.ClassDef) and "dev" in parent.name.lower():
                return True
        return False


def _returns(node: ast.stmt | None, value: object) -> bool:
    if not isinstance(node, ast.Return):
        return False
    return (node.value is None and value is None) or (
        isinstance(node.value, ast.Constant) and node.value.value is value
    )
