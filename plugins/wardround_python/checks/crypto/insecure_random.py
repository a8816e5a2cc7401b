"""PY321: insecure random."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import PurePosixPath

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import fixed_text
from wardround.languages.python.module import statements_in
from wardround.languages.python.tree import unparse
from wardround_python.check import PythonCheck
from wardround_python.docdrift.value_usage import ValueUses

_GUESSABLE = frozenset(
    {
        "choice", "choices", "randint", "randrange", "random", "getrandbits", "sample", "randbytes",
        "shuffle", "uniform", "gauss", "normalvariate", "lognormvariate", "triangular", "betavariate",
        "expovariate", "gammavariate", "paretovariate", "weibullvariate", "vonmisesvariate",
    }
)  # fmt: skip
# Names of secrets. A bare "key" or "code" is too often a dictionary key or a country code.
_SECRET = LazyPattern(
    r"(?i)(^|_)(password|passwd|passphrase|passcode|secret|otp|totp|pin_?code|nonce|csrf|salt|api_?keys?|token|credentials?|passcode|"
    r"(access|auth|session|refresh|reset|invite|bearer|csrf|login|remember(_?me)?|verification|confirm(ation)?|sms|email|recovery|"
    r"backup|activation|security|coupon|voucher|gift)_?(token|code|key|id|pin)s?|session_?id)s?$"
)
_CODE = LazyPattern(r"(?i)^_?(code|pin|key|otp|token)s?$")
_PURPOSE = LazyPattern(
    r"(?i)(log.?in|sign.?in|verif|auth|passwo|secret|credential|api_?key|otp|token|reset|invit|confirm|sms|"
    r"two_?factor|session_?id|remember_?(me|key)|credential)"
)
_HARMLESS = LazyPattern(
    r"(?i)((?<![a-z])test|mock|fake|sample|dummy|demo|random_?state|seed|shuffle|benchmark|simulat|jitter"
    r"|tokeniz)"
)
_NOT_SERVED = LazyPattern(
    r"(?i)(^|[/_.-])(tests?|testing|mocks?|fakes?|samples?|dummy|demos?|seeds?|benchmarks?|simulat\w+|tokeniz\w+)"
    r"([/_.-]|$)"
)
"""Paths of modules whose numbers protect nothing: complete words, since a part of a name has other meanings.

