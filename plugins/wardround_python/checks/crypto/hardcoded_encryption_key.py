"""PY343: hardcoded encryption key."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.findings import Plane
from wardround.languages.python.tree import unparse
from wardround_python.check import PythonCheck

_CIPHERS = frozenset({"Fernet", "AESGCM", "AESCCM", "ChaCha20Poly1305", "AESSIV", "SecretBox"})
_LENGTHS = frozenset({16, 24, 32, 44})


class HardcodedEncryptionKey(PythonCheck):
    """An encryption key is hardcoded in the source.

    Anyone with a copy of the source, including this commit, can decrypt everything encrypted with the key.
    Generate a new key and read it from the environment or a secret store.
    """

    ID = "PY343"
    NAME = "hardcoded-encryption-key"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "hardcoded-secret"
    MASKED = True
    WORDS = (
        "Fernet(",
        "AESGCM(",
        "AESCCM(",
        "ChaCha20Poly1305(",
        "AES.new(",
        "algorithms.AES(",
        "SecretBox(",
    )
    VALID = [
        code("""
            from cryptography.fernet import Fernet
            box = Fernet(os.environ['KEY'])
        """),
        code("""
            from cryptography.fernet import Fernet
            box = Fernet(Fernet.generate_key())
        """),
    ]
    INVALID = [
        code("""
            from cryptography.hazmat.primitives.ciphers.aead import AESGCM
            class Box:
                KEY = '0123456789abcdef'
                def seal(self, data, nonce):
                    return AESGCM(«'0123456789abcdef'.encode()»).encrypt(nonce, data, None)
        """),
        code("""
            from cryptography.fernet import Fernet
            box = Fernet(«b'cVRzY2pLdDBcVRzY2pLdDBcVRzY2pLdDBcVRzY2pLdDB'»)
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        last = name.rpartition(".")[2]
        is_cipher = last in _CIPHERS or name.endswith(("Cipher.AES.new", "algorithms.AES"))
        if is_cipher and node.args and self._is_in_source(node.args[0]):
            self.report(
                self.module.span(node.args[0]),
                "hardcoded encryption key; generate a new one and read it "
                "from the environment or a secret store",
            )

    def _is_in_source(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return isinstance(node.value, (bytes, str)) and len(node.value) in _LENGTHS
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "encode":
            return self._is_in_source(node.func.value)
        if isinstance(node, (ast.Name, ast.Attribute)):
            text = unparse(node)
            values = [
                inner.value
                for inner in self.module.nodes
                if isinstance(inner, ast.Assign) and any(unparse(target) == text for target in inner.targets)
            ]
            return (
                len(values) == 1
                and not isinstance(values[0], (ast.Name, ast.Attribute))
                and self._is_in_source(values[0])
            )
        return False
