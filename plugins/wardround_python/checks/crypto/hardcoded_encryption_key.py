from __future__ import annotations

import ast

from wardround.findings import Plane
from wardround.languages.python.tree import unparse
from wardround.rules.cases import code
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
        match node:
            case ast.Constant(value=bytes() | str() as key):
                return len(key) in _LENGTHS
            case ast.Call(func=ast.Attribute(attr="encode", value=text)):
                return self._is_in_source(text)
            case ast.Name() | ast.Attribute():
                return self._is_only_value_in_source(unparse(node))
            case _:
                return False

    def _is_only_value_in_source(self, name: str) -> bool:
        """Return True if a name has one value in the module, and that is a key in the source."""
        assignments = (node for node in self.module.nodes if isinstance(node, ast.Assign))
        values = [node.value for node in assignments if name in map(unparse, node.targets)]
        if len(values) != 1 or isinstance(values[0], (ast.Name, ast.Attribute)):
            return False
        return self._is_in_source(values[0])
