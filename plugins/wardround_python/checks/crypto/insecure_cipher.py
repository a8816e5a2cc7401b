from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.literals import single_assignment
from wardround.languages.python.module import PythonModule, statements_in
from wardround.languages.python.tree import unparse, walk
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.calls import keyword_values

_NEEDS_FRESH = frozenset({"CBC", "CTR", "GCM", "CFB", "OFB", "CFB8"})
_BROKEN = LazyPattern(
    r"(^|\.)(DES3?|ARC4|ARC2|RC4|Blowfish|XOR)\.new$|algorithms\.(ARC4|TripleDES|Blowfish|IDEA|CAST5|SEED)$"
)
_PYCRYPTO = LazyPattern(r"^(Crypto|Cryptodome)\.Cipher\.")


_AEADS = frozenset({"AESGCM", "ChaCha20Poly1305", "AESCCM", "AESOCB3"})


_OF_KEY = LazyPattern(r"(?i)\bkey\w*\[|\bhashlib\.\w+\([^)]*key")


class InsecureCipher(PythonCheck):
    """Encryption leaks plaintext: ECB mode, a fixed IV or nonce, or a broken cipher.

    ECB encrypts equal blocks to equal blocks. With a fixed initialisation vector or nonce, equal messages
    have equal prefixes, and a repeated nonce reveals the authentication key of GCM. Use ``AESGCM`` with a new
    ``os.urandom`` nonce for each message, or Fernet.
    """

    ID = "PY323"
    NAME = "insecure-cipher"
    WORDS = ("cryptography", "Crypto", "pyaes", "pyDes")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "weak-cipher"
    VALID = [
        code("""
            import os
            from cryptography.hazmat.primitives.ciphers import modes
            mode = modes.CBC(os.urandom(16))
        """),
        code("""
            from cryptography.hazmat.primitives.ciphers import modes
            def mode(iv):
                return modes.CBC(iv)
        """),
    ]
    INVALID = [
        code("""
            from cryptography.hazmat.primitives.ciphers import modes
            class Box:
                MODE = «modes.ECB»
        """),
        code("""
            from Crypto.Cipher import AES
            def seal(key, data):
                iv = key[:16]
                return «AES.new(key, AES.MODE_CBC, iv)».encrypt(data)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        complaint = self._message(node)
        if complaint is not None:
            self.report(self.module.span(node), complaint)

    def _message(self, node: ast.Call) -> str | None:
        name = self.module.imported_name(node.func) or ""
        last = name.rpartition(".")[2]
        if name.endswith(f"modes.{last}") and last in _NEEDS_FRESH and self._has_reused_iv(node):
            return f"{last} with a fixed IV or nonce; generate one with os.urandom for each message"
        if last == "new" and _PYCRYPTO.search(name):
            return self._pycrypto(node, name)
        if _is_broken(name):
            return f"{last} is a broken cipher; use AES"
        if isinstance(node.func, ast.Attribute) and node.func.attr == "encrypt":
            return self._encryption_message(node, node.func)
        return None

    def _has_reused_iv(self, node: ast.Call) -> bool:
        """Return True if the first argument is a fixed IV, or a part of the key."""
        return bool(node.args) and (self._is_fixed(node.args[0]) or self._is_of_the_key(node.args[0], node))

    def _encryption_message(self, node: ast.Call, func: ast.Attribute) -> str | None:
        """Return the message for ``encrypt`` of an authenticated cipher with a reused nonce."""
        maker = self.module.qualified_name(func.value.func) or "" if isinstance(func.value, ast.Call) else ""
        is_aead = maker.endswith(("AESGCM", "ChaCha20Poly1305", "AESCCM"))
        if is_aead and node.args and self._is_fixed(node.args[0]):
            cipher = maker.rpartition(".")[2]
            return f"{cipher} with a fixed nonce; generate one with os.urandom for each message"
        return self._reused_nonce(node, func.value) if len(node.args) == 3 else None

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Report the mode itself if the cipher is created elsewhere."""
        name = self.module.imported_name(node) or ""
        parent = self.module.parents[node]
        is_kept = isinstance(parent, (ast.Assign, ast.AnnAssign, ast.Return, ast.Dict))
        if is_kept and name.endswith(("ciphers.modes.ECB", "modes.ECB", "AES.MODE_ECB")):
            self.report(
                self.module.span(node),
                "ECB encrypts equal blocks to equal blocks; use an authenticated mode such as GCM",
            )

    def _is_of_the_key(self, node: ast.expr, place: ast.AST) -> bool:
        """Return True if an IV is a part of the key, or a hash of it."""
        function = self.module.function_of(place)
        texts = [unparse(node)]
        if isinstance(node, ast.Name) and function is not None:
            texts += [
                unparse(inner.value)
                for inner in walk(function)
                if isinstance(inner, ast.Assign)
                and any(getattr(t, "id", "") == node.id for t in inner.targets)
            ]
        return any(_OF_KEY.search(text) for text in texts)

    def _reused_nonce(self, node: ast.Call, cipher: ast.expr) -> str | None:
        """Return the message for a nonce that is set once and reused for each message."""
        value = _single_assignment(self.module, cipher)
        maker = self.module.qualified_name(value.func) if isinstance(value, ast.Call) else None
        algorithm = (maker or "").rpartition(".")[2]
        if algorithm not in _AEADS or not self._is_reused(node.args[0]):
            return None
        advice = "generate one with os.urandom for each message"
        return f"{algorithm} reuses its nonce for the next message; {advice}"

    def _is_reused(self, nonce: ast.expr) -> bool:
        """Return True if a nonce is stored, derived from other data, or constant."""
        is_stored = isinstance(nonce, (ast.Name, ast.Attribute))
        origin = _single_assignment(self.module, nonce) if is_stored else nonce
        if isinstance(nonce, ast.Attribute) and origin is not None and not _is_counted(self.module, nonce):
            return True
        if isinstance(origin, (ast.Call, ast.Subscript)) and "hashlib." in unparse(origin):
            return True
        return self._is_fixed(nonce)

    def _pycrypto(self, node: ast.Call, name: str) -> str | None:
        if _BROKEN.search(name):
            return f"{name.split('.')[-2]} is a broken cipher; use AES"
        modes = [*node.args[1:2], *keyword_values(node, "mode")]
        mode = unparse(modes[0]).rpartition("_")[2] if modes else ""
        if mode == "ECB":
            return "ECB encrypts equal blocks to equal blocks; use an authenticated mode such as GCM"
        nonces = [*node.args[2:3], *keyword_values(node, "iv", "IV", "nonce")]
        if not nonces or not (self._is_fixed(nonces[0]) or self._is_of_the_key(nonces[0], node)):
            return None
        return f"{mode} with a fixed IV or nonce; generate one with os.urandom for each message"

    def _is_fixed(self, node: ast.expr) -> bool:
        """Return True if bytes are constant: a literal, a repeated literal, or the name of a constant."""
        match node:
            case ast.Constant():
                return isinstance(node.value, (bytes, str))
            case ast.BinOp(op=ast.Mult()):
                return self._is_fixed(node.left) or self._is_fixed(node.right)
            case ast.BinOp(op=ast.Add()):
                return self._is_fixed(node.left)
            case ast.Call():
                return self._is_fixed_call(node)
            case ast.Name() if node.id.isupper():
                return self._is_fixed_constant(node)
            case ast.Name():
                value = single_assignment(self.module, node)
                return not isinstance(value, ast.Attribute) and self._is_set_to_fixed(value)
            case ast.Attribute() if node.attr.isupper():
                return self._is_set_to_fixed(single_assignment(self.module, node))
        return False

    def _is_set_to_fixed(self, value: ast.expr | None) -> bool:
        return value is not None and self._is_fixed(value)

    def _is_fixed_call(self, node: ast.Call) -> bool:
        """Return True for ``bytes(16)``, ``"...".encode()`` and ``bytes.fromhex("...")``."""
        is_bytes = self.module.qualified_name(node.func) in {"bytes", "bytearray"} and len(node.args) == 1
        if is_bytes and not isinstance(node.args[0], ast.Name):
            return isinstance(node.args[0], (ast.Constant, ast.BinOp))
        if not isinstance(node.func, ast.Attribute) or node.func.attr not in {"encode", "fromhex"}:
            return False
        return self._is_fixed(node.func.value if node.func.attr == "encode" else node.args[0])

    def _is_fixed_constant(self, node: ast.Name) -> bool:
        """Return True if a statement of the module binds a constant to fixed bytes."""
        return any(
            isinstance(statement, ast.Assign)
            and any(isinstance(t, ast.Name) and t.id == node.id for t in statement.targets)
            and self._is_fixed(statement.value)
            for statement in statements_in(self.module.tree)
        )


def _single_assignment(module: PythonModule, node: ast.expr) -> ast.expr | None:
    """Return the value of a name or attribute that is assigned once in the module."""
    text = unparse(node)
    values = [
        inner.value
        for inner in statements_in(module.tree)
        if isinstance(inner, ast.Assign) and any(unparse(target) == text for target in inner.targets)
    ]
    return values[0] if len(values) == 1 else None


def _is_counted(module: PythonModule, node: ast.expr) -> bool:
    """Return True if an attribute changes: it is incremented, or assigned outside the constructor."""
    text = unparse(node)
    for inner in statements_in(module.tree):
        targets = (
            inner.targets
            if isinstance(inner, ast.Assign)
            else [inner.target]
            if isinstance(inner, ast.AugAssign)
            else []
        )
        if any(unparse(target) == text for target in targets):
            function = module.function_of(inner)
            if isinstance(inner, ast.AugAssign) or getattr(function, "name", "") not in {
                "__init__",
                "__post_init__",
            }:
                return function is not None
    return False


def _is_broken(name: str) -> bool:
    if name in {"pyDes.des", "pyDes.triple_des"}:
        return True
    return "cryptography" in name and _BROKEN.search(name) is not None
