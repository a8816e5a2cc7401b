"""TS332: weak cipher by settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_BROKEN = LazyPattern(r"(?i)(^|-)(ecb|des|des3|3des|rc2|rc4|bf|blowfish|des-ede\w*)(-|$)|^des")
_FIXED = LazyPattern(
    r"^Buffer\.(alloc\(\s*(\d+|[A-Z_]+)\s*(,\s*['\"\d][^)]*)?\)|from\(\s*['\"][^'\"]*['\"][^)]*\))$"
)
_DRAWN = LazyPattern(r"^(crypto\.)?randomBytes\(")
_FIXED_WORDS = LazyPattern(r"\.parse\(\s*['\"][^'\"]*['\"]\s*\)$")
_CRYPTO_JS = LazyPattern(r"(^|\.)(AES|DES|TripleDES|RC4|Rabbit|RC4Drop)\.(en|de)crypt$|(?i:^crypto-?js[./])")
_OLD = LazyPattern(r"(^|[./])(DES|TripleDES|tripledes|RC4|rc4|RC4Drop|Rabbit|rabbit)\.")


_SHORT_KEY = 2048
"""Size in bits below which an RSA key counts as broken: NIST SP 800-131A."""


_BY_KEY = frozenset({"publicEncrypt", "privateDecrypt"})
_OLD_PADDING = LazyPattern(r"\bRSA_(PKCS1|NO)_PADDING$")


class WeakCipherBySettings(TreeCheck):
    """A cipher is weak because of its settings.

    In ECB equal blocks give equal ciphertext, so patterns remain; DES, RC2 and RC4 can be broken; a constant
    initialization vector shows which messages start alike. Use aes-256-gcm with twelve fresh random bytes for
    each message.
    """

    ID = "TS332"
    NAME = "weak-cipher-by-settings"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "weak-cipher"
    WORDS = ("ipheriv", "CryptoJS", "crypto-js", "createCipher", "forge", "subtle", "modulusLength", "RSA_")
    VALID = [
        code("""
            import { createCipheriv, randomBytes } from 'crypto';
            const iv = randomBytes(12);
            const cipher = createCipheriv('aes-256-gcm', key, iv);
        """),
        code("""
            const CryptoJS = require('crypto-js');
            CryptoJS.AES.encrypt(text, key, { mode: CryptoJS.mode.CBC, iv });
        """),
    ]
    INVALID = [
        code("""
            const CryptoJS = require('crypto-js');
            const MODE = { mode: CryptoJS.mode.ECB };
            exports.seal = (text) => «CryptoJS.AES.encrypt(text, KEY, MODE)».toString();
        """),
        code("""
            import crypto from 'crypto';
            function box(version, key) {
              const algorithm = version > 1 ? 'aes-256-ecb' : 'aes-128-ecb';
              return «crypto.createCipheriv(algorithm, key, null)»;
            }
        """),
    ]

    def check(self) -> None:
        for name, node, arguments in self.reader.calls():
            last = name.rpartition(".")[2]
            if self._is_short_key(last, arguments):
                self.report_node(node, "RSA key is too short; use at least 2048 bits")
            padding = self.reader.option(arguments[0], "padding") if last in _BY_KEY and arguments else None
            if padding is not None and _OLD_PADDING.search(self.text(padding)):
                self.report_node(
                    node, "PKCS#1 v1.5 padding enables decryption through error responses; use OAEP"
                )
            self._cipher(name, node, arguments)

    def _is_short_key(self, last: str, arguments: list[Node]) -> bool:
        if last not in {"generateKeyPair", "generateKeyPairSync"} or len(arguments) < 2:
            return False
        length = self.reader.option(arguments[1], "modulusLength")
        return length is not None and self.text(length).isdigit() and int(self.text(length)) < _SHORT_KEY

    def _cipher(self, name: str, node: Node, arguments: list[Node]) -> None:
        last = name.rpartition(".")[2]
        is_of_node = "crypto" in name or name == last
        if last in {"createCipheriv", "createDecipheriv"} and arguments:
            self._node_cipher(node, last, arguments)
        elif last in {"createCipher", "createDecipher"} and is_of_node and len(arguments) > 1:
            self.report_node(
                node,
                "cipher derives key and initialization vector from the password alone; use createCipheriv",
            )
        elif last in {"encrypt", "decrypt"} and _CRYPTO_JS.search(name):
            self._crypto_js(node, name, arguments)

    def _node_cipher(self, node: Node, last: str, arguments: list[Node]) -> None:
        algorithms = self._texts(arguments[0])
        if any(_BROKEN.search(one) for one in algorithms):
            self.report_node(node, "cipher can be broken or shows equal blocks; use aes-256-gcm")
        elif last == "createCipheriv" and len(arguments) > 2 and self._is_fixed(arguments[2]):
            self.report_node(
                node, "every message has the same initialization vector; generate a random one for each"
            )

    def _texts(self, node: Node) -> list[str]:
        found = self.reader.scope.resolved(node)
        if found.type == "ternary_expression":
            operands = [found.child_by_field_name("consequence"), found.child_by_field_name("alternative")]
            return [self.reader.literal(one) or "" for one in operands if one is not None]
        return [self.reader.literal(found) or ""]

    def _is_fixed(self, node: Node) -> bool:
        found = self.reader.scope.resolved(node)
        if found.type == "string":
            return len(self.text(found)) > 2
        if found.type != "call_expression":
            return False
        return _FIXED.search(self.text(found)) is not None or self._is_made_once(found, node)

    def _is_made_once(self, found: Node, node: Node) -> bool:
        """Return True if an initialization vector is generated when the module is loaded, and then reused."""
        is_drawn = _DRAWN.search(self.text(found)) is not None
        return (
            is_drawn
            and self.reader.function_around(found) is None
            and self.reader.function_around(node) is not None
        )

    def _crypto_js(self, node: Node, name: str, arguments: list[Node]) -> None:
        mode = self.reader.option(arguments[2], "mode") if len(arguments) > 2 else None
        if _OLD.search(name) or (mode is not None and self.text(mode).endswith("ECB")):
            self.report_node(node, "cipher can be broken or shows equal blocks; use aes-256-gcm")
        elif len(arguments) > 2:
            start = self.reader.option(arguments[2], "iv")
            if start is not None and _FIXED_WORDS.search(self.text(start)):
                self.report_node(
                    node, "every message has the same initialization vector; generate a random one for each"
                )
