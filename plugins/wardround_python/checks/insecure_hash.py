"""PY324."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Source, Valid
from wardround.findings import Plane, Severity
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.module import last_name

_WEAK = LatePattern(r"^(?i:md4|md5|sha1|sha-1|sha)$")
_ABOUT = LatePattern(
    r"(?i)(^|_|\b)(sign(ed|ature|ing)?|signer|hmac|mac|token|password|passwd|passphrase|secret|credential|auth|"
    r"api_?key|signing_key|secret_key|private_key)(_|\b|$)"
)
# A protocol of somebody else's: what is made is called after the hash.
_NAMES_IT = LatePattern(r"(?i)_?(md5|sha1)$")
_HARMLESS = LatePattern(
    r"(?i)(cache|etag|checksum|finger_?print|gravatar|dedup|revision|version|file_?hash|content_?hash|asset|"
    r"id_?for|thumb|tokeniz|pwned|hibp|breach|legacy|function_signature|file_sign|type_sign)"
)


_SIGNING = frozenset({"sign", "verify", "ECDSA", "CertificateBuilder", "Prehashed"})
_CRYPTO_HASH = LatePattern(r"^(Crypto|Cryptodome)\.Hash\.(MD2|MD4|MD5|SHA|SHA1)\.new$")


class InsecureHash(PythonCheck):
    """A signature or a password rests on MD5 or SHA-1.

    Neither resists forgery any longer, and a hash of secret and message together can be extended without
    knowing the secret. Sign with ``hmac.new(key, message, "sha256")``; keep passwords with scrypt, bcrypt or
    argon2.
    """

    ID = "PY324"
    NAME = "insecure-hash"
    WORDS = ("hashlib", "hmac", "hashes", "Crypto")
    PLANE = Plane.SECURITY
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "weak-hash"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "four, one right, three in clients whose server asks for it; narrowed, two left, one right: a note; "
        "followed through a variable: seven, six right; "
        "widened, over twenty-eight trees of 1.3 million lines: nothing more"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import hashlib\ndef etag(body):\n    return hashlib.md5(body).hexdigest()\n",
        "import hashlib\ndef gravatar(email):\n    return hashlib.md5(email.encode()).hexdigest()\n",
        "import hashlib\ndef sign(key, body):\n    return hashlib.sha256(key + body).hexdigest()\n",
        "import hashlib\ndef cache_token(text):\n"
        "    return hashlib.sha1(text, usedforsecurity=False).hexdigest()\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from cryptography.hazmat.primitives import hashes\ndef issue(builder, key):\n"
            "    return builder.sign(key, hashes.SHA1())\n",
            3,
            30,
        ),
        Invalid(
            "import hmac, hashlib\ndef mark(key, body):\n    return hmac.new(key, body, hashlib.md5)\n", 3, 12
        ),
        Invalid(
            "from Crypto.Hash import MD5\ndef signature(secret, body):\n    return MD5.new(secret + body)\n",
            3,
            12,
        ),
        Invalid(
            "import hashlib\ndef _digest(password, salt):\n    material = (salt + password).encode()\n"
            "    return hashlib.md5(material).hexdigest()\n",
            4,
            12,
        ),
        Invalid(
            "import hashlib\ndef sign(secret, body):\n    return hashlib.md5(secret + body).hexdigest()\n",
            3,
            12,
        ),
        Invalid(
            "import hashlib\nALGORITHM = 'sha1'\ndef signature(body):\n"
            "    return hashlib.new(ALGORITHM, body)\n",
            4,
            12,
        ),
        Invalid(
            "import hashlib\nfrom settings import SECRET_KEY\ndef verify(body, given):\n"
            "    return hashlib.sha1(SECRET_KEY + body).hexdigest() == given\n",
            4,
            12,
        ),
        Invalid(
            "import hashlib\ndef save(user, password):\n    user.hash = hashlib.sha1(password.encode())\n",
            3,
            17,
        ),
    ]

    @classmethod
    def wants(cls, source: Source) -> bool:
        return any(word in source.text for word in cls.WORDS) and any(
            word in source.text.lower() for word in ("md5", "sha1", "md4")
        )

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if not name.startswith("hashlib."):
            self._look_at_others(node, name)
            return
        if any(k.arg == "usedforsecurity" for k in node.keywords):
            return
        algorithm = name.removeprefix("hashlib.")
        if algorithm == "new":
            algorithm = self._text(node.args[0]) if node.args else ""
        if _WEAK.search(algorithm) and self._is_about_security(node, algorithm):
            self.report(self.module.span(node), f"{algorithm} does not protect a signature or a password")

    def _look_at_others(self, node: ast.Call, name: str) -> None:
        """The same hashes from ``hmac``, ``cryptography`` and PyCryptodome, where they sign something."""
        last = name.rpartition(".")[2]
        parent = self.module.parents[node]
        called = last_name(parent.func) if isinstance(parent, ast.Call) else ""
        weak = last if name.startswith("cryptography.") and last in {"MD5", "SHA1"} else ""
        if name in {"hmac.new", "hmac.digest", "hmac.HMAC"}:
            kind = [*node.args[2:3], *(k.value for k in node.keywords if k.arg in {"digestmod", "digest"})]
            said = (self.module.dotted(kind[0]) or self._text(kind[0])) if kind else ""
            if said.rpartition(".")[2].lower() == "md5":
                self.report(self.module.span(node), "md5 does not protect a signature or a password")
        elif weak and (called in _SIGNING or (called == "HMAC" and weak == "MD5")):
            self.report(self.module.span(node), f"{weak} does not protect a signature or a password")
        elif _CRYPTO_HASH.search(name) and self._is_about_security(node, last):
            kind_of_hash = name.split(".")[-2]
            self.report(self.module.span(node), f"{kind_of_hash} does not protect a signature or a password")

    def _text(self, node: ast.expr) -> str:
        if isinstance(node, ast.Constant):
            return str(node.value)
        named = [
            one.value.value
            for one in self.module.tree.body
            if isinstance(one, ast.Assign)
            and isinstance(one.value, ast.Constant)
            and isinstance(node, ast.Name)
            and any(isinstance(target, ast.Name) and target.id == node.id for target in one.targets)
        ]
        return str(named[0]) if named else ""

    def _is_about_security(self, node: ast.Call, algorithm: str) -> bool:
        """By what is hashed, and by the names of the function and of what the digest becomes."""
        hashed = node.args[1:] if algorithm != (self.module.dotted(node.func) or "")[8:] else node.args
        names = [part for one in hashed for part in _names(one)]
        function = self.module.function_of(node)
        for one in ast.walk(function) if function is not None else ():
            if isinstance(one, ast.Assign) and any(getattr(t, "id", "") in names for t in one.targets):
                names += _names(one.value)
        around = [getattr(function, "name", "")]
        for parent in self.module.ancestors(node):
            if isinstance(parent, ast.Assign):
                names += [name for target in parent.targets for name in _names(target)]
            if isinstance(parent, ast.stmt):
                break
        if any(_HARMLESS.search(name) or _NAMES_IT.search(name) for name in (*around, *names)):
            return False
        return any(_ABOUT.search(name) for name in (*around, *names))


def _names(node: ast.AST) -> list[str]:
    found = [part.id for part in ast.walk(node) if isinstance(part, ast.Name)]
    return found + [part.attr for part in ast.walk(node) if isinstance(part, ast.Attribute)]
