"""TS336: insecure token settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_LIBRARIES = ("jsonwebtoken", "jwt.", "jwt-simple", "jwt-decode")
_EXPIRY = LazyPattern(r"\bexp\b\s*[:,}]|expiresIn")
_CLIENT = LazyPattern(r"['\"]use client['\"]|\bwindow\.|localStorage")
_HEADER_ONLY = LazyPattern(r"complete:\s*true|\.header\b|\.exp\b")
_TRUSTS = LazyPattern(
    r"\breq(uest)?\b|\bctx\b|\.(role|roles|sub|userId|admin|permissions|email|scope)\b|[uU]ser\b|claims|[tT]enant"
)
_DECODING = frozenset({"decodeJwt", "jwtDecode", "jwt_decode", "decodeJWT"})
_BASE64 = LazyPattern(r"\batob\(|Buffer\.from\([^)]{1,80}['\"]base64(url)?['\"]|base64url\.decode\(")
_PARTED = LazyPattern(r"\.split\(['\"]\.['\"]\)")
_SENT = LazyPattern(r"(?i)authorization|\breq(uest)?\b|\bctx\b|cookie")
_NONE = LazyPattern(r"['\"]none['\"]")
_SECRET_NAME = LazyPattern(
    r"(?i)(jwt|token|session|auth|share|signing|cookie|hmac|app|refresh|access)\w*(secret|_key|private)|^(process\.env\.)?\w*SECRET\w*$"
)
_KNOWN = "default for the secret is in the source; fail if the setting is missing"


class InsecureTokenSettings(TreeCheck):
    """A token can be forged or never expires.

    A secret with a default in the source is known to anyone who has the source; a token without an expiry
    stays valid in any log that contains it; ``decode`` does not verify the signature. Fail if the secret is
    missing, set ``expiresIn``, and use ``verify`` with a list of algorithms.
    """

    ID = "TS336"
    NAME = "insecure-token-settings"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "signature-not-verified"
    WORDS = ("ignoreExpiration", "jwt", "JWT", "jsonwebtoken", "jose", "JwtModule", "base64", "atob(")
    VALID = [
        code("""
            const jwt = require('jsonwebtoken');
            const ISSUE = { expiresIn: '10m' };
            const token = jwt.sign({ sub }, SECRET, { ...ISSUE, audience: 'x' });
        """),
        code("""
            const jwt = require('jsonwebtoken');
            const token = jwt.sign({ sub, exp: now + 60 }, SECRET);
        """),
    ]
    INVALID = [
        code(
            """
            export function claimsOf(request) {
              const [, payload] = request.headers.authorization.split('.');
              return «JSON.parse(Buffer.from(payload, 'base64url').toString())»;
            }
            """,
            path="case.mjs",
        ),
        code("""
            import { decodeJwt } from 'jose';
            export const userOf = (request: Request) => load(«decodeJwt(request.headers.get('token'))».sub);
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            self._check_call(name, node, arguments)
        self._defaults()
        for node in self.code.kinds("pair"):
            if self.code.field(node, "key") == "ignoreExpiration" and self._value(node) == "true":
                self.report_node(node, "expired tokens are accepted; remove ignoreExpiration")

    def _check_call(self, name: str, node: Node, arguments: list[Node]) -> None:
        last = name.rpartition(".")[2]
        if last == "sign" and name.startswith(_LIBRARIES) and len(arguments) > 1:
            self._signed(node, arguments)
        elif last == "sign" and ("SignJWT" in self.source.text) and self._is_endless(node):
            self.report_node(node, "token never expires; call setExpirationTime")
        elif self._is_decoding(name, node, arguments):
            self._decoded(node)
        elif last in {"verify", "verifyAsync", "jwtVerify"} and len(arguments) > 1:
            self._verified(node, arguments)

    def _is_decoding(self, name: str, node: Node, arguments: list[Node]) -> bool:
        """Return True for a call that reads a token without verifying it."""
        last = name.rpartition(".")[2]
        if last in _DECODING:
            return True
        if last == "decode" and name.startswith(_LIBRARIES) and arguments:
            return not self._verifies(name, arguments)
        return name == "JSON.parse" and bool(arguments) and self._is_payload(node, arguments[0])

    def _verifies(self, name: str, arguments: list[Node]) -> bool:
        """Return True for jwt-simple's ``decode(token, key, noVerify)``, which verifies by default."""
        if not name.startswith("jwt-simple"):
            return False
        return len(arguments) > 1 and not (
            len(arguments) > 2
            and self.text(self.reader.scope.resolved(arguments[2])) not in ("false", "undefined", "null")
        )

    def _value(self, pair: Node) -> str:
        value = pair.child_by_field_name("value")
        return self.text(self.reader.scope.resolved(value)) if value is not None else ""

    def _signed(self, node: Node, arguments: list[Node]) -> None:
        claims, options = self.reader.options(arguments[0]), arguments[2] if len(arguments) > 2 else None
        if options is not None and (
            self.reader.options(options) is None
            or self.reader.is_open(options)
            or self.reader.option(options, "expiresIn") is not None
        ):
            return
        if ".expiresIn =" in self.source.text or ".exp =" in self.source.text:
            return
        if claims is None or self.reader.is_open(claims) or self.reader.option(claims, "exp") is not None:
            return
        self.report_node(node, "token never expires; set expiresIn")

    def _is_endless(self, node: Node) -> bool:
        """Return True if a chain that starts with SignJWT, here or in a helper, never sets an expiry."""
        text = self.text(node)
        owner = node.child_by_field_name("function")
        start = self.text(owner).partition("(")[0].rpartition(".")[2] if owner is not None else ""
        helper = self._function_named(start)
        if "new SignJWT" not in text and (helper is None or "new SignJWT" not in self.text(helper)):
            return False
        complete = text + (self.text(helper) if helper is not None else "")
        return "setExpirationTime" not in complete and not _EXPIRY.search(complete)

    def _function_named(self, name: str) -> Node | None:
        found = self.reader.scope.functions.get(name)
        if found is not None:
            return found
        return next(
            (one.methods[name] for one in self.reader.scope.classes.values() if name in one.methods), None
        )

    def _decoded(self, node: Node) -> None:
        """Report a decoded token in a function or file of a server that never verifies it."""
        function = self.reader.function_around(node)
        around = self.text(function) if function is not None else self.source.text
        around += self._calling(function)
        holder = node.parent
        if (
            "verify" in around.lower()
            or _CLIENT.search(self.source.text)
            or _HEADER_ONLY.search(self.text(holder))
        ):
            return
        if _TRUSTS.search(around):
            self.report_node(
                node, "signature of the token is not verified, so anyone can forge it; use verify"
            )

    def _is_payload(self, node: Node, argument: Node) -> bool:
        """Return True if the payload of a token is decoded by hand."""
        text = self.text(self.reader.scope.resolved(argument))
        if not _BASE64.search(text):
            return False
        function = self.reader.function_around(node)
        around = (self.text(function) if function is not None else self.source.text) + self._calling(function)
        return _PARTED.search(around) is not None and _SENT.search(around) is not None

    def _calling(self, function: Node | None) -> str:
        """Return the functions of the file that call a helper."""
        name = self.code.field(function, "name")
        if not name and function is not None and function.parent is not None:
            name = self.code.field(function.parent, "name")
        callers = [call for called, call in self.code.calls if name and called == name]
        around = [self.reader.function_around(call) for call in callers]
        return " ".join(self.text(one)[:1500] for one in around if one is not None)

    def _verified(self, node: Node, arguments: list[Node]) -> None:
        for one in arguments[2:3]:
            listed = (
                self.reader.scope.property(found, "algorithms")
                if (found := self.reader.options(one)) is not None
                else None
            )
            if listed is None:
                continue
            name = self.text(listed)
            text = self.text(self.reader.scope.resolved(listed)) + " ".join(_pushed(self.source.text, name))
            if _NONE.search(text):
                self.report_node(
                    node, "unsigned tokens are accepted; list the allowed algorithms without none"
                )

    def _defaults(self) -> None:
        """Report a secret with a default in the source."""
        for name, node, arguments in self.reader.calls():
            is_getter = name.rpartition(".")[2] in {"get", "getOrThrow"} and len(arguments) == 2
            if is_getter and self._is_known_default(arguments[0], arguments[1]):
                holder = node.parent
                self.report_node(holder if holder is not None and holder.type == "pair" else node, _KNOWN)
        for node in self.code.kinds("binary_expression"):
            if self._is_known_fallback(node):
                self.report_node(node, _KNOWN)

    def _is_known_default(self, name: Node, default: Node) -> bool:
        if default.type != "string" or not _SECRET_NAME.search(self.reader.literal(name) or ""):
            return False
        return len(self.text(default)) > 4

    def _is_known_fallback(self, node: Node) -> bool:
        """Return True for ``secret || "text"``."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or right.type != "string" or len(self.text(right)) < 5:
            return False
        if self.code.field(node, "operator") not in {"||", "??"} or left.type == "member_expression":
            return False
        return _SECRET_NAME.search(self.text(self.reader.scope.resolved(left))) is not None


def _pushed(text: str, name: str) -> list[str]:
    """Return the elements that are added to a list of this name."""
    return [line for line in text.split("\n") if f"{name}.push(" in line]
