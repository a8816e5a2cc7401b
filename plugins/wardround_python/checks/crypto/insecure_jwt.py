"""PY325: insecure jwt."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.literals import entries, given_once, is_false
from wardround.languages.python.module import nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround_python.check import PythonCheck

_PLACES = frozenset({"jwt", "jose", "authlib", "joserfc", "flask_jwt_extended"})
_VERIFYING = frozenset({"decode", "verify", "get_signing_key_from_jwt", "verify_token"})
_UNSIGNED = "the token's signature is not verified, so anyone can forge one; verify it with a fixed algorithm"
_UNVERIFIED = frozenset({"get_unverified_claims"})


_TOLD_IN_CLAIMS = LazyPattern(
    r"(?i)^(password(_hash)?|passwd|pwd|secret|private_key|credit_?card|card_number|ssn|cvv)$"
)
_VERIFIES = LazyPattern(r"(?i)hmac|verify|compare_digest|check|valid|unverified|peek|exp\b")


class InsecureJwt(PythonCheck):
    """A JSON Web Token can be forged: its key is hardcoded, or its signature is not verified.

    The key is in every clone permanently, and anyone who has it can sign tokens for any user. Read it from
    the environment or a secret store, and verify with a fixed list of algorithms that excludes "none".
    """

    ID = "PY325"
    NAME = "insecure-jwt"
    WORDS = ("jwt", "jose", "b64decode")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "signature-not-verified"
    MASKED = True
    VALID = [
        code("""
            import jwt
            def read(token, key):
                return jwt.decode(token, key, algorithms=['HS256'])
        """),
        code("""
            import jwt
            from settings import KEY
            def make(claims):
                return jwt.encode(claims, KEY, algorithm='HS256')
        """),
    ]
    INVALID = [
        code("""
            import jwt
            def read(token):
                return jwt.decode(token, KEY, algorithms=«['RS256', 'HS256']»)
        """),
        code("""
            import base64, json
            def user_of(token):
                head, payload, sig = token.split('.')
                return json.loads(«base64.urlsafe_b64decode(payload + '==')»)['sub']
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name.endswith("b64decode") and self._is_read_by_hand(node):
            self.report(self.module.span(node), _UNSIGNED)
        if name.partition(".")[0] not in _PLACES:
            return
        last = name.rpartition(".")[2]
        if last in _UNVERIFIED and not self._is_verified_later(node):
            self.report(
                self.module.span(node),
                "the token's signature is not verified, so anyone can forge one; "
                "verify it with a fixed algorithm",
            )
        elif last in {"encode", "decode"}:
            self._check_key(node)
            self._check_algorithms(node)
            if last == "encode":
                self._check_claims(node)
            if last == "decode":
                self._check_options(node)
                self._check_choice(node)

    def _check_claims(self, node: ast.Call) -> None:
        """Report secret claims: a token is signed and not encrypted, so its holder can read them."""
        claims = node.args[0] if node.args else None
        claims = given_once(self.module, claims) if isinstance(claims, ast.Name) else claims
        for name, value in entries(claims).items():
            if _TOLD_IN_CLAIMS.search(name) and not isinstance(value, ast.Constant):
                self.report(
                    self.module.span(value),
                    f"the token contains the {name} unencrypted; leave it out of the claims",
                )

    def _check_key(self, node: ast.Call) -> None:
        arguments = [*node.args[1:2], *(k.value for k in node.keywords if k.arg in {"key", "secret"})]
        if arguments and self._is_in_source(arguments[0]):
            self.report(
                self.module.span(arguments[0]),
                "hardcoded key for signing tokens; read it from the environment or a secret store",
            )

    def _is_in_source(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (str, bytes)) and len(node.value) > 0 and not _is_pem(node.value)
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            return self._is_in_source(node.values[-1])
        if isinstance(node, ast.Call):
            return self._returns_literal(node)
        if isinstance(node, ast.Name):
            values = [
                statement.value
                for statement in self.module.tree.body
                if isinstance(statement, ast.Assign)
                and any(isinstance(target, ast.Name) and target.id == node.id for target in statement.targets)
            ]
            return len(values) == 1 and not isinstance(values[0], ast.Name) and self._is_in_source(values[0])
        return False

    def _returns_literal(self, node: ast.Call) -> bool:
        """Return True for a read of the environment with a literal default, and for an encoded literal."""
        if self.module.dotted(node.func) in {"os.environ.get", "os.getenv", "config", "env"}:
            defaults = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "default")]
            return bool(defaults) and self._is_in_source(defaults[0])
        is_encoded = isinstance(node.func, ast.Attribute) and node.func.attr == "encode"
        return is_encoded and isinstance(node.func, ast.Attribute) and self._is_in_source(node.func.value)

    def _is_read_by_hand(self, node: ast.Call) -> bool:
        """Return True if a function decodes the claims of a token and never verifies the signature."""
        function = self.module.function_of(node)
        if function is None or ("payload" not in unparse(node) and "[1]" not in unparse(node)):
            return False
        text = unparse(function)
        return ".split('.')" in text and "json.loads" in text and not _VERIFIES.search(text)

    def _check_options(self, node: ast.Call) -> None:
        """Report options that disable the verification of the signature."""
        for keyword in node.keywords:
            if keyword.arg in {"verify", "verify_signature"} and is_false(keyword.value):
                self.report(self.module.span(node), _UNSIGNED)
            elif keyword.arg == "options":
                for key, value in self._entries(keyword.value):
                    if key == "verify_signature" and is_false(value) and not self._is_peeked_at(node):
                        self.report(self.module.span(node), _UNSIGNED)
                    elif key == "verify_exp" and is_false(value) and not _is_about_end(self, node):
                        self.report(
                            self.module.span(node), "verify_exp=False accepts expired tokens; leave it on"
                        )

    def _is_peeked_at(self, node: ast.Call) -> bool:
        """Return True if only the issuer or a similar claim is read, or the token is verified later."""
        reader = self.module.parents[node]
        outer = self.module.parents.get(reader)
        asked = unparse(outer if isinstance(outer, ast.Call) else reader)
        issuer = any(f"'{name}'" in asked for name in ("iss", "kid", "exp", "aud", "jti"))
        return issuer or self._is_verified_later(node)

    def _entries(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """Return the entries of a dict, or of the only dict a name or attribute is bound to."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            last = node.id if isinstance(node, ast.Name) else node.attr
            values = [
                inner.value
                for inner in self.module.nodes
                if isinstance(inner, ast.Assign)
                and any(unparse(target).rpartition(".")[2] == last for target in inner.targets)
            ]
            node = values[0] if len(values) == 1 else node
        if not isinstance(node, ast.Dict):
            return []
        pairs = zip(node.keys, node.values, strict=True)
        return [(str(key.value), value) for key, value in pairs if isinstance(key, ast.Constant)]

    def _check_choice(self, node: ast.Call) -> None:
        """Report an algorithm read from the token itself: its author chooses how it is verified."""
        arguments = [
            *node.args[2:3],
            *(k.value for k in node.keywords if k.arg in {"algorithms", "algorithm"}),
        ]
        function = self.module.function_of(node)
        if not arguments or function is None or isinstance(arguments[0], ast.Constant):
            return
        named = {inner.id for inner in walk(arguments[0]) if isinstance(inner, ast.Name)}
        chosen = any("get_unverified_header" in unparse(item) for item in (arguments[0],)) or any(
            isinstance(child, ast.Assign)
            and "get_unverified_header" in self._expanded_text(function, child.value)
            and any(isinstance(t, ast.Name) and t.id in named for t in child.targets)
            for child in walk(function)
        )
        if chosen and not any(
            isinstance(part, ast.Compare) and any(name in unparse(part) for name in named)
            for part in walk(function)
        ):
            self.report(
                self.module.span(node),
                "the token chooses the algorithm of its own verification; use a fixed list of algorithms",
            )

    def _expanded_text(self, function: ast.AST, value: ast.expr) -> str:
        """Return the text of an expression with the values of the names in it."""
        names = {node.id for node in walk(value) if isinstance(node, ast.Name)}
        values = [
            unparse(inner.value)
            for inner in walk(function)
            if isinstance(inner, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id in names for t in inner.targets)
        ]
        return " ".join([unparse(value), *values])

    def _check_algorithms(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg == "algorithms" and _mixes(keyword.value):
                span = self.module.span(keyword.value)
                self.report(
                    span,
                    "HMAC and public-key algorithms are mixed: "
                    "a token signed with the public key as secret is accepted; allow one kind",
                )
            if keyword.arg in {"algorithms", "algorithm"}:
                for inner in walk(keyword.value):
                    if (
                        isinstance(inner, ast.Constant)
                        and str(inner.value).lower() == "none"
                        and inner.value is not None
                    ):
                        span = self.module.span(keyword.value)
                        self.report(span, 'the algorithm "none" allows unsigned tokens; remove it')
                        return

    def _is_verified_later(self, node: ast.Call) -> bool:
        """Return True if the same function verifies the token after reading its issuer."""
        function = self.module.function_of(node)
        body = function.body if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)) else []
        return any(
            isinstance(call, ast.Call) and isinstance(call.func, (ast.Attribute, ast.Name))
            and call is not node
            and unparse(call.func).rpartition(".")[2] in _VERIFYING
            for call in nodes_run_by(body)
        )  # fmt: skip


def _is_pem(text: str | bytes) -> bool:
    return "-----BEGIN PUBLIC" in (text if isinstance(text, str) else text.decode("latin-1"))


def _is_about_end(check: InsecureJwt, node: ast.Call) -> bool:
    """Return True if a function handles expired tokens: it renews or revokes them."""
    name = getattr(check.module.function_of(node), "name", "").lower()
    return any(word in name for word in ("refresh", "expire", "logout", "revoke", "renew", "peek", "debug"))


def _mixes(node: ast.expr) -> bool:
    """Return True if a list has both HMAC and public-key algorithms."""
    named = [str(inner.value) for inner in walk(node) if isinstance(inner, ast.Constant)]
    return any(name.startswith("HS") for name in named) and any(
        name.startswith(("RS", "ES", "PS")) for name in named
    )
