from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from wardround.checks.source import SourceFile
from wardround.findings import Plane, Severity
from wardround.languages.python.module import last_name
from wardround.languages.python.tree import walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.docdrift.value_usage import ValueUses, names_and_strings_in

_WEAK = LazyPattern(r"^(?i:md4|md5|sha1|sha-1|sha)$")
_ABOUT = LazyPattern(
    r"(?i)(^|_|\b)(sign(ed|ature|ing)?|signer|hmac|mac|token|passwords?|passwd|passphrase|secret|credentials?|auth|"
    r"api_?key|api_?token|signing_key|secret_key|private_key)(_|\b|$)"
)
# A third-party protocol that names its values after the hash.
_NAMES_IT = LazyPattern(r"(?i)_?(md5|sha1)$")
_CAMEL = LazyPattern(r"(?<=[a-z0-9])(?=[A-Z])")
"""The boundary of words in camel case: ``passwordFile`` is a file of passwords."""
_HARMLESS = LazyPattern(
    r"(?i)(cache|etag|checksum|finger_?print|gravatar|dedup|revision|version|file_?hash|content_?hash|asset|"
    r"id_?for|thumb|tokeniz|pwned|hibp|breach|legacy|function_signature|file_sign|type_sign)"
)


_FIELDS = frozenset(
    {"form", "args", "json", "cookies", "values", "GET", "POST", "COOKIES", "query_params", "get_json"}
)
"""The parts of a request that hold user input; a body or an upload is hashed to identify files."""
_SIGNING = frozenset({"sign", "verify", "ECDSA", "CertificateBuilder", "Prehashed"})
_CRYPTO_HASH = LazyPattern(r"^(Crypto|Cryptodome)\.Hash\.(MD2|MD4|MD5|SHA|SHA1)\.new$")


