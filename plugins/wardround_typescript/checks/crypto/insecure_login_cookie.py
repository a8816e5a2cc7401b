"""TS334: insecure login cookie."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_RESPONSE = LazyPattern(
    r"(^|\.)(res|response|reply|rep|h)(\.\w+\([^)]*\))*\.(cookie|setCookie)$|^h3\.setCookie$"
)
_LOGIN = LazyPattern(
    r"(?i)(^|[^a-z])(sid|jwt|session(_?(id|token))?|connect\.sid)([^a-z]|$)|(access|refresh|auth\w*|id|session|login|bearer|api|remember\w*)[-_.]?token|\bauth\b|sessionId|_session$|SESSION|^token$|TOKEN_COOKIE|AUTH_COOKIE|COOKIE_NAME$"
)
_READ_BY_SCRIPTS = LazyPattern(
    r"(?i)csrf|xsrf|theme|locale|lang|consent|expires|expiry|logged_?in|hint|state|nonce|verifier"
)
_EMPTY = frozenset({"''", '""', "null", "undefined"})
_HEADERS = frozenset({"setHeader", "set", "header", "append"})
_TEXTS = frozenset({"template_string", "binary_expression", "string"})
_GONE = LazyPattern(r"(?i)max-age=0|expires=thu, 01")
_SESSIONS = frozenset({"express-session", "session", "@fastify/session", "cookie-session"})
_COOKIE_SETTERS = ("cookies.set", "cookies().set", "cookieStore.set")


class InsecureLoginCookie(TreeCheck):
    """A login cookie is readable by scripts or sent over unencrypted connections.

    A single script injection, or a single request without TLS, then discloses the session. Set ``httpOnly:
    true`` and ``secure: true``, and keep both where options are merged.
    """

    ID = "TS334"
    NAME = "insecure-login-cookie"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "cookie-not-httponly"
    WORDS = ("ookie",)
    VALID = [
        code("""
            res.setHeader('Set-Cookie', `sid=${id}; Path=/; HttpOnly; Secure`);
            res.setHeader('Set-Cookie', 'sid=; Path=/; Max-Age=0');
            res.setHeader('Set-Cookie', `theme=${theme}; Path=/`);
        """),
        code("""
            res.cookie('sid', id, { httpOnly: true, secure: PRODUCTION, sameSite: 'lax' });
        """),
    ]
    INVALID = [
        code("""
            export const login = (req, res) => {
              res.setHeader('Set-Cookie', «'sid=' + req.sid + '; Path=/'»);
            };
        """),
        code("""
            return new Response(null, { headers: { 'Set-Cookie': «`session=${id}; Path=/; HttpOnly`» } });
        """),
    ]

    def check(self) -> None:
        for name, _, arguments in self.reader.calls():
            self._check_call(name, arguments)
        for pair in self.code.kinds("pair"):
            key, value = pair.child_by_field_name("key"), pair.child_by_field_name("value")
            if key is not None and value is not None:
                self._written(key, value)

    def _check_call(self, name: str, arguments: list[Node]) -> None:
        last = name.rpartition(".")[2]
        if last in {"cookie", "setCookie"} and len(arguments) >= 2 and _RESPONSE.search(name):
            options = arguments[2] if len(arguments) > 2 else None
            self._cookie(arguments[0], arguments[1], options, is_express=True)
        elif name.endswith(_COOKIE_SETTERS) and len(arguments) > 2:
            self._cookie(arguments[0], arguments[1], arguments[2], is_express="ctx" not in name)
        elif name in _SESSIONS and arguments:
            self._session(arguments[0], name)
        elif last in _HEADERS and len(arguments) == 2:
            self._written(arguments[0], arguments[1])

    def _written(self, name: Node, value: Node) -> None:
        """Check a cookie that is written as the text of a header."""
        if self.text(name).strip("'\"`").lower() != "set-cookie":
            return
        held = self.reader.scope.resolved(value)
        text = self.text(held)
        if held.type not in _TEXTS or not _LOGIN.search(text.partition("=")[0]) or _GONE.search(text):
            return
        if "httponly" not in text.lower():
            self.report_node(value, "login cookie is readable by scripts; add HttpOnly")
        elif "secure" not in text.lower():
            self.report_node(value, "login cookie is also sent unencrypted; add Secure")

    def _cookie(self, named: Node, value: Node, options: Node | None, is_express: bool) -> None:
        name = self.reader.literal(named) or self.text(named)
        if not _LOGIN.search(name) or _READ_BY_SCRIPTS.search(name) or self.text(value) in _EMPTY:
            return
        if options is not None and (self.reader.options(options) is None or self.reader.is_open(options)):
            return
        self._check_flags(options if options is not None else named, options, defaults_on=not is_express)

    def _check_flags(self, at: Node, options: Node | None, defaults_on: bool) -> None:
        http_only, secure = self.reader.option(options, "httpOnly"), self.reader.option(options, "secure")
        if self.text(http_only) == "false" or (http_only is None and not defaults_on):
            self.report_node(at, "login cookie is readable by scripts; set httpOnly: true")
        elif self.text(secure) == "false" or (secure is None and not self._is_set_later("secure")):
            self.report_node(at, "login cookie is also sent unencrypted; set secure: true")

    def _is_set_later(self, name: str) -> bool:
        return f".{name} =" in self.source.text

    def _session(self, options: Node, name: str) -> None:
        if name == "cookie-session":
            if self.text(self.reader.option(options, "httpOnly")) == "false":
                self.report_node(
                    options, "session cookie is readable by scripts; do not set httpOnly to false"
                )
            return
        cookie = (
            self.reader.scope.property(found, "cookie")
            if (found := self.reader.options(options)) is not None
            else None
        )
        if (
            cookie is None
            or self.reader.options(cookie) is None
            or self.reader.is_open(cookie)
            or self._is_set_later("secure")
        ):
            return
        http_only, secure = self.reader.option(cookie, "httpOnly"), self.reader.option(cookie, "secure")
        if self.text(http_only) == "false":
            self.report_node(cookie, "session cookie is readable by scripts; do not set httpOnly to false")
        elif self.text(secure) == "false":
            self.report_node(cookie, "session cookie is also sent unencrypted; do not set secure to false")
