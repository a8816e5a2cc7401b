"""TS333: weak hash by use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_BROKEN_FUNCTIONS = frozenset(
    {"md5", "sha1", "crypto-js.md5", "crypto-js.sha1", "cryptojs.md5", "cryptojs.sha1", "js-md5", "js-sha1",
     "blueimp-md5", "js-md5.md5", "js-sha1.sha1"}
)  # fmt: skip
_NAME = LazyPattern(r"(?<![\w$.'\"])[A-Za-z_$][\w$]*")
_PASSWORD = LazyPattern(
    r"(?i)(?<![a-z])(password|passwd|passphrase|pwd|passcode)(?!_?(reset|token|id|url|link|policy|length))|[a-z]Password\b|\bpin(Code)?\b"
)
_PASSWORD_FUNCTION = LazyPattern(
    r"(?i)(hash|digest|encrypt|check|verify|compare|encode|derive)\w*(password|passwd|pwd|passphrase)|(password|passwd|pwd)\w*(hash|digest)|\bpassword\b"
)
_NO_PASSWORD = LazyPattern(r"(?i)reset|token|pwned|breach|gravatar")
_SECRET = LazyPattern(
    r"(?i)secret|private_?key|signing_?key|api_?key|\bsalt\b|session_?id|user_?id.{0,40}(date|time)"
)
_SIGNS = LazyPattern(
    r"(?i)\b(sign|signature|signed|verifySignature|checkSignature|makeToken|createToken|generateToken|tokenFor|resetToken|sessionToken|issueToken)\b|[sS]ignature\b|(generate|make|create|issue|new)\w*Token\b"
)
_PROTOCOL = LazyPattern(r"\brealm\b|\bntlm|NTLM|oauth_signature|mysql_native|Digest |EVP_BytesToKey")
"""Protocols that prescribe the hash."""
_SLOW = LazyPattern(r"bcrypt|argon2|scrypt|pbkdf2")
_SHORT = 400
_FRESH = LazyPattern(r"randomBytes|randomUUID")


_ROUNDS = {
    "pbkdf2": (2, 10_000),
    "pbkdf2Sync": (2, 10_000),
    "hash": (1, 10),
    "hashSync": (1, 10),
    "genSalt": (0, 10),
    "genSaltSync": (0, 10),
}
"""Positions of the iteration count by function, and its minimum: OWASP's password storage cheat sheet."""


