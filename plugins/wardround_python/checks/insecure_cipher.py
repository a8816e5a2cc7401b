"""PY323."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks import Invalid, Valid
from wardround.findings import Plane
from wardround.late import LatePattern
from wardround_python.check import PythonCheck
from wardround_python.module import statements_in

_NEEDS_FRESH = frozenset({"CBC", "CTR", "GCM", "CFB", "OFB", "CFB8"})
_BROKEN = LatePattern(
    r"(^|\.)(DES3?|ARC4|ARC2|RC4|Blowfish|XOR)\.new$|algorithms\.(ARC4|TripleDES|Blowfish|IDEA|CAST5|SEED)$"
)
_PYCRYPTO = LatePattern(r"^(Crypto|Cryptodome)\.Cipher\.")


class InsecureCipher(PythonCheck):
    """Encryption gives away what it should hide: a mode without chaining, a fixed start value, an old cipher.

    In ECB equal blocks stay equal; with an initialisation vector or nonce that never changes, equal messages
    start the same, and GCM loses its key. Take ``AESGCM`` or Fernet with ``os.urandom`` for every message.
    """

    ID = "PY323"
    NAME = "insecure-cipher"
    WORDS = ("cryptography", "Crypto", "pyaes", "pyDes")
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "weak-cipher"
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, aiohttp, flask, apprise, gunicorn, llm and "
        "PySyft: "
        "no finding"
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "import os\nfrom cryptography.hazmat.primitives.ciphers import modes\n"
        "mode = modes.CBC(os.urandom(16))\n",
        "from cryptography.hazmat.primitives.ciphers import modes\ndef mode(iv):\n    return modes.CBC(iv)\n",
        "from Crypto.Cipher import AES\ndef seal(key, nonce):\n"
        "    return AES.new(key, AES.MODE_GCM, nonce=nonce)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from cryptography.hazmat.primitives.ciphers import modes\nmode = modes.CBC(b'\\x00' * 16)\n",
            2,
            8,
        ),
        Invalid(
            "from Crypto.Cipher import AES\ndef seal(key):\n    return AES.new(key, AES.MODE_ECB)\n", 3, 12
        ),
        Invalid(
            "from Crypto.Cipher import AES\nIV = b'0123456789abcdef'\ndef seal(key):\n"
            "    return AES.new(key, AES.MODE_CBC, IV)\n",
            4,
            12,
        ),
        Invalid(
            "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\ndef seal(key, text):\n"
            "    return AESGCM(key).encrypt(b'123456789012', text, None)\n",
            3,
            12,
        ),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        complaint = self._complaint(node)
        if complaint is not None:
            self.report(self.module.span(node), complaint)

    def _complaint(self, node: ast.Call) -> str | None:
        name = self.module.imported_name(node.func) or ""
        last = name.rpartition(".")[2]
        if (
            name.endswith(f"modes.{last}")
            and last in _NEEDS_FRESH
            and node.args
            and self._is_fixed(node.args[0])
        ):
            return f"{last} with a start value that is always the same"
        if _PYCRYPTO.search(name) and last == "new":
            return self._pycrypto(node, name)
        if _BROKEN.search(name) and "cryptography" in name:
            return f"{last} is broken; take AES"
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr == "encrypt"
            and isinstance(node.func.value, ast.Call)
        ):
            maker = self.module.dotted(node.func.value.func) or ""
            if (
                maker.endswith(("AESGCM", "ChaCha20Poly1305", "AESCCM"))
                and node.args
                and self._is_fixed(node.args[0])
            ):
                return f"{maker.rpartition('.')[2]} with a nonce that is always the same"
        return None

    def _pycrypto(self, node: ast.Call, name: str) -> str | None:
        if _BROKEN.search(name):
            return f"{name.split('.')[-2]} is broken; take AES"
        modes = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "mode")]
        mode = ast.unparse(modes[0]).rpartition("_")[2] if modes else ""
        if mode == "ECB":
            return "ECB leaves equal blocks equal"
        given = [*node.args[2:3], *(k.value for k in node.keywords if k.arg in {"iv", "IV", "nonce"})]
        return (
            f"{mode} with a start value that is always the same"
            if given and self._is_fixed(given[0])
            else None
        )

    def _is_fixed(self, node: ast.expr) -> bool:
        """Whether bytes stand in the source: as a literal, times a number, or by a constant's name."""
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (bytes, str))
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Add)):
            return self._is_fixed(node.left) or (isinstance(node.op, ast.Mult) and self._is_fixed(node.right))
        if isinstance(node, ast.Call):
            name = self.module.dotted(node.func) or ""
            is_made = (
                name in {"bytes", "bytearray"}
                and len(node.args) == 1
                and not isinstance(node.args[0], ast.Name)
            )
            if is_made:
                return isinstance(node.args[0], (ast.Constant, ast.BinOp))
            is_text = isinstance(node.func, ast.Attribute) and node.func.attr in {"encode", "fromhex"}
            return (
                is_text
                and isinstance(node.func, ast.Attribute)
                and self._is_fixed(node.func.value if node.func.attr == "encode" else node.args[0])
            )
        if isinstance(node, ast.Name) and node.id.isupper():
            return any(
                isinstance(one, ast.Assign)
                and any(isinstance(t, ast.Name) and t.id == node.id for t in one.targets)
                and self._is_fixed(one.value)
                for one in statements_in(self.module.tree)
            )
        return False
