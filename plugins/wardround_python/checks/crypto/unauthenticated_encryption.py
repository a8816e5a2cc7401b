"""PY357: unauthenticated encryption."""

from __future__ import annotations

import ast

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import given_once
from wardround.languages.python.tree import unparse
from wardround.rules.maturity import Maturity
from wardround_python.check import PythonCheck

_TAGGED = LazyPattern(r"MODE_(GCM|EAX|CCM|SIV|OCB)\b")
_BARE = LazyPattern(r"\b(AES\.MODE_|modes\.)(CBC|CTR|CFB8?|OFB)\b")
_SEALED = LazyPattern(
    r"(?i)\bhmac\b|\bHMAC\(|\bCMAC\b|\bpoly1305\b|compare_digest|\.verify\(|authenticat|\bmac\b|GCM|signature|encrypt_then"
)
# Third-party formats, whose encryption is fixed.
_OTHERS = LazyPattern(
    r"(?i)pkcs12|pbe|openssl|legacy|compat|ntlm|kerberos|smb|zip|pdf|wechat|wx|alipay|dingtalk|feishu"
)
_PADDED = frozenset({"Crypto.Cipher.PKCS1_v1_5.new", "Cryptodome.Cipher.PKCS1_v1_5.new", "rsa.encrypt"})


class UnauthenticatedEncryption(PythonCheck):
    """Data is encrypted without authentication, so changes to the ciphertext are not detected.

    Without a verified tag an attacker can flip bits, or recover the plaintext by sending changed messages.
    Use ``AESGCM`` or Fernet, ``decrypt_and_verify`` for the modes with a tag, and OAEP for RSA.
    """

    ID = "PY357"
    NAME = "unauthenticated-encryption"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unauthenticated-encryption"
    WORDS = ("Crypto", "cryptography", "import rsa")
    VALID = [
        code("""
            from Crypto.Cipher import AES
            def read(key, nonce, data, tag):
                return AES.new(key, AES.MODE_GCM, nonce=nonce).decrypt_and_verify(data, tag)
        """),
        code("""
            from Crypto.Cipher import AES
            def read(key, nonce, data, tag):
                box = AES.new(key, AES.MODE_GCM, nonce=nonce)
                text = box.decrypt(data)
                box.verify(tag)
                return text
        """),
    ]
    INVALID = [
        code("""
            from Crypto.Cipher import AES
            def read(key, nonce, data):
                return «AES.new(key, AES.MODE_GCM, nonce=nonce).decrypt(data)»
        """),
        code("""
            from Cryptodome.Cipher import AES
            def read(key, nonce, data):
                box = AES.new(key, AES.MODE_EAX, nonce)
                return «box.decrypt(data)»
        """),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        self._said: set[object] = set()

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name in _PADDED or (name.endswith("padding.PKCS1v15") and self._is_for_hiding(node)):
            self.report(
                self.module.span(node),
                "PKCS #1 v1.5 padding lets an attacker recover the plaintext; use OAEP",
            )
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "decrypt":
            self._check_tag(node, node.func)
        elif name.endswith(("ciphers.Cipher", "Cipher.AES.new", "ciphers.base.Cipher")):
            self._check_bare(node)

    def _is_for_hiding(self, node: ast.Call) -> bool:
        parent = self.module.parents[node]
        parent = self.module.parents[parent] if isinstance(parent, ast.keyword) else parent
        called = (
            parent.func.attr
            if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute)
            else ""
        )
        return called in {"encrypt", "decrypt"}

    def _check_tag(self, node: ast.Call, func: ast.Attribute) -> None:
        """Report a mode with a tag that is never verified."""
        value = func.value if isinstance(func.value, ast.Call) else given_once(self.module, func.value)
        if not isinstance(value, ast.Call) or not _TAGGED.search(unparse(value)):
            return
        function = self.module.function_of(node)
        around = unparse(function) if function is not None else self.source.text
        if ".verify(" not in around and ".hexverify(" not in around and "_and_verify" not in around:
            self.report(
                self.module.span(node),
                "the tag is not verified, so changed data is decrypted; use decrypt_and_verify",
            )

    def _check_bare(self, node: ast.Call) -> None:
        """Report a mode without authentication, in a module where nothing else authenticates the data."""
        function = self.module.function_of(node)
        texts = [unparse(argument) for argument in node.args] + [unparse(k.value) for k in node.keywords]
        if (
            not any(map(_BARE.search, texts))
            or _SEALED.search(self.source.text)
            or _OTHERS.search(self.source.text)
        ):
            return
        if function not in self._said:
            self._said.add(function)
            self.report(
                self.module.span(node),
                "the ciphertext is not authenticated, so changes are not detected; use AESGCM or Fernet",
                None,
                Severity.INFO,
            )
