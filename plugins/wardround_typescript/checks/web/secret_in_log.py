from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.findings import Plane
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import TreeCheck
from wardround_typescript.syntax.nodes import child, has_kind, parts

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_LOGS = LazyPattern(
    r"(?i)(^|\.)(console|logger|log|winston|pino|bunyan|fastify\.log|request\.log|req\.log|app\.log)\.(log|info|debug|warn|error|trace|verbose|fatal|http)$"
)
_BY_HAND = LazyPattern(r"(^|/)(scripts?|bin|examples?|seeds?|tools|cli)/|seed\.[jt]s$")
_SECRET = LazyPattern(
    r"^(?!.*(?i:hash|reset|count|length|limit|usage|type|name|id|url|expir|max|total|policy|valid|missing|index|error|field|label|placeholder|is[A-Z]|has[A-Z]|prompt|completion|cache|input|output|path|file|regex|pattern|public|masked|redacted))\w*(?i:password|passwd|passphrase|secret|api_?key|private_?key|access_?token|refresh_?token|auth_?token|bearer|session_?token|credential|credit_?card|card_?number|cvv|ssn|otp)s?$|^(token|jwt|idToken|secretKey|STRIPE_SECRET_KEY)$|_SECRET(_KEY)?$|_PASSWORD$|_TOKEN$|_API_KEY$"
)
_SENT_ALONG = LazyPattern(
    r"(?i)headers(\.authorization|\[['\"](authorization|cookie|x-api-key)['\"]\]|\.cookie)$"
)
_WHOLE = LazyPattern(r"^(req|request|ctx\.request|ctx|event)\??\.(body|headers|cookies)$")
_SENT_AS = LazyPattern(
    r"(?i)^(authorization|proxy-authorization|cookie|x-[\w-]*(secret|token|api-?key|signature|auth)[\w-]*|api-key)$"
)
_COVERED = LazyPattern(r"(?i)redact|mask|hidden|\*\*|hmac|createSign|\bsign\w*\(")
_LOGIN = LazyPattern(r"(?i)password|passwd|credit.?card|/login|/signin")
_COMPOSED = frozenset(
    {"template_string", "binary_expression", "array", "template_substitution", "parenthesized_expression"}
)
_TEXTS = frozenset({"template_string", "binary_expression"})
_KEY_OF_URL = LazyPattern(
    r"(?i)[?&](?:(?:x[-_])?api[-_]?key|(?:access|auth|private)[-_]?token|client[-_]?secret|secret"
    r"|(?:subscription|app|access)[-_]?key|passw(?:or)?d)=(?:\$\{|['\"`]\s*\+)"
    r"|[?&](?:token|key|auth|appid|sig|signature)=(?:\$\{|['\"`]\s*\+)[^}]*"
    r"(?:api_?key|secret|passw|(?:auth|access|private|bot)_?token)"
)
"""A filled parameter of a query: named after a secret, or filled with a value that is."""
_TO_TEXT = frozenset({"JSON.stringify", "String", "util.inspect", "inspect"})
_LITERALS = frozenset({"string", "number", "true", "false", "null", "undefined"})
_HARMLESS = frozenset({"string", "number", "true", "false", "ternary_expression"})


class SecretInLog(TreeCheck):
    """A password, a token or a request with one is logged.

    Logs are stored for long, copied to other services and read by many. Log who did what, not the secret.
    """

    ID = "TS345"
    NAME = "secret-in-log"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "secret-in-log"
    WORDS = ("log", "Log", "console")
    VALID = [
        code("""
            logger.info('password changed', { userId });
        """),
        code("""
            console.log(`token: ${token ? 'set' : 'missing'}`);
        """),
    ]
    INVALID = [
        code("""
            «console.log(`asked with ${req.headers.authorization}`)»;
        """),
        code("""
            «logger.info(`login of ${email} with ${password}`)»;
        """),
    ]

    def check(self) -> None:
        if self._masks_logs or _BY_HAND.search(self.source.path):
            return
        for _, node, arguments in self.reader.calls():
            if not _LOGS.search(self.code.field(node, "function")):
                continue
            if any(map(self._contains_secret, arguments)):
                self.report_node(node, "secret, or a request that contains one, is logged; log other fields")

    @property
    def _masks_logs(self) -> bool:
        """Return True in a GitHub action that registers its secrets, which the runner then masks in logs."""
        manifests = ("action.yml", "action.yaml")
        is_action = any(self.source.project.read(name) is not None for name in manifests)
        return is_action and bool(
            self.source.project.files_with_word(["setSecret"], ["*.ts", "*.js", "*.mjs"])
        )

    def _contains_secret(self, node: Node) -> bool:
        if node.type in _COMPOSED:
            return any(map(self._contains_secret, node.named_children))
        match node.type:
            case "object":
                return any(map(self._is_secret_entry, node.named_children))
            case "call_expression":
                return self._serializes_secret(node)
            case "identifier" | "shorthand_property_identifier":
                return self._is_secret_name(node)
            case "member_expression" | "subscript_expression" | "non_null_expression":
                return self._is_secret_path(self.text(node))
        return False

    def _serializes_secret(self, call: Node) -> bool:
        """Return True for ``JSON.stringify(secret)`` and similar calls."""
        if self.code.field(call, "function") not in _TO_TEXT:
            return False
        return any(map(self._contains_secret, parts(child(call, "arguments"))[:1]))

    def _is_secret_name(self, name: Node) -> bool:
        text = self.text(name)
        if _SECRET.search(text) is not None:
            return not self._is_harmless(text)
        return self._contains_secrets(text, name)

    def _is_secret_path(self, text: str) -> bool:
        if _WHOLE.search(text) is not None and self._holds_secret(text):
            return True
        return _SENT_ALONG.search(text) is not None or _SECRET.search(_last(text)) is not None

    def _is_secret_entry(self, entry: Node) -> bool:
        match entry.type:
            case "pair":
                value = child(entry, "value")
                return value is not None and self._contains_secret(value)
            case "shorthand_property_identifier" | "spread_element":
                return self._contains_secret(entry)
        return False

    def _contains_secrets(self, name: str, at: Node) -> bool:
        """Return True if a name refers to literal headers with a secret, or to a URL with a key."""
        value = self.code.value_of(name, at)
        if has_kind(value, _TEXTS):
            text = self.text(value)
            return _KEY_OF_URL.search(text) is not None and not _COVERED.search(text)
        return value is not None and self._sends_secret(value)

    def _sends_secret(self, value: Node) -> bool:
        """Return True for an object literal with a secret under the name of a header."""
        if value.type != "object":
            return False
        return any(self._is_sent_secret(entry) for entry in value.named_children if entry.type == "pair")

    def _is_sent_secret(self, pair: Node) -> bool:
        value = child(pair, "value")
        if value is None or value.type in _LITERALS:
            return False
        if value.type == "object":
            return self._sends_secret(value)
        key = self.code.field(pair, "key").strip("'\"")
        return _SENT_AS.search(key) is not None and not _COVERED.search(self.text(value))

    def _holds_secret(self, text: str) -> bool:
        """Return True for headers; for a body if its file handles logins."""
        return text.endswith(("headers", "cookies")) or _LOGIN.search(self.source.text) is not None

    def _is_harmless(self, name: str) -> bool:
        return has_kind(self.reader.scope.declared.get(name), _HARMLESS)


def _last(text: str) -> str:
    """Return the last name of a chain of properties."""
    return text.rpartition(".")[2].strip("!'\"]")