class InsecureHash(PythonCheck):
    """A signature or a password hash uses MD5 or SHA-1.

    Neither is collision-resistant, and a hash of secret and message together allows length extension without
    the secret. Sign with ``hmac.new(key, message, "sha256")``; hash passwords with scrypt, bcrypt or argon2.
    """

    ID = "PY324"
    NAME = "insecure-hash"
    WORDS = ("hashlib", "hmac", "hashes", "Crypto")
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "weak-hash"
    VALID = [
        code("""
            import hashlib
            @app.post('/keep')
            def keep():
                return hashlib.md5(request.data).hexdigest()
        """),
        code("""
            import hashlib
            def etag(body):
                return hashlib.md5(body).hexdigest()
        """),
    ]
    INVALID = [
        code("""
            import hashlib
            def store(given, users):
                digest = «hashlib.new('md5')»
                digest.update(given['password'].encode())
                users.add(digest.hexdigest())
        """),
        code("""
            import hashlib
            @app.post('/keep')
            def keep():
                digest = «hashlib.sha1()»
                typed = request.form.get('thing')
                digest.update(typed.encode())
                file.write(digest.hexdigest())
        """),
    ]

    @classmethod
    def wants(cls, source: SourceFile) -> bool:
        return any(word in source.text for word in cls.WORDS) and any(
            word in source.text.lower() for word in ("md5", "sha1", "md4")
        )

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or self._got_by_name(node.func)
        if not name.startswith("hashlib."):
            self._check_other_libraries(node, name)
            return
        if any(k.arg == "usedforsecurity" for k in node.keywords):
            return
        algorithm = name.removeprefix("hashlib.")
        hashed = node.args
        if algorithm == "new":
            algorithm = self._string_value(node.args[0]) if node.args else ""
            hashed = node.args[1:]
        if _WEAK.search(algorithm) and self._is_about_security(node, hashed):
            self.report(
                self.module.span(node),
                f"{algorithm} is too weak for a signature or a password; "
                "use HMAC-SHA-256, or scrypt for passwords",
            )

    def _got_by_name(self, func: ast.expr) -> str:
        """Return ``hashlib.md5`` for ``getattr(hashlib, "md5")``."""
        if not isinstance(func, ast.Call) or last_name(func.func) != "getattr" or len(func.args) < 2:
            return ""
        return f"{self.module.qualified_name(func.args[0])}.{self._string_value(func.args[1])}"

    def _check_other_libraries(self, node: ast.Call, name: str) -> None:
        """Report the same hashes of ``hmac``, ``cryptography`` and PyCryptodome if they sign something."""
        last = name.rpartition(".")[2]
        parent = self.module.parents[node]
        called = last_name(parent.func) if isinstance(parent, ast.Call) else ""
        weak = last if name.startswith("cryptography.") and last in {"MD5", "SHA1"} else ""
        if name in {"hmac.new", "hmac.digest", "hmac.HMAC"}:
            kind = [*node.args[2:3], *(k.value for k in node.keywords if k.arg in {"digestmod", "digest"})]
            text = (self.module.qualified_name(kind[0]) or self._string_value(kind[0])) if kind else ""
            if text.rpartition(".")[2].lower() == "md5":
                self.report(
                    self.module.span(node),
                    "md5 is too weak for a signature or a password; "
                    "use HMAC-SHA-256, or scrypt for passwords",
                )
        elif weak and (called in _SIGNING or (called == "HMAC" and weak == "MD5")):
            self.report(
                self.module.span(node),
                f"{weak} is too weak for a signature or a password; "
                "use HMAC-SHA-256, or scrypt for passwords",
            )
        elif weak and called == "Hash" and isinstance(parent, ast.Call):
            if self._is_about_security(parent, ()):
                self.report(
                    self.module.span(node),
                    f"{weak} is too weak for a signature or a password; "
                    "use HMAC-SHA-256, or scrypt for passwords",
                )
        elif _CRYPTO_HASH.search(name) and self._is_about_security(node, node.args):
            kind_of_hash = name.split(".")[-2]
            self.report(
                self.module.span(node),
                f"{kind_of_hash} is too weak for a signature or a password; "
                "use HMAC-SHA-256, or scrypt for passwords",
            )

    def _string_value(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, ast.Name) and node.id in self.module.top_texts:
            return self.module.top_texts[node.id]
        from wardround_python.dataflow.known_values import (
            constant_of,  # only if an algorithm is computed
        )

        known = constant_of(self.module, node)
        return str(known.value) if known is not None else ""

    def _is_about_security(self, node: ast.Call, hashed: Sequence[ast.expr]) -> bool:
        """Return True if the hashed value, the function or the name of the digest concerns security."""
        uses = ValueUses(self.module)
        added = (value for name in self._names_of(node) for value in self._put_in(uses, name))
        values = _with_assigned(uses, [*hashed, *added])
        around = getattr(self.module.function_of(node), "name", "")
        words = [_CAMEL.sub("_", word) for word in (around, *names_and_strings_in(values), *uses.words(node))]
        if any(_HARMLESS.search(word) or _NAMES_IT.search(word) for word in words):
            return False
        return any(map(_ABOUT.search, words)) or any(map(_is_request_field, values))

    def _names_of(self, node: ast.Call) -> list[ast.Name]:
        """Return the names in the arguments of the constructor of a hash."""
        parent = self.module.parents[node]
        targets = parent.targets if isinstance(parent, ast.Assign) else []
        return [target for target in targets if isinstance(target, ast.Name)]

    def _put_in(self, uses: ValueUses, name: ast.Name) -> Iterator[ast.expr]:
        """Return the values that are added to a hash later: ``digest.update(text)``."""
        for load in uses.loads(name):
            func = self.module.parents[load]
            call = self.module.parents[func]
            if isinstance(func, ast.Attribute) and func.attr == "update" and isinstance(call, ast.Call):
                yield from call.args


def _with_assigned(uses: ValueUses, values: Sequence[ast.expr]) -> list[ast.expr]:
    """Return values, and those assigned to the names in them."""
    names = [node for value in values for node in walk(value) if isinstance(node, ast.Name)]
    return [*values, *(value for name in names for value in uses.assigned_values(name))]


def _is_request_field(value: ast.expr) -> bool:
    """Return True if a value is made of a field of a request: ``request.form["name"]``."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in _FIELDS and last_name(node.value) == "request"
        for node in walk(value)
    )
