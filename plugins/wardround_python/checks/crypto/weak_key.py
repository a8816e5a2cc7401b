"""PY358: weak key."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.languages.python.literals import given_once, literal
from wardround_python.check import PythonCheck

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
        name = self.module.imported_name(node.func) or ""
        if isinstance(node.func, ast.Attribute) and node.func.attr == "generate_key" and len(node.args) == 2:
            name = "OpenSSL.generate_key" if "OpenSSL" in self.source.text else name
        expected = next(
            (_MAKERS[item] for item in _MAKERS if name == item or name.endswith(f".{item}")), None
        )
        if expected is None or not _FROM.search(name):
            return
        keyword, at = expected
        arguments = [k.value for k in node.keywords if k.arg == keyword] or node.args[at : at + 1]
        sizes = list(self._numbers(arguments[0])) if arguments else []
        exponents = [literal(self.module, k.value) for k in node.keywords if k.arg == "public_exponent"]
        if any(16 < size < _BITS for size in sizes):
            self.report(self.module.span(node), f"a key of {min(sizes)} bits can be broken; use 3072")
        elif any(isinstance(exponent, int) and exponent < 65537 for exponent in exponents):
            self.report(self.module.span(node), f"the exponent {exponents[0]} is vulnerable; use 65537")

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if _CURVES.search(self.module.imported_name(node) or ""):
            self.report(self.module.span(node), "this curve is too short; use P-256 or Ed25519")

    def _numbers(self, node: ast.expr) -> Iterator[int]:
        """Yield the possible sizes of a key: a literal, a constant, or an entry of a table."""
        value = literal(self.module, node)
        if type(value) is int:
            yield value
        elif isinstance(node, ast.IfExp):
            yield from self._numbers(node.body)
            yield from self._numbers(node.orelse)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            table = given_once(self.module, node.func.value)
            for argument in [*node.args[1:], *(table.values if isinstance(table, ast.Dict) else [])]:
                yield from self._numbers(argument)
        elif isinstance(node, ast.Subscript):
            table = given_once(self.module, node.value)
            for argument in table.values if isinstance(table, ast.Dict) else []:
                yield from self._numbers(argument)
