from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.findings import Plane
from wardround.languages.python.literals import literal, single_assignment
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_python.check import PythonCheck
from wardround_python.syntax.calls import called_method, keyword_values

# Bits that NIST SP 800-57 requires until 2030, and a curve of equal strength.
_BITS = 2048
_CURVES = LazyPattern(
    r"(?i)(^|\.)ec\.(SECP192R1|SECT163\w+|SECT193\w+|BrainpoolP160\w*|BrainpoolP192\w*|PRIME192\w+)$|"
    r"^ecdsa\.(\w+\.)?(NIST192p|SECP112\w+|SECP128\w+|SECP160\w+|BRAINPOOLP160\w+)$"
)
_MAKERS = {
    "rsa.generate_private_key": ("key_size", 1), "dsa.generate_private_key": ("key_size", 0),
    "dh.generate_parameters": ("key_size", 1), "RSA.generate": ("bits", 0), "DSA.generate": ("bits", 0),
    "RSAKey.generate": ("bits", 0), "DSSKey.generate": ("bits", 0), "rsa.newkeys": ("nbits", 0),
    "dsa.generate_parameters": ("key_size", 0), "ElGamal.generate": ("bits", 0),
    "generate_key": ("", 1),
}  # fmt: skip
"""The suffix of a function's dotted name -> its parameter for the size, by name and position."""
_FROM = LazyPattern(r"^(cryptography|Crypto|Cryptodome|paramiko|rsa|OpenSSL|M2Crypto)\b")


class WeakKey(PythonCheck):
    """An asymmetric key is short enough that the private key can be computed from the public key.

    RSA, DSA and Diffie-Hellman keys below 2048 bits, and curves below 224 bits, can be broken with rented
    hardware; the exponent 3 allows simpler attacks. Use RSA with 3072 bits and the exponent 65537, Ed25519 or
    P-256.
    """

    ID = "PY358"
    NAME = "weak-key"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "weak-key"
    WORDS = ("key_size", ".generate(", "newkeys", "generate_key", "SECP192", "SECT163", "NIST192p",
             "Brainpool",
             "generate_parameters", "public_exponent", "SECT193")  # fmt: skip
    VALID = [
        code("""
            from cryptography.hazmat.primitives.asymmetric import rsa
            key = rsa.generate_private_key(public_exponent=65537, key_size=3072)
        """),
        code("""
            from Crypto.PublicKey import RSA
            key = RSA.generate(2048)
        """),
    ]
    INVALID = [
        code("""
            from Crypto.PublicKey import RSA
            BITS = {'a': 3072}
            key = «RSA.generate(BITS.get('b', 1024))»
        """),
        code("""
            from paramiko import RSAKey
            key = «RSAKey.generate(1024)»
        """),
    ]

    def visit_Call(self, node: ast.Call) -> None:
        name = self._maker_name(node)
        position = next((_MAKERS[maker] for maker in _MAKERS if f".{name}".endswith(f".{maker}")), None)
        if position is None or not _FROM.search(name):
            return
        keyword, index = position
        arguments = keyword_values(node, keyword) or node.args[index : index + 1]
        sizes = list(self._numbers(arguments[0])) if arguments else []
        if any(16 < size < _BITS for size in sizes):
            self.report(self.module.span(node), f"a key of {min(sizes)} bits can be broken; use 3072")
        else:
            self._check_exponent(node)

    def _maker_name(self, node: ast.Call) -> str:
        is_openssl = called_method(node) == "generate_key" and len(node.args) == 2
        if is_openssl and "OpenSSL" in self.source.text:
            return "OpenSSL.generate_key"
        return self.module.imported_name(node.func) or ""

    def _check_exponent(self, node: ast.Call) -> None:
        exponents = [literal(self.module, value) for value in keyword_values(node, "public_exponent")]
        if any(isinstance(exponent, int) and exponent < 65537 for exponent in exponents):
            self.report(self.module.span(node), f"the exponent {exponents[0]} is vulnerable; use 65537")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if _CURVES.search(self.module.imported_name(node) or ""):
            self.report(self.module.span(node), "this curve is too short; use P-256 or Ed25519")

    def _numbers(self, node: ast.expr) -> Iterator[int]:
        """Yield the possible sizes of a key: a literal, a constant, or an entry of a table."""
        value = literal(self.module, node)
        if type(value) is int:
            yield value
            return
        for choice in self._choices(node):
            yield from self._numbers(choice)

    def _choices(self, node: ast.expr) -> list[ast.expr]:
        """Return the possible values of an expression."""
        match node:
            case ast.IfExp():
                return [node.body, node.orelse]
            case ast.Call(func=ast.Attribute(value=table, attr="get")):
                return [*node.args[1:], *self._table_values(table)]
            case ast.Subscript():
                return self._table_values(node.value)
        return []

    def _table_values(self, node: ast.expr) -> list[ast.expr]:
        table = single_assignment(self.module, node)
        return table.values if isinstance(table, ast.Dict) else []
