"""PY343."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.findings import Plane
from wardround_python.check import PythonCheck

_CIPHERS = frozenset({"Fernet", "AESGCM", "AESCCM", "ChaCha20Poly1305", "AESSIV", "SecretBox"})
_LENGTHS = frozenset({16, 24, 32, 44})


class HardcodedEncryptionKey(PythonCheck):
    """The key that encrypts stands in the source.

    Whoever has a copy of the source, of this commit too, reads everything that was encrypted with it. Make a
    new key, and read it from the environment or a secret store.
    """

    ID = "PY343"
    NAME = "hardcoded-encryption-key"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    TRIED_ON = (
        "the trees of redash, healthchecks, linkding, Chainlit, flask and apprise, 400,000 lines: no finding"
    )
    WORDS = (
        "Fernet(",
        "AESGCM(",
        "AESCCM(",
        "ChaCha20Poly1305(",
        "AES.new(",
        "algorithms.AES(",
        "SecretBox(",
    )
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from cryptography.fernet import Fernet\nbox = Fernet(os.environ['KEY'])\n",
        "from cryptography.fernet import Fernet\nbox = Fernet(Fernet.generate_key())\n",
        "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\nbox = AESGCM(settings.KEY)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from cryptography.hazmat.primitives.ciphers.aead import AESGCM\nclass Box:\n"
            "    KEY = '0123456789abcdef'\n"
            "    def seal(self, data, nonce):\n"
            "        return AESGCM('0123456789abcdef'.encode()).encrypt(nonce, data, None)\n",
            5,
            23,
        ),
        Invalid(
            "from cryptography.fernet import Fernet\nbox = Fernet(b'" + "cVRzY2pLdDB" * 4 + "')\n", 2, 14
        ),
        Invalid(
            "from Crypto.Cipher import AES\nKEY = b'sixteen byte key'\n"
            "def seal(data, iv):\n    return AES.new(KEY, AES.MODE_GCM, iv).encrypt(data)\n",
            4,
            20,
        ),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        last = name.rpartition(".")[2]
        is_cipher = last in _CIPHERS or name.endswith(("Cipher.AES.new", "algorithms.AES"))
        if is_cipher and node.args and self._is_in_source(node.args[0]):
            self.report(self.module.span(node.args[0]), "the key that encrypts stands in the source")

    def _is_in_source(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (bytes, str)) and len(node.value) in _LENGTHS
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "encode":
            return self._is_in_source(node.func.value)
        if isinstance(node, (ast.Name, ast.Attribute)):
            text = ast.unparse(node)
            made = [
                one.value
                for one in self.module.nodes
                if isinstance(one, ast.Assign) and any(ast.unparse(target) == text for target in one.targets)
            ]
            return (
                len(made) == 1
                and not isinstance(made[0], (ast.Name, ast.Attribute))
                and self._is_in_source(made[0])
            )
        return False
