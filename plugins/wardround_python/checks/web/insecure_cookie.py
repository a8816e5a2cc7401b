from __future__ import annotations

import ast
from collections.abc import Mapping

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import fixed_text, is_false, literal, setting_of
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import values_of_last_name
from wardround_python.syntax.calls import called_method

_SWITCHES = {
    "SESSION_COOKIE_SECURE": "the session cookie is also sent over unencrypted connections; set Secure",
    "SESSION_COOKIE_HTTPONLY": "scripts can read the session cookie; set HttpOnly",
    "CSRF_COOKIE_SECURE": "the CSRF cookie is also sent over unencrypted connections; set Secure",
    "REMEMBER_COOKIE_SECURE": "the login cookie is also sent over unencrypted connections; set Secure",
    "REMEMBER_COOKIE_HTTPONLY": "scripts can read the login cookie; set HttpOnly",
    "JWT_COOKIE_SECURE": "the token cookie is also sent over unencrypted connections; set Secure",
}
_SECRET = LazyPattern(
    r"(?i)(^|[_.-])(sess(ion)?(_?id)?|sid|auth|(access|refresh|auth|id|login|remember)?[_-]?(token|jwt)|jwt|"
    r"remember([_-]?me)?([_-]?(token|key))?)$"
)
_READ_BY_SCRIPTS = LazyPattern(r"(?i)csrf|xsrf")
_OPEN_PLACES = LazyPattern(
    r"(?i)(^|[/_.])(dev(elopment)?|local|test(s|ing)?|debug|example|ci|docker|e2e|sandbox)([/_.]|$)"
)


_SETTING = frozenset({"set_cookie", "add_cookie", "set_secure_cookie", "set_signed_cookie"})
_IN_ORDER = ("key", "value", "max_age", "expires", "path", "domain", "secure", "httponly", "samesite")
"""The arguments of ``set_cookie`` of Django, Werkzeug and Starlette."""
_FLAGS = frozenset({"secure", "httponly"})
_UNENCRYPTED = "this login cookie is also sent over unencrypted connections; set secure=True"
_LOGIN_WORDS = LazyPattern(r"(?i)session|\bsid\b|token|log_?in|authenticat")


