"""TS345: secret in log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround_typescript.check import TreeCheck

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
        if self._masks_logs:
            return
        for _, node, arguments in self.reader.calls():
            called = self.code.field(node, "function")
            if not _LOGS.search(called) or _BY_HAND.search(self.source.path):
                continue
            for one in arguments:
                if self._contains_secret(one):
                    self.report_node(
                        node, "secret, or a request that contains one, is logged; log other fields"
                    )
                    break

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
            return any(self._contains_secret(one) for one in node.named_children)
        if node.type == "object":
            return any(self._field(one) for one in node.named_children)
        if node.type == "call_expression":
            arguments = node.child_by_field_name("arguments")
            is_text = self.code.field(node, "function") in _TO_TEXT
            return (
                is_text
                and arguments is not None
                and any(map(self._contains_secret, arguments.named_children[:1]))
            )
        text = self.text(node)
        if node.type in {"identifier", "shorthand_property_identifier"}:
            if _SECRET.search(text) is not None:
                return not self._is_harmless(text)
            return self._is_made_of_secrets(text, node)
        is_path = node.type in {"member_expression", "subscript_expression", "non_null_expression"}
        return is_path and self._is_secret_path(text)

    def _is_secret_path(self, text: str) -> bool:
        if _WHOLE.search(text) is not None and self._holds_secret(text):
            return True
        return _SENT_ALONG.search(text) is not None or _SECRET.search(_last(text)) is not None

    def _field(self, one: Node) -> bool:
        if one.type == "pair":
            value = one.child_by_field_name("value")
            return value is not None and self._contains_secret(value)
        return (
            self._contains_secret(one)
            if one.type in {"shorthand_property_identifier", "spread_element"}
            else False
        )

    def _is_made_of_secrets(self, name: str, at: Node) -> bool:
        """Return True if a name refers to literal headers with a secret, or to a URL with a key."""
        value = self.code.value_of(name, at)
        if value is not None and value.type in _TEXTS:
            text = self.text(value)
            return _KEY_OF_URL.search(text) is not None and not _COVERED.search(text)
        if value is None or value.type != "object":
            return False
        return any(self._is_sent_secret(one) for one in value.named_children if one.type == "pair")

    def _is_sent_secret(self, pair: Node) -> bool:
        key = self.code.field(pair, "key").strip("'\"")
        value = pair.child_by_field_name("value")
        if value is None or value.type in {"string", "number", "true", "false", "null", "undefined"}:
            return False
        if value.type == "object":
            return any(self._is_sent_secret(one) for one in value.named_children if one.type == "pair")
        return _SENT_AS.search(key) is not None and not _COVERED.search(self.text(value))

    def _holds_secret(self, text: str) -> bool:
        """Return True for headers; for a body if its file handles logins."""
        return text.endswith(("headers", "cookies")) or _LOGIN.search(self.source.text) is not None

    def _is_harmless(self, name: str) -> bool:
        value = self.reader.scope.declared.get(name)
        return value is not None and value.type in {"string", "number", "true", "false", "ternary_expression"}


def _last(text: str) -> str:
    """Return the last name of a chain of properties."""
    return text.rpartition(".")[2].strip("!'\"]")