"""


_GATHERING = frozenset({"append", "extend", "write", "add", "insert"})


_UNGUESSABLE = LazyPattern(r"(?i)secret|urandom|token_|uuid4|\bkey\b|_key\b|salt|SECRET_KEY|nonce")
_LEAST_BYTES = 5
_DEEPEST = 3
_LOGIN_COOKIE = LazyPattern(r"(?i)^(remember([_-]?me)?|sess(ion)?([_-]?id)?|sid|auth|log_?in)$")
_KEEPING = LazyPattern(
    r"(?i)^(save|store|remember|keep|persist|issue|record|register|send|mail|e?mail)_"
    r"(\w+_)?(token|key|secret|password|passcode|otp|nonce|session_?id|(reset|login|verification)_code)s?$"
)


class InsecureRandom(PythonCheck):
    """A secret is generated with a predictable random generator.

    ``random`` is built for simulations: its future output can be computed from some of its past output, and a
    seed from the clock can be guessed. Use ``choice``, ``token_urlsafe``, ``randbits`` or ``randbelow`` of
    the ``secrets`` module.
    """

    ID = "PY321"
    NAME = "insecure-random"
    WORDS = ("random", "uuid1", "hashlib", "token_hex", "token_bytes", "token_urlsafe")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "guessable-token"
    VALID = [
        code("""
            import random
            def deal(session, user):
                key = f'card{user.id}'
                session[key] = random.randint(1, 52)
        """),
        code("""
            import random
            def pick(tokens):
                word = random.choice(tokens)
                return word
        """),
    ]
    INVALID = [
        code("""
            import random
            def remember(session, user):
                key = f'rememberMe{user.id}'
                value = str(«random.random()»)[2:]
                session[key] = value
        """),
        code(
            """
            import random
            reset_token = str(«random.random()»)
            """,
            path="contest/LatestTokens.py",
        ),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        if not any(word in source.text for word in cls.WORDS):
            return False
        return _PURPOSE.search(source.text) is not None or _SECRET.search(_stem(source)) is not None

    def visit_Call(self, node: ast.Call) -> None:
        if self._is_of_the_clock(node) or self._is_short(node):
            return
        if not isinstance(node.func, (ast.Attribute, ast.Name)) or not self._is_guessable(node.func):
            return
        names = [] if self._picks(node) else self._secrets_made_of(node, ValueUses(self.module))
        is_harmless = _NOT_SERVED.search(self.source.path) or any(map(_HARMLESS.search, names))
        if names and not is_harmless:
            self.report(
                self.module.span(node),
                f"{names[0]} is generated with a predictable random generator; use the secrets module",
            )

    def _is_of_the_clock(self, node: ast.Call) -> bool:
        """Report a secret that is a hash of the time; return True if it is one."""
        if not (self.module.imported_name(node.func) or "").startswith("hashlib.") or not node.args:
            return False
        text = unparse(node.args[0])
        names = self._secrets_made_of(node, ValueUses(self.module), 0)
        if names and ("time.time(" in text or ".now(" in text) and not _UNGUESSABLE.search(text):
            self.report(
                self.module.span(node),
                f"{names[0]} is derived from the time, which can be guessed; use the secrets module",
            )
            return True
        return False

    def _is_short(self, node: ast.Call) -> bool:
        """Report a secret with so few bytes that all values can be tried; return True if it is one."""
        if not (self.module.imported_name(node.func) or "").startswith("secrets.token_") or not node.args:
            return False
        count = node.args[0].value if isinstance(node.args[0], ast.Constant) else None
        names = (
            self._secrets_made_of(node, ValueUses(self.module), 0)
            if isinstance(count, int) and count < _LEAST_BYTES
            else []
        )
        if names:
            self.report(
                self.module.span(node),
                f"{names[0]} is short enough to be guessed by trying all values; use at least 16 bytes",
            )
        return bool(names)

    def _picks(self, node: ast.Call) -> bool:
        """Return True if an existing item is selected unchanged, so that no secret is generated."""
        picked = node.args[0] if node.args else None
        is_text = isinstance(picked, ast.Constant) or "string." in unparse(picked or node)
        is_whole = isinstance(self.module.parents[node], (ast.Assign, ast.Return, ast.keyword, ast.AnnAssign))
        return _last(node.func) in {"choice", "sample"} and is_whole and not is_text

    def _is_guessable(self, func: ast.Attribute | ast.Name) -> bool:
        name = self.module.imported_name(func) or ""
        if name == "uuid.uuid1":
            return True
        if name.startswith("numpy.random.") and name.removeprefix("numpy.random.") in _GUESSABLE:
            return True
        if name.startswith("random.") and name.removeprefix("random.") in _GUESSABLE:
            return True
        if isinstance(func, ast.Attribute) and func.attr in _GUESSABLE:
            is_made_here = (
                isinstance(func.value, ast.Call) and self.module.dotted(func.value.func) == "random.Random"
            )
            return is_made_here or unparse(func.value) in self._generators()
        return False

    def _generators(self) -> frozenset[str]:
        """Return the names and attributes that hold a ``random.Random`` anywhere in the module."""
        return frozenset(
            unparse(target)
            for node in statements_in(self.module.tree)
            if isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Call)
            and self.module.dotted(node.value.func) == "random.Random"
            for target in node.targets
        )

    def _secrets_made_of(self, node: ast.expr, uses: ValueUses, deep: int = _DEEPEST) -> list[str]:
        """Return the secrets that the number becomes: a variable, a field, an argument, a return value.

        Args:
            deep: the number of names and functions of the module to follow.
        """
        function = self.module.function_of(node)
        around = getattr(function, "name", "")
        cls = self.module.class_of(function) if function is not None else None
        lines: list[str] = []
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = self.source.lines[function.lineno - 1 : function.end_lineno]
        about = "\n".join([cls.name if cls else "", *lines])
        child: ast.AST = node
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Subscript) and child is parent.slice:
                return []
            if isinstance(parent, ast.Call) and child in parent.args and _last(parent.func) in _GATHERING:
                return [around] if _SECRET.search(around) else []
            if isinstance(parent, ast.Call) and child in parent.args and not _passes_on(parent):
                return _stored_name(parent) if deep < _DEEPEST and _PURPOSE.search(about) else []
            if isinstance(parent, ast.keyword) and parent.arg:
                return [parent.arg] if _SECRET.search(parent.arg) else []
            if isinstance(parent, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
                results = [name for target in targets if (name := self._secret_of(target, about))]
                if results or not deep or not isinstance(targets[0], ast.Name):
                    return results
                is_new = uses.is_new(function, targets[0].id)
                return self._first_of(uses.loads(targets[0]) if is_new else (), uses, deep - 1)
            if isinstance(parent, ast.Return):
                if _SECRET.search(around) or not deep or not uses.is_new(None, around):
                    return [around] if _SECRET.search(around) else []
                return self._first_of(uses.calls(around), uses, deep - 1) or self._of_module(node)
            if isinstance(parent, ast.stmt):
                return []
            child = parent
        return []

    def _secret_of(self, target: ast.expr, about: str) -> str:
        """Return the name of the secret that an assignment sets; empty for anything else."""
        name = _last(target)
        if isinstance(target, ast.Subscript):
            name = name or fixed_text(self.module, target.slice)
            is_login = "session" in _last(target.value).lower() and _LOGIN_COOKIE.search(name)
            return name if is_login or _is_secret(name, about) else ""
        return name if _is_secret(name, about) else ""

    def _first_of(self, nodes: Iterable[ast.expr], uses: ValueUses, deep: int) -> list[str]:
        return next((result for node in nodes if (result := self._secrets_made_of(node, uses, deep))), [])

    def _of_module(self, node: ast.expr) -> list[str]:
        """Return the name of the module if it generates secrets from characters: ``tokens.py``."""
        stem = _stem(self.source)
        is_text = isinstance(node, ast.Call) and _last(node.func) in {"choice", "choices", "sample"}
        return [stem] if is_text and "string." in self.source.text and _SECRET.search(stem) else []


def _stem(source: SourceFile) -> str:
    return PurePosixPath(source.path).stem


def _stored_name(call: ast.Call) -> list[str]:
    """Return the name under which a function stores a value: a login cookie, a stored token."""
    name = _last(call.func)
    if name in {"set_cookie", "add_cookie", "set_signed_cookie", "set_secure_cookie"}:
        cookie = call.args[0] if len(call.args) > 1 else None
        text = str(cookie.value) if isinstance(cookie, ast.Constant) else ""
        return [text] if _LOGIN_COOKIE.search(text) or _SECRET.search(text) else []
    return [name] if _KEEPING.search(name) else []


def _passes_on(call: ast.Call) -> bool:
    """Return True if the result is made of the arguments, as for ``str(n)`` or ``"".join(...)``."""
    name = _last(call.func)
    return name in {
        "str",
        "join",
        "format",
        "hex",
        "list",
        "tuple",
        "zfill",
        "bytes",
        "chr",
        "sha256",
        "md5",
        "b64encode",
        "int",
        "repr",
        "round",
        "hexlify",
        "urlsafe_b64encode",
    }


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return node.id if isinstance(node, ast.Name) else ""


def _is_secret(name: str, about: str) -> bool:
    return bool(_SECRET.search(name) or (_CODE.search(name) and _PURPOSE.search(about)))