class InsecureCookie(PythonCheck):
    """A login cookie is readable by scripts, or is sent over unencrypted connections.

    Without ``httponly`` one injected script steals the session; without ``secure`` it can be read from the
    network. Set both, and disable them only in the settings for development.
    """

    ID = "PY326"
    NAME = "insecure-cookie"
    WORDS = ("set_cookie", "_COOKIE_", "add_cookie", "httponly", "set_secure_cookie", "set_signed_cookie",
             "et-Cookie", "et-cookie")  # fmt: skip
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "cookie-not-httponly"
    VALID = [
        code("""
            SESSION_COOKIE_SECURE = True
            SESSION_COOKIE_HTTPONLY = True
        """),
        code(
            """
            SESSION_COOKIE_SECURE = False
            """,
            path="config/settings/local.py",
        ),
    ]
    INVALID = [
        code("""
            def log_in(response, token):
                flags = dict(httponly=True, secure=True)
                flags.update(secure=False)
                «response.set_cookie('session', token, **flags)»
        """),
        code("""
            def log_in(response, token):
                «response.set_cookie('session', token, httponly=True)»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        is_cookie = any(word in source.text for word in cls.WORDS)
        return is_cookie and _OPEN_PLACES.search(source.path) is None

    def visit_Assign(self, node: ast.Assign) -> None:
        target = node.targets[0]
        name = setting_of(target) if isinstance(target, (ast.Name, ast.Subscript)) else ""
        if name in _SWITCHES and literal(self.module, node.value) is False:
            if not self._is_behind_switch(node):
                self.report(self.module.span(node), _SWITCHES[name])
        elif name == "SESSION_COOKIE_SAMESITE":
            self._check_same_site(node)
        elif name.lower() == "set-cookie":
            self._check_text(node, node.value)
        elif name.lower() == "secure" and self._is_cookie_attribute(target) and is_false(node.value):
            self.report(self.module.span(node), _UNENCRYPTED)

    def _check_same_site(self, node: ast.Assign) -> None:
        if not self._is_sent_along(node.value) or self._is_behind_switch(node):
            return
        if "SESSION_COOKIE_SECURE = True" not in self.source.text:
            self.report(
                self.module.span(node),
                "the session cookie is sent with requests from other sites; set SameSite to Lax or Strict",
            )

    def _is_sent_along(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Constant) and str(value.value).lower() == "none"

    def _check_text(self, node: ast.Assign | ast.Call, value: ast.expr) -> None:
        """Report a literal login cookie that lacks the flags."""
        text = unparse(value).lower()
        name = text.strip("rf'\"(").partition("=")[0]
        if "=" not in text or not _SECRET.search(name) or "max-age=0" in text:
            return
        if "httponly" not in text:
            self.report(self.module.span(node), "scripts can read this login cookie: HttpOnly is not set")
        elif "secure" not in text.partition("=")[2]:
            self.report(self.module.span(node), _UNENCRYPTED)

    def _is_cookie_attribute(self, target: ast.expr) -> bool:
        """Return True for ``cookies["session"]["secure"]``, of the standard library's ``SimpleCookie``."""
        outer = target.value if isinstance(target, ast.Subscript) else None
        if not isinstance(outer, ast.Subscript) or "SimpleCookie" not in self.source.text:
            return False
        return isinstance(outer.slice, ast.Constant) and _SECRET.search(str(outer.slice.value)) is not None

    def visit_keyword(self, node: ast.keyword) -> None:
        if node.arg in _SWITCHES and is_false(node.value) and not self._is_behind_switch(node):
            self.report(self.module.span(node), _SWITCHES[node.arg])

    def visit_Call(self, node: ast.Call) -> None:
        method = called_method(node)
        if method in {"add", "set", "setdefault", "append"} and _is_header(node):
            self._check_text(node, node.args[1])
        if method not in _SETTING:
            return
        options = self._arguments_by_name(node)
        name = node.args[0] if node.args else options.get("key", options.get("name"))
        if None in options or self._is_removed(node, options):
            return
        text = fixed_text(self.module, name) if isinstance(name, ast.Name) else ""
        self._check_cookie(node, ast.Constant(text) if text else name, options)

    def _check_cookie(
        self, node: ast.Call, name: ast.expr | None, options: Mapping[str | None, ast.expr]
    ) -> None:
        if self._is_login(name):
            self._check_login(node, options)
        elif isinstance(name, (ast.Name, ast.Attribute)) and self._is_open_to_scripts(name, options):
            self.report(
                self.module.span(node), "scripts can read the cookies set here: httponly is off; set it"
            )
        elif "secure" in options and is_false(options["secure"]):
            self.report(
                self.module.span(node),
                "this cookie is also sent over unencrypted connections: secure is off; set it",
                severity=Severity.INFO,
            )

    def _check_login(self, node: ast.Call, given: Mapping[str | None, ast.expr]) -> None:
        if "httponly" not in given or is_false(given["httponly"]):
            self.report(
                self.module.span(node),
                "scripts can read this login cookie: httponly is not set; set httponly=True",
            )
        elif "secure" not in given or is_false(given["secure"]):
            self.report(self.module.span(node), _UNENCRYPTED)

    def _arguments_by_name(self, node: ast.Call) -> dict[str | None, ast.expr]:
        """Return the arguments by name, with the certain values of the flags; unknown ones under None.

        Those of a dict that is spread into the call are included.
        """
        assigned: dict[str | None, ast.expr] = {}
        if any(isinstance(argument, ast.Starred) for argument in node.args):
            assigned[None] = node
        for name, value in zip(_IN_ORDER[2:], node.args[2:], strict=False):
            assigned[name] = self._to_constant(value)
        for keyword in node.keywords:
            entries = self._entries(keyword.value) if keyword.arg is None else None
            if entries is not None:
                assigned.update(entries)
            elif keyword.arg in _FLAGS:
                assigned[keyword.arg] = self._to_constant(keyword.value)
            else:
                assigned[keyword.arg] = keyword.value
        return assigned

    def _to_constant(self, node: ast.expr) -> ast.expr:
        if isinstance(node, ast.Constant):
            return node
        from wardround_python.dataflow.known_values import (
            constant_of,  # few cookies have computed flags
        )

        known = constant_of(self.module, node)
        return ast.Constant(bool(known.value)) if known is not None else node

    def _entries_at_call(self, node: ast.expr) -> dict[str | None, ast.expr] | None:
        """Return the entries of a mapping that a function fills itself, as they are at the call."""
        from wardround_python.dataflow.known_value import KnownConstant
        from wardround_python.dataflow.known_values import entries_of  # as above

        if not isinstance(node, ast.Name):
            return None
        return {
            str(key): ast.Constant(entry.value) if isinstance(entry, KnownConstant) else node
            for key, entry in (entries_of(self.module, node) or {}).items()
        }

    def _entries(self, node: ast.expr) -> dict[str | None, ast.expr] | None:
        known = self._entries_at_call(node)
        if known:
            return known
        values = values_of_last_name(self.module.nodes, unparse(node).rpartition(".")[2])
        return _entries_of(values[0]) if len(values) == 1 else None

    def _is_open_to_scripts(self, name: ast.expr, given: Mapping[str | None, ast.expr]) -> bool:
        """Return True if a function that sets cookies of any name disables httponly."""
        if "SESSION_COOKIE_NAME" in unparse(name) or _READ_BY_SCRIPTS.search(unparse(name)):
            return False
        is_off = "httponly" in given and is_false(given["httponly"])
        return is_off and _LOGIN_WORDS.search(self.source.text) is not None

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Report a field of a class of cookie settings."""
        cls = self.module.parents[node]
        if node.value is None or not isinstance(cls, ast.ClassDef) or "ookie" not in cls.name + unparse(cls):
            return
        is_off = unparse(node.target) in {"httponly", "http_only", "cookie_httponly"}
        if is_off and is_false(node.value) and not _OPEN_PLACES.search(_words(cls.name)):
            self.report(
                self.module.span(node),
                "scripts can read the cookies set with this: httponly is off; set it",
            )

    def _is_login(self, node: ast.expr | None) -> bool:
        if isinstance(node, ast.Constant) and not _READ_BY_SCRIPTS.search(str(node.value)):
            return _SECRET.search(str(node.value)) is not None
        return isinstance(node, (ast.Name, ast.Attribute)) and "SESSION_COOKIE_NAME" in unparse(node)

    def _is_removed(self, node: ast.Call, given: Mapping[str | None, ast.expr]) -> bool:
        value = node.args[1] if len(node.args) > 1 else given.get("value")
        ages = [given.get("max_age"), given.get("expires")]
        return (isinstance(value, ast.Constant) and not value.value) or any(
            isinstance(age, ast.Constant) and age.value in {0, "0"} for age in ages
        )

    def _is_behind_switch(self, node: ast.AST) -> bool:
        """Return True if it applies only under a condition, or in a settings class for development."""
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.If):
                return True
            if isinstance(parent, ast.ClassDef) and _OPEN_PLACES.search(_words(parent.name)):
                return True
        return False


def _is_header(node: ast.Call) -> bool:
    first = node.args[0] if len(node.args) == 2 else None
    return isinstance(first, ast.Constant) and str(first.value).lower() == "set-cookie"


def _words(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _entries_of(value: ast.expr) -> dict[str | None, ast.expr] | None:
    """Return the entries of a dict; None is the key of those without a constant key."""
    if isinstance(value, ast.Call) and unparse(value.func) == "dict":
        return {keyword.arg: keyword.value for keyword in value.keywords}
    if not isinstance(value, ast.Dict):
        return None
    pairs = zip(value.keys, value.values, strict=True)
    return {str(key.value) if isinstance(key, ast.Constant) else None: item for key, item in pairs}
