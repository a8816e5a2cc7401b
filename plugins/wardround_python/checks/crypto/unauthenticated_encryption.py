"""PY357."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.cases import Invalid, Valid
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.languages.python.literals import given_once
from wardround_python.check import PythonCheck

_TAGGED = LazyPattern(r"MODE_(GCM|EAX|CCM|SIV|OCB)\b")
_BARE = LazyPattern(r"\b(AES\.MODE_|modes\.)(CBC|CTR|CFB8?|OFB)\b")
_SEALED = LazyPattern(
    r"(?i)\bhmac\b|\bHMAC\(|\bCMAC\b|\bpoly1305\b|compare_digest|\.verify\(|authenticat|\bmac\b|GCM|signature|encrypt_then"
)
# Formats of others: what is read or written there is as they made it.
_OTHERS = LazyPattern(
    r"(?i)pkcs12|pbe|openssl|legacy|compat|ntlm|kerberos|smb|zip|pdf|wechat|wx|alipay|dingtalk|feishu"
)
_PADDED = frozenset({"Crypto.Cipher.PKCS1_v1_5.new", "Cryptodome.Cipher.PKCS1_v1_5.new", "rsa.encrypt"})


class UnauthenticatedEncryption(PythonCheck):
    """What was encrypted can be changed on the way, and decrypting does not notice.

    Without a tag that is checked an attacker flips bits, or asks with changed messages until they know the
    text. Take ``AESGCM`` or Fernet, ``decrypt_and_verify`` for the modes with a tag, and OAEP for RSA.
    """

    ID = "PY357"
    NAME = "unauthenticated-encryption"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "unauthenticated-encryption"
    TRIED_ON = "twenty-eight trees of 5,264 files and 1.3 million lines, tests left out: no finding"
    WORDS = ("Crypto", "cryptography", "import rsa")
    VALID: ClassVar[Sequence[str | Valid]] = [
        "from Crypto.Cipher import AES\ndef read(key, nonce, data, tag):\n"
        "    return AES.new(key, AES.MODE_GCM, nonce=nonce).decrypt_and_verify(data, tag)\n",
        "from Crypto.Cipher import AES\ndef read(key, nonce, data, tag):\n"
        "    box = AES.new(key, AES.MODE_GCM, nonce=nonce)\n    text = box.decrypt(data)\n"
        "    box.verify(tag)\n"
        "    return text\n",
        "import hmac\nfrom Crypto.Cipher import AES\ndef read(key, iv, data, mac):\n"
        "    if not hmac.compare_digest(hmac.digest(key, data, 'sha256'), mac):\n        raise ValueError\n"
        "    return AES.new(key, AES.MODE_CBC, iv).decrypt(data)\n",
        "from cryptography.hazmat.primitives.asymmetric import padding\ndef sign(key, data, kind):\n"
        "    return key.sign(data, padding.PKCS1v15(), kind)\n",
    ]
    INVALID: ClassVar[Sequence[Invalid]] = [
        Invalid(
            "from Crypto.Cipher import AES\ndef read(key, nonce, data):\n"
            "    return AES.new(key, AES.MODE_GCM, nonce=nonce).decrypt(data)\n",
            3,
            12,
        ),
        Invalid(
            "from Cryptodome.Cipher import AES\ndef read(key, nonce, data):\n"
            "    box = AES.new(key, AES.MODE_EAX, nonce)\n    return box.decrypt(data)\n",
            4,
            12,
        ),
        Invalid(
            "from Crypto.Cipher import PKCS1_v1_5\ndef wrap(public, key):\n"
            "    return PKCS1_v1_5.new(public).encrypt(key)\n",
            3,
            12,
        ),
        Invalid(
            "from cryptography.hazmat.primitives.asymmetric import padding\ndef wrap(public, key):\n"
            "    return public.encrypt(key, padding.PKCS1v15())\n",
            3,
            32,
        ),
        Invalid(
            "from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes\n"
            "def read(key, iv, data):\n"
            "    box = Cipher(algorithms.AES(key), modes.CBC(iv)).decryptor()\n"
            "    return box.update(data) + box.finalize()\n",
            3,
            11,
        ),
    ]

    def visit_Module(self, node: ast.Module) -> None:
        self._said: set[object] = set()

    def visit_Call(self, node: ast.Call) -> None:
        name = self.module.imported_name(node.func) or ""
        if name in _PADDED or (name.endswith("padding.PKCS1v15") and self._is_for_hiding(node)):
            self.report(
                self.module.span(node), "this padding tells an attacker what was encrypted; take OAEP"
            )
        elif isinstance(node.func, ast.Attribute) and node.func.attr == "decrypt":
            self._look_at_tag(node, node.func)
        elif name.endswith(("ciphers.Cipher", "Cipher.AES.new", "ciphers.base.Cipher")):
            self._look_at_bare(node)

    def _is_for_hiding(self, node: ast.Call) -> bool:
        parent = self.module.parents[node]
        parent = self.module.parents[parent] if isinstance(parent, ast.keyword) else parent
        called = (
            parent.func.attr
            if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Attribute)
            else ""
        )
        return called in {"encrypt", "decrypt"}

    def _look_at_tag(self, node: ast.Call, func: ast.Attribute) -> None:
        """A mode with a tag, which nobody looks at."""
        made = func.value if isinstance(func.value, ast.Call) else given_once(self.module, func.value)
        if not isinstance(made, ast.Call) or not _TAGGED.search(ast.unparse(made)):
            return
        function = self.module.function_of(node)
        around = ast.unparse(function) if function is not None else self.source.text
        if ".verify(" not in around and ".hexverify(" not in around and "_and_verify" not in around:
            self.report(
                self.module.span(node), "the tag is not checked: what was changed is decrypted all the same"
            )

    def _look_at_bare(self, node: ast.Call) -> None:
        """A mode that keeps secret and proves nothing, in a module where nothing else proves it."""
        function = self.module.function_of(node)
        texts = [ast.unparse(one) for one in node.args] + [ast.unparse(k.value) for k in node.keywords]
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
                "nothing tells whether this was changed on the way",
                None,
                Severity.INFO,
            )
