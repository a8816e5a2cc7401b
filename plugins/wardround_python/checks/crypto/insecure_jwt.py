from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.literals import entries, is_false, single_assignment
from wardround.languages.python.module import last_name, names_in, nodes_run_by
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.assignments import assigned_values_of, constant_entries, values_of_last_name
from wardround_python.syntax.calls import keyword_values

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
        claims = single_assignment(self.module, claims) if isinstance(claims, ast.Name) else claims
        for name, value in entries(claims).items():
            if _TOLD_IN_CLAIMS.search(name) and not isinstance(value, ast.Constant):
                self.report(
                    self.module.span(value),
                    f"the token contains the {name} unencrypted; leave it out of the claims",
                )

    def _check_key(self, node: ast.Call) -> None:
        arguments = [*node.args[1:2], *keyword_values(node, "key", "secret")]
        if arguments and self._is_in_source(arguments[0]):
            self.report(
                self.module.span(arguments[0]),
                "hardcoded key for signing tokens; read it from the environment or a secret store",
            )

    def _is_in_source(self, node: ast.expr) -> bool:
        match node:
            case ast.Constant(value=str(key) | bytes(key)):
                return len(key) > 0 and not _is_pem(key)
            case ast.BoolOp(op=ast.Or()):
                return self._is_in_source(node.values[-1])
            case ast.Call():
                return self._returns_literal(node)
            case ast.Name():
                values = assigned_values_of(self.module.tree.body, node.id)
                return (
                    len(values) == 1 and not isinstance(values[0], ast.Name) and self._is_in_source(values[0])
                )
        return False

    def _returns_literal(self, node: ast.Call) -> bool:
        """Return True for a read of the environment with a literal default, and for an encoded literal."""
        if self.module.qualified_name(node.func) in {"os.environ.get", "os.getenv", "config", "env"}:
            defaults = [*node.args[1:2], *keyword_values(node, "default")]
            return bool(defaults) and self._is_in_source(defaults[0])
        if isinstance(node.func, ast.Attribute) and node.func.attr == "encode":
            return self._is_in_source(node.func.value)
        return False

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
                    if is_false(value):
                        self._check_disabled_option(node, key)

    def _check_disabled_option(self, node: ast.Call, option: str) -> None:
        if option == "verify_signature" and not self._is_peeked_at(node):
            self.report(self.module.span(node), _UNSIGNED)
        elif option == "verify_exp" and not _is_about_end(self, node):
            self.report(self.module.span(node), "verify_exp=False accepts expired tokens; leave it on")

    def _is_peeked_at(self, node: ast.Call) -> bool:
        """Return True if only the issuer or a similar claim is read, or the token is verified later."""
        reader = self.module.parents[node]
        outer = self.module.parents.get(reader)
        requested = unparse(outer if isinstance(outer, ast.Call) else reader)
        issuer = any(f"'{name}'" in requested for name in ("iss", "kid", "exp", "aud", "jti"))
        return issuer or self._is_verified_later(node)

    def _entries(self, node: ast.expr) -> list[tuple[str, ast.expr]]:
        """Return the entries of a dict, or of the only dict a name or attribute is bound to."""
        display = self._only_value(node) or node
        return constant_entries(display) if isinstance(display, ast.Dict) else []

    def _only_value(self, node: ast.expr) -> ast.expr | None:
        """Return the only value that is assigned to a name, or to an attribute of this name."""
        name = last_name(node)
        values = values_of_last_name(self.module.nodes, name) if name else []
        return values[0] if len(values) == 1 else None

    def _check_choice(self, node: ast.Call) -> None:
        """Report an algorithm read from the token itself: its author chooses how it is verified."""
        arguments = [*node.args[2:3], *keyword_values(node, "algorithms", "algorithm")]
        function = self.module.function_of(node)
        if not arguments or function is None or isinstance(arguments[0], ast.Constant):
            return
        if self._is_read_from_token(function, arguments[0]) and not _compares_names(function, arguments[0]):
            self.report(
                self.module.span(node),
                "the token chooses the algorithm of its own verification; use a fixed list of algorithms",
            )

    def _is_read_from_token(self, function: ast.AST, algorithm: ast.expr) -> bool:
        if "get_unverified_header" in unparse(algorithm):
            return True
        names = names_in(algorithm)
        assignments = (inner for inner in walk(function) if isinstance(inner, ast.Assign))
        return any(
            "get_unverified_header" in self._expand_source(function, assignment.value)
            for assignment in assignments
            if any(isinstance(target, ast.Name) and target.id in names for target in assignment.targets)
        )

    def _expand_source(self, function: ast.AST, value: ast.expr) -> str:
        """Return the source of an expression with its names replaced by their values."""
        names = names_in(value)
        assignments = (inner for inner in walk(function) if isinstance(inner, ast.Assign))
        values = [
            unparse(assignment.value)
            for assignment in assignments
            if any(isinstance(target, ast.Name) and target.id in names for target in assignment.targets)
        ]
        return " ".join([unparse(value), *values])

    def _check_algorithms(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if keyword.arg == "algorithms" and _mixes_algorithms(keyword.value):
                self.report(
                    self.module.span(keyword.value),
                    "HMAC and public-key algorithms are mixed: "
                    "a token signed with the public key as secret is accepted; allow one kind",
                )
            if keyword.arg in {"algorithms", "algorithm"} and _allows_unsigned(keyword.value):
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


def _mixes_algorithms(node: ast.expr) -> bool:
    """Return True if a list has both HMAC and public-key algorithms."""
    named = [str(inner.value) for inner in walk(node) if isinstance(inner, ast.Constant)]
    return any(name.startswith("HS") for name in named) and any(
        name.startswith(("RS", "ES", "PS")) for name in named
    )


def _compares_names(function: ast.AST, algorithm: ast.expr) -> bool:
    """Return True if a function compares the attributes by which an algorithm is chosen."""
    names = names_in(algorithm)
    comparisons = [unparse(part) for part in walk(function) if isinstance(part, ast.Compare)]
    return any(name in comparison for comparison in comparisons for name in names)


def _allows_unsigned(algorithms: ast.expr) -> bool:
    constants = (inner.value for inner in walk(algorithms) if isinstance(inner, ast.Constant))
    return any(str(value).lower() == "none" for value in constants if value is not None)
