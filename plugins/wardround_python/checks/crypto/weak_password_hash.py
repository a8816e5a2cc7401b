from __future__ import annotations

import ast

from wardround.checks.source import SourceFile
from wardround.findings import Plane
from wardround.languages.python.literals import literal
from wardround.languages.python.tree import unparse
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck

# OWASP, Password Storage Cheat Sheet (2023): PBKDF2 600,000 with SHA-256, bcrypt 10, scrypt 2**14 at least,
# argon2id 7 MiB at least. Half the rounds of PBKDF2 are accepted: older recommendations.
_PBKDF2 = 100_000
_BCRYPT = 10
_SCRYPT = 2**13
_ARGON2_KIB = 7168
_WEAK_FIRST = LazyPattern(r"(?i)(Unsalted)?(MD5|SHA1)PasswordHasher$|(^|\.)CryptPasswordHasher$")
_OPEN_PLACES = LazyPattern(r"(?i)(^|[/_.])(dev(elopment)?|local|tests?|testing|ci|fixtures?)([/_.]|$)")


_FAST = frozenset({"md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s", "sha3_256"})
_KEEPS = LazyPattern(
    r"(?i)^_?(set|hash|make|check|verify|encode|store|create|digest)_?(raw|user)?_?(password|passwd|pw)$"
)
_OLD_METHOD = LazyPattern(r"(?i)^(plain|md5|sha1|sha256|sha512|pbkdf2:(md5|sha1)\b.*)$")
_OLD_SCHEME = LazyPattern(
    r"^passlib\.hash\.(md5_crypt|des_crypt|apr_md5_crypt|ldap_md5|ldap_sha1|lmhash|nthash|hex_\w+|plaintext|"
    r"mysql323|sha1_crypt|unix_disabled|postgres_md5|oracle10)\."
)
# Password hash function -> the position of its salt.
_SALTED = {"pbkdf2_hmac": 2, "scrypt": 9, "hashpw": 1, "PBKDF2": 1, "PBKDF2HMAC": 2, "hash_secret": 1,
           "hash_secret_raw": 1, "kdf": 1}  # fmt: skip
_OF_PASSWORD = LazyPattern(r"(?i)pass|\bpw|_pw\b|pwd|secret|login|user|credential")
_SLOW = LazyPattern(r"(?i)bcrypt|argon2|scrypt|pbkdf2|pwned|range\(|hmac")