class WeakHashByUse(TreeCheck):
    """A password is stored with a fast hash, or a signature uses a hash that can be forged.

    Graphics cards try billions of MD5 or SHA hashes a second, so a stolen table of passwords is soon cracked;
    and a hash of a secret and a text is not a signature. Hash passwords with scrypt, argon2 or bcrypt; sign
    with ``createHmac`` and sha256.
    """

    ID = "TS333"
    NAME = "weak-hash-by-use"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "weak-hash"
    WORDS = (
        "createHash",
        "md5",
        "MD5",
        "sha1",
        "SHA1",
        "SHA256",
        "createHmac",
        "pbkdf2",
        "bcrypt",
        "subtle.digest",
    )
    VALID = [
        code("""
            import { createHash } from 'crypto';
            const etag = createHash('md5').update(content).digest('hex');
        """),
        code("""
            import { createHash } from 'crypto';
            class Tokens {
              digest(token) {
                return createHash('sha256').update(token).digest('hex');
              }
            }
        """),
    ]
    INVALID = [
        code("""
            import bcrypt from 'bcrypt';
            await «bcrypt.hash(given, 4)»;
        """),
        code("""
            const ROUNDS = 1000;
            «crypto.pbkdf2Sync(given, salt, ROUNDS, 64, 'sha512')»;
        """),
    ]

    def check(self) -> None:
        if _PROTOCOL.search(self.source.text):
            return
        self._rounds()
        for name, node, arguments in self.reader.calls():
            kind = self._kind(name, arguments)
            if kind:
                self._check_hash(node, kind, self._hashed(node, name, arguments))

    def _check_hash(self, node: Node, kind: str, hashed: str) -> None:
        hashed += self._passed_by_callers(node)
        around = self._around(node)
        if _FRESH.search(hashed) or self._is_first_step(node):
            return
        is_password = _PASSWORD_FUNCTION.search(around) and not _NO_PASSWORD.search(around)
        if _PASSWORD.search(hashed) or is_password:
            if _SLOW.search(self.source.text) is None:
                self.report_node(
                    node, "password is hashed with a fast hash function; use scrypt, argon2 or bcrypt"
                )
        elif kind == "broken" and (_SECRET.search(hashed) or _SIGNS.search(around)):
            self.report_node(
                node, "signature or token uses a hash that can be forged; use createHmac with sha256"
            )

    def _rounds(self) -> None:
        """Report slow hash functions with too few iterations."""
        for name, node, arguments in self.reader.calls():
            last = name.rpartition(".")[2]
            place, least = _ROUNDS.get(last, (9, 0))
            message = self.reader.scope.resolved(arguments[place]) if place < len(arguments) else None
            text = self.text(message).replace("_", "") if message is not None else ""
            is_meant = "pbkdf2" in last or "bcrypt" in name.lower() or last.startswith("genSalt")
            if text.isdigit() and int(text) < least and is_meant:
                self.report_node(
                    node, "iteration count is too low for a password; raise it to the OWASP minimum"
                )

    def _is_first_step(self, node: Node) -> bool:
        """Return True if the hash replaces the password before another function hashes it."""
        around = node.parent
        while around is not None and around.type in {"member_expression", "call_expression"}:
            around = around.parent
        return around is not None and self.code.field(around, "left") in {"password", "passwd", "pwd"}

    def _kind(self, name: str, arguments: list[Node]) -> str:
        last = name.rpartition(".")[2]
        if (last == "createHash" or name.endswith("subtle.digest")) and arguments:
            algorithm = (self.reader.literal(arguments[0]) or "").lower().replace("-", "")
            return (
                "broken"
                if algorithm in {"md5", "sha1", "md4", "ripemd160"}
                else "fast"
                if algorithm.startswith("sha")
                else ""
            )
        stem = name.replace("/", ".").lower()
        if stem in _BROKEN_FUNCTIONS and arguments:
            return "broken"
        return (
            "fast"
            if stem in {"crypto-js.sha256", "crypto-js.sha512", "js-sha256.sha256", "cryptojs.sha256"}
            else ""
        )

    def _hashed(self, node: Node, name: str, arguments: list[Node]) -> str:
        """Return the hashed text with the declarations of the names in it."""
        text = " ".join(self.text(one) for one in arguments) if not name.endswith("createHash") else ""
        member = node.parent
        while member is not None and member.type in {"member_expression", "call_expression"}:
            if member.type == "call_expression":
                argument_list = member.child_by_field_name("arguments")
                if argument_list is not None and ".update" in self.code.field(member, "function")[-8:]:
                    text += " " + self.text(argument_list)
            member = member.parent
        for one in _NAME.findall(text)[:8]:
            value = self.reader.scope.declared.get(one)
            if value is not None and value.end_byte - value.start_byte < 200:
                text += " " + self.text(value)
        return text

    def _passed_by_callers(self, node: Node) -> str:
        """Return the arguments passed to a helper of the file that only hashes."""
        function = self.reader.function_around(node)
        own = self.code.name_of(function) if function is not None else ""
        if not own or function is None or function.end_byte - function.start_byte > _SHORT:
            return ""
        calls = [call for called, call in self.code.calls if called == own]
        return " ".join(self.text(call.child_by_field_name("arguments"))[:200] for call in calls[:9])

    def _around(self, node: Node) -> str:
        function = self.reader.function_around(node)
        names = self.reader.names_around(node)
        if function is not None:
            listed = function.child_by_field_name("parameters") or function.child_by_field_name("parameter")
            names += " " + self.text(listed)[:200]
        return names
