from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, is_kind

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
_VERIFYING = frozenset({"verify", "verifyAsync", "jwtVerify"})
_GETTERS = frozenset({"get", "getOrThrow"})
_SETS_EXPIRY = (".expiresIn =", ".exp =")
_SHORTEST_SECRET = 5
"""Minimum length in characters, including the quotes, of a string that may be a secret."""


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
            self._check_signing(node, *arguments[:3])
        elif last == "sign" and ("SignJWT" in self.source.text) and self._is_endless(node):
            self.report_node(node, "token never expires; call setExpirationTime")
        elif self._is_decoding(name, node, arguments):
            self._check_decoding(node)
        elif last in _VERIFYING and len(arguments) > 2:
            self._check_verification(node, arguments[2])

    def _is_decoding(self, name: str, node: Node, arguments: list[Node]) -> bool:
        """Return True for a call that reads a token without verifying it."""
        last = name.rpartition(".")[2]
        if last in _DECODING:
            return True
        if last == "decode" and name.startswith(_LIBRARIES) and arguments:
            return not self._disables_verification(name, arguments)
        return name == "JSON.parse" and bool(arguments) and self._is_payload(node, arguments[0])

    def _disables_verification(self, name: str, arguments: list[Node]) -> bool:
        """Return True for jwt-simple's ``decode(token, key, noVerify)``, which verifies by default."""
        if not name.startswith("jwt-simple") or len(arguments) < 2:
            return False
        if len(arguments) == 2:
            return True
        return self.text(self.reader.scope.resolve(arguments[2])) in ("false", "undefined", "null")

    def _value(self, pair: Node) -> str:
        value = pair.child_by_field_name("value")
        return self.text(self.reader.scope.resolve(value)) if value is not None else ""

    def _check_signing(self, node: Node, claims: Node, key: Node, options: Node | None = None) -> None:
        if options is not None and self._may_have(options, "expiresIn"):
            return
        if any(setter in self.source.text for setter in _SETS_EXPIRY):
            return
        if not self._may_have(claims, "exp"):
            self.report_node(node, "token never expires; set expiresIn")

    def _may_have(self, options: Node, key: str) -> bool:
        """Return True unless an object literal certainly lacks a key."""
        if self.reader.is_open(options):
            return True
        return self.reader.option(options, key) is not None

    def _is_endless(self, node: Node) -> bool:
        """Return True if a chain that starts with SignJWT, here or in a helper, never sets an expiry."""
        callee = self.code.field(node, "function")
        start = callee.partition("(")[0].rpartition(".")[2]
        text, helper = self.text(node), self.text(self._find_function(start))
        if "new SignJWT" not in text and "new SignJWT" not in helper:
            return False
        complete = text + helper
        return "setExpirationTime" not in complete and not _EXPIRY.search(complete)

    def _find_function(self, name: str) -> Node | None:
        found = self.reader.scope.functions.get(name)
        if found is not None:
            return found
        classes = self.reader.scope.classes.values()
        return next((owner.methods[name] for owner in classes if name in owner.methods), None)

    def _check_decoding(self, node: Node) -> None:
        """Report a decoded token in a function or file of a server that never verifies it."""
        around = self._surrounding_source(node)
        if "verify" in around.lower() or _CLIENT.search(self.source.text):
            return
        if _HEADER_ONLY.search(self.text(node.parent)):
            return
        if _TRUSTS.search(around):
            self.report_node(
                node, "signature of the token is not verified, so anyone can forge it; use verify"
            )

    def _is_payload(self, node: Node, argument: Node) -> bool:
        """Return True if the payload of a token is decoded manually."""
        text = self.text(self.reader.scope.resolve(argument))
        if not _BASE64.search(text):
            return False
        around = self._surrounding_source(node)
        return _PARTED.search(around) is not None and _SENT.search(around) is not None

    def _surrounding_source(self, node: Node) -> str:
        """Return the function around a node with its callers; the file outside of functions."""
        function = self.reader.function_around(node)
        if function is None:
            return self.source.text
        return self.text(function) + self._callers(function)

    def _callers(self, function: Node) -> str:
        """Return the functions of the file that call a helper."""
        name = self.code.field(function, "name") or self.code.field(function.parent, "name")
        if not name:
            return ""
        calls = [call for called, call in self.code.calls if called == name]
        callers = [self.reader.function_around(call) for call in calls]
        return " ".join(self.text(caller)[:1500] for caller in callers if caller is not None)

    def _check_verification(self, node: Node, argument: Node) -> None:
        options = self.reader.options(argument)
        listed = self.reader.scope.property(options, "algorithms") if options is not None else None
        if listed is None:
            return
        added = _pushed_lines(self.source.text, self.text(listed))
        if _NONE.search(self.text(self.reader.scope.resolve(listed)) + " ".join(added)):
            self.report_node(node, "unsigned tokens are accepted; list the allowed algorithms without none")

    def _defaults(self) -> None:
        """Report a secret with a default in the source."""
        for name, node, arguments in self.reader.calls():
            is_getter = name.rpartition(".")[2] in _GETTERS and len(arguments) == 2
            if is_getter and self._is_known_default(*arguments):
                entry = node.parent
                self.report_node(entry if is_kind(entry, "pair") else node, _KNOWN)
        for node in self.code.kinds("binary_expression"):
            if self._is_known_fallback(node):
                self.report_node(node, _KNOWN)

    def _is_known_default(self, name: Node, default: Node) -> bool:
        return self._is_string(default) and _SECRET_NAME.search(self.reader.literal(name) or "") is not None

    def _is_string(self, value: Node | None) -> bool:
        return is_kind(value, "string") and len(self.text(value)) >= _SHORTEST_SECRET

    def _is_known_fallback(self, node: Node) -> bool:
        """Return True for ``secret || "text"``."""
        left = child(node, "left")
        if left is None or left.type == "member_expression" or not self._is_string(child(node, "right")):
            return False
        if self.code.field(node, "operator") not in {"||", "??"}:
            return False
        return _SECRET_NAME.search(self.text(self.reader.scope.resolve(left))) is not None


def _pushed_lines(text: str, name: str) -> list[str]:
    """Return the elements that are added to a list of this name."""
    return [line for line in text.split("\n") if f"{name}.push(" in line]
