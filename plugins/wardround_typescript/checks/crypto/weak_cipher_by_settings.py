from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child

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
_GENERATORS = frozenset({"generateKeyPair", "generateKeyPairSync"})
_SHOWS_BLOCKS = "cipher can be broken or shows equal blocks; use aes-256-gcm"
_REPEATS = "every message has the same initialization vector; generate a random one for each"
_DERIVES_KEY = "cipher derives key and initialization vector from the password alone; use createCipheriv"


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
            if last in _GENERATORS and len(arguments) > 1:
                self._check_key(node, arguments[1])
            if last in _BY_KEY and arguments:
                self._check_padding(node, arguments[0])
            self._check_cipher(name, node, arguments)

    def _check_key(self, node: Node, options: Node) -> None:
        length = self.text(self.reader.option(options, "modulusLength"))
        if length.isdigit() and int(length) < _SHORT_KEY:
            self.report_node(node, "RSA key is too short; use at least 2048 bits")

    def _check_padding(self, node: Node, options: Node) -> None:
        if _OLD_PADDING.search(self.text(self.reader.option(options, "padding"))):
            self.report_node(node, "PKCS#1 v1.5 padding enables decryption through error responses; use OAEP")

    def _check_cipher(self, name: str, node: Node, arguments: list[Node]) -> None:
        last = name.rpartition(".")[2]
        is_of_node = "crypto" in name or name == last
        match last:
            case "createCipheriv" | "createDecipheriv" if arguments:
                self._check_node_cipher(node, last, arguments)
            case "createCipher" | "createDecipher" if is_of_node and len(arguments) > 1:
                self.report_node(node, _DERIVES_KEY)
            case "encrypt" | "decrypt" if _CRYPTO_JS.search(name):
                self._check_crypto_js(node, name, arguments)

    def _check_node_cipher(self, node: Node, last: str, arguments: list[Node]) -> None:
        if any(map(_BROKEN.search, self._string_values(arguments[0]))):
            self.report_node(node, _SHOWS_BLOCKS)
        elif last == "createCipheriv" and len(arguments) > 2 and self._is_fixed(arguments[2]):
            self.report_node(node, _REPEATS)

    def _string_values(self, node: Node) -> list[str]:
        """Return the strings that an argument may be."""
        found = self.reader.scope.resolve(node)
        operands: list[Node | None] = [found]
        if found.type == "ternary_expression":
            operands = [child(found, "consequence"), child(found, "alternative")]
        return [self.reader.literal(operand) or "" for operand in operands]

    def _is_fixed(self, node: Node) -> bool:
        found = self.reader.scope.resolve(node)
        if found.type == "string":
            return len(self.text(found)) > 2
        if found.type != "call_expression":
            return False
        return _FIXED.search(self.text(found)) is not None or self._is_created_at_import(found, node)

    def _is_created_at_import(self, vector: Node, use: Node) -> bool:
        """Return True if an initialization vector is generated when the module is loaded, and then reused."""
        if not _DRAWN.search(self.text(vector)) or self.reader.function_around(vector) is not None:
            return False
        return self.reader.function_around(use) is not None

    def _check_crypto_js(self, node: Node, name: str, arguments: list[Node]) -> None:
        options = arguments[2] if len(arguments) > 2 else None
        mode, vector = (self.text(self.reader.option(options, key)) for key in ("mode", "iv"))
        if _OLD.search(name) or mode.endswith("ECB"):
            self.report_node(node, _SHOWS_BLOCKS)
        elif _FIXED_WORDS.search(vector):
            self.report_node(node, _REPEATS)
