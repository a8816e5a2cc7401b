from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, has_kind

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
_FAST_FUNCTIONS = frozenset({"crypto-js.sha256", "crypto-js.sha512", "js-sha256.sha256", "cryptojs.sha256"})
_BROKEN_ALGORITHMS = frozenset({"md5", "sha1", "md4", "ripemd160"})
_OF_CHAIN = frozenset({"member_expression", "call_expression"})
_MOST_NAMES = 8
_MOST_CALLERS = 9
_LONGEST_VALUE = 200
"""Length in bytes of the longest declaration that is read as part of the hashed text."""


class WeakHashByUse(TreeCheck):
    """A password is stored with a fast hash, or a signature uses a hash that can be forged.

    Graphics cards try billions of MD5 or SHA hashes a second, so a stolen table of passwords is soon cracked;
    and a hash of a secret and a message is not a signature. Hash passwords with scrypt, argon2 or bcrypt;
    sign with ``createHmac`` and sha256.
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
        self._check_rounds()
        for name, node, arguments in self.reader.calls():
            kind = self._kind(name, arguments)
            if kind:
                self._check_hash(node, kind, self._hashed_text(node, name, arguments))

    def _check_hash(self, node: Node, kind: str, hashed: str) -> None:
        hashed += self._passed_by_callers(node)
        if _FRESH.search(hashed) or self._is_first_step(node):
            return
        around = self._surrounding_text(node)
        if _PASSWORD.search(hashed) or _hashes_password(around):
            if _SLOW.search(self.source.text) is None:
                self.report_node(
                    node, "password is hashed with a fast hash function; use scrypt, argon2 or bcrypt"
                )
        elif kind == "broken" and (_SECRET.search(hashed) or _SIGNS.search(around)):
            self.report_node(
                node, "signature or token uses a hash that can be forged; use createHmac with sha256"
            )

    def _check_rounds(self) -> None:
        """Report slow hash functions with too few iterations."""
        for name, node, arguments in self.reader.calls():
            location, least = _ROUNDS.get(name.rpartition(".")[2], (len(arguments), 0))
            if location >= len(arguments) or not _is_slow(name):
                continue
            count = self.text(self.reader.scope.resolve(arguments[location])).replace("_", "")
            if count.isdigit() and int(count) < least:
                self.report_node(
                    node, "iteration count is too low for a password; raise it to the OWASP minimum"
                )

    def _is_first_step(self, node: Node) -> bool:
        """Return True if the hash replaces the password before another function hashes it."""
        around = node.parent
        while has_kind(around, _OF_CHAIN):
            around = around.parent
        return self.code.field(around, "left") in {"password", "passwd", "pwd"}

    def _kind(self, name: str, arguments: list[Node]) -> str:
        """Return "broken" or "fast" for the call of a hash function that is not for passwords."""
        if name.rpartition(".")[2] == "createHash" or name.endswith("subtle.digest"):
            return _kind_of_algorithm(self.reader.literal(arguments[0]) or "") if arguments else ""
        stem = name.replace("/", ".").lower()
        if stem in _BROKEN_FUNCTIONS and arguments:
            return "broken"
        return "fast" if stem in _FAST_FUNCTIONS else ""

    def _hashed_text(self, node: Node, name: str, arguments: list[Node]) -> str:
        """Return the source of the hashed value with the declarations of its names."""
        written = "" if name.endswith("createHash") else " ".join(map(self.text, arguments))
        text = " ".join([written, *self._updates(node)])
        return " ".join([text, *self._values_in(text)])

    def _updates(self, node: Node) -> Iterator[str]:
        """Yield the arguments of ``update`` behind a hash."""
        link = node.parent
        while has_kind(link, _OF_CHAIN):
            if link.type == "call_expression" and ".update" in self.code.field(link, "function")[-8:]:
                yield self.code.field(link, "arguments")
            link = link.parent

    def _values_in(self, text: str) -> Iterator[str]:
        """Yield the short declarations of the first names in a string."""
        for name in _NAME.findall(text)[:_MOST_NAMES]:
            value = self.reader.scope.declared.get(name)
            if value is not None and value.end_byte - value.start_byte < _LONGEST_VALUE:
                yield self.text(value)

    def _passed_by_callers(self, node: Node) -> str:
        """Return the arguments passed to a helper of the file that only hashes."""
        function = self.reader.function_around(node)
        if function is None or function.end_byte - function.start_byte > _SHORT:
            return ""
        own = self.code.name_of(function)
        calls = [call for called, call in self.code.calls if called == own] if own else []
        return " ".join(self.code.field(call, "arguments")[:200] for call in calls[:_MOST_CALLERS])

    def _surrounding_text(self, node: Node) -> str:
        names = self.reader.names_around(node)
        function = self.reader.function_around(node)
        if function is None:
            return names
        parameters = child(function, "parameters") or child(function, "parameter")
        return f"{names} {self.text(parameters)[:200]}"


def _hashes_password(names: str) -> bool:
    return _PASSWORD_FUNCTION.search(names) is not None and not _NO_PASSWORD.search(names)


def _is_slow(name: str) -> bool:
    """Return True for a function that hashes slowly, not for another ``hash``."""
    last = name.rpartition(".")[2]
    return "pbkdf2" in last or last.startswith("genSalt") or "bcrypt" in name.lower()


def _kind_of_algorithm(written: str) -> str:
    algorithm = written.lower().replace("-", "")
    if algorithm in _BROKEN_ALGORITHMS:
        return "broken"
    return "fast" if algorithm.startswith("sha") else ""