class WeakPasswordHash(PythonCheck):
    """A password hash is too fast, so a leaked table of passwords can be cracked.

    An attacker with the hashes tries candidate passwords; the number of rounds determines the cost of each
    try. Use the default of the library, or at least 600,000 rounds of PBKDF2-SHA256 or cost 12 for bcrypt.
    """

    ID = "PY333"
    NAME = "weak-password-hash"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "weak-hash"
    WORDS = (
        "pbkdf2",
        "PBKDF2",
        "gensalt",
        "bcrypt",
        "scrypt",
        "Scrypt",
        "argon2",
        "PASSWORD_HASHERS",
        "AUTH_PASSWORD_VALIDATORS",
        "CryptContext",
        "hashlib",
        "generate_password_hash",
        "passlib",
        "import crypt",
        "from crypt",
    )
    VALID = [
        code("""
            import hashlib
            hashlib.pbkdf2_hmac('sha256', password, salt, 600_000)
        """),
        code("""
            import bcrypt
            bcrypt.hashpw(password, bcrypt.gensalt())
        """),
    ]
    INVALID = [
        code("""
            import hashlib
            def set_password(user, raw):
                user.digest = «hashlib.sha256((user.salt + raw).encode())».hexdigest()
        """),
        code("""
            import hashlib
            ROUNDS = 1000
            «hashlib.pbkdf2_hmac('sha256', password, salt, ROUNDS)»
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return super().wants(source) and not _OPEN_PLACES.search(source.path)

    def visit_Assign(self, node: ast.Assign) -> None:
        match [unparse(target) for target in node.targets], node.value:
            case ["PASSWORD_HASHERS"], ast.List(elts=[first, *_]) | ast.Tuple(elts=[first, *_]):
                if isinstance(first, ast.Constant) and _WEAK_FIRST.search(str(first.value)):
                    self.report(
                        self.module.span(node),
                        "new passwords are stored with a broken hash; use argon2, bcrypt or scrypt",
                    )
            case ["AUTH_PASSWORD_VALIDATORS"], ast.List(elts=[]) | ast.Tuple(elts=[]):
                self.report(
                    self.module.span(node),
                    "no password validators are configured, so any password is accepted; "
                    "set AUTH_PASSWORD_VALIDATORS",
                )
            case ["iterations" | "rounds" | "work_factor" | "time_cost" as name], _:
                self._check_hasher(node, name)

    def _check_hasher(self, node: ast.Assign, name: str) -> None:
        cls = self.module.parents[node]
        bases = " ".join(unparse(base) for base in cls.bases) if isinstance(cls, ast.ClassDef) else ""
        least = _BCRYPT if "BCrypt" in bases else _PBKDF2 if "PBKDF2" in bases else 0
        value = self._number(node.value)
        if value is not None and value < least:
            self.report(self.module.span(node), _message(name, value))

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.qualified_name(node.func) or ""
        last = name.rpartition(".")[2]
        if name == "hashlib.new" and node.args:
            last = str(literal(self.module, node.args[0])).lower()
        if name.startswith("hashlib.") and last in _FAST:
            self._check_fast(node, last)
            return
        if last == "CryptContext":
            self._check_schemes(node)
            return
        if self._is_outdated(node, name, last):
            self.report(
                self.module.span(node),
                "new passwords are stored with a broken hash; use argon2, bcrypt or scrypt",
            )
            return
        if last in _SALTED and self._has_fixed_salt(node, last):
            self.report(
                self.module.span(node),
                "all passwords share one salt, so one table cracks them all; "
                "generate a salt for each password",
            )
            return
        for expected, at, keyword, least in _COSTS.get(last, ()):
            arguments = [*node.args[at : at + 1], *(k.value for k in node.keywords if k.arg == keyword)]
            value = self._number(arguments[0]) if arguments and expected in name else None
            if value is not None and value < least:
                self.report(self.module.span(node), _message(keyword, value))
                return

    def _check_fast(self, node: ast.Call, last: str) -> None:
        """Report a fast hash in a function that stores or verifies a password without a slow one."""
        function = self.module.function_of(node)
        if not _KEEPS.search(getattr(function, "name", "")):
            return
        text = unparse(function) if function is not None else ""
        if not _SLOW.search(text):
            self.report(
                self.module.span(node),
                f"{last} is a fast hash, which makes passwords easy to crack; use argon2, bcrypt or scrypt",
            )

    def _is_outdated(self, node: ast.Call, name: str, last: str) -> bool:
        """Return True for an outdated password scheme."""
        if last == "generate_password_hash":
            arguments = [k.value for k in node.keywords if k.arg == "method"] or node.args[1:2]
            return bool(arguments) and _OLD_METHOD.search(str(literal(self.module, arguments[0]))) is not None
        if name in {"crypt.crypt", "crypt.mksalt"}:
            return not node.args[1:] or "SHA" not in unparse(node.args[1])
        return last in {"hash", "encrypt"} and _OLD_SCHEME.search(name) is not None

    def _has_fixed_salt(self, node: ast.Call, last: str) -> bool:
        arguments = [k.value for k in node.keywords if k.arg == "salt"]
        at = _SALTED[last]
        salt = arguments[0] if arguments else (node.args[at] if len(node.args) > at else None)
        if isinstance(salt, ast.Call) and isinstance(salt.func, ast.Attribute) and salt.func.attr == "encode":
            salt = salt.func.value
        value = literal(self.module, salt)
        function = self.module.function_of(node)
        names = unparse(node.args[0] if node.args else node) + getattr(function, "name", "")
        return isinstance(value, (bytes, str)) and _OF_PASSWORD.search(names + unparse(node)) is not None

    def _check_schemes(self, node: ast.Call) -> None:
        for keyword in node.keywords:
            if (
                keyword.arg == "schemes"
                and isinstance(keyword.value, (ast.List, ast.Tuple))
                and keyword.value.elts
            ):
                first = keyword.value.elts[0]
                if (isinstance(first, ast.Constant) and "md5" in str(first.value)) or "sha1" in unparse(
                    first
                ):
                    self.report(
                        self.module.span(node),
                        "new passwords are stored with a broken hash; use argon2, bcrypt or scrypt",
                    )

    def _number(self, node: ast.expr) -> int | None:
        """Return an integer that is a literal, or a constant of the module or of the class."""
        if isinstance(node, ast.Constant):
            return node.value if type(node.value) is int else None
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Pow, ast.LShift, ast.Mult)):
            return _compute(node.op, self._number(node.left), self._number(node.right))
        if isinstance(node, (ast.Name, ast.Attribute)):
            values = self._values_of(node)
            is_literal = len(values) == 1 and isinstance(values[0], ast.Constant)
            return self._number(values[0]) if is_literal else None
        return None

    def _values_of(self, node: ast.Name | ast.Attribute) -> list[ast.expr]:
        """Return the values that statements of the module assign to a name or attribute."""
        return [
            statement.value
            for statement in self.module.nodes
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None
            for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
            if isinstance(target, (ast.Name, ast.Attribute)) and _last_part(target) == _last_part(node)
        ]


def _last_part(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


def _compute(op: ast.operator, left: int | None, right: int | None) -> int | None:
    """Return a product, a power or a shift; None for an unknown operand or a large exponent."""
    if left is None or right is None:
        return None
    if isinstance(op, ast.Mult):
        return left * right
    if not 0 <= right < 64:
        return None
    return int(left**right) if isinstance(op, ast.Pow) else left << right


# Last part of a function's name -> (name of the parameter, position, keyword, minimum).
_COSTS = {
    "pbkdf2_hmac": [("", 3, "iterations", _PBKDF2)],
    "PBKDF2HMAC": [("", 3, "iterations", _PBKDF2)],
    "PBKDF2": [("", 3, "count", _PBKDF2)],
    "gensalt": [("", 0, "rounds", _BCRYPT)],
    "scrypt": [("", 9, "n", _SCRYPT)],
    "Scrypt": [("", 2, "n", _SCRYPT)],
    "PasswordHasher": [("argon2", 1, "memory_cost", _ARGON2_KIB)],
    "using": [
        ("pbkdf2", 9, "rounds", 20_000),
        ("bcrypt", 9, "rounds", _BCRYPT),
        ("sha256_crypt", 9, "rounds", 50_000),
        ("sha512_crypt", 9, "rounds", 50_000),
    ],
}


def _message(name: str, value: int) -> str:
    return f"{name} of {value} makes a leaked table of passwords easy to crack; use the library's default"
