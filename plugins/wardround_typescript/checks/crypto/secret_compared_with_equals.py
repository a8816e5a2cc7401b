"""TS339: secret compared with equals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane
from wardround.rules.maturity import Maturity
from wardround_typescript.check import TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PLAIN = frozenset(
    {
        "string",
        "number",
        "null",
        "undefined",
        "true",
        "false",
        "unary_expression",
        "template_string",
        "object",
    }
)
_LONGEST = 600
_ANY_SECRET = LazyPattern(r"(?i)secret|token|api_?key|password|signature|x-[\w-]*key|authorization")
_HMAC = LazyPattern(r"createHmac\(|HmacSHA|\.hmac\(")
_SENT = LazyPattern(
    r"(?i)\b(req|request|ctx|event|c\.req|r)\b[\w.\s?()]*\.(headers?|query|body|params|cookies|get|header)\b|headers\[|headers\.get\(|searchParams\.get\(|getHeader\(|(?-i:headers\(\)\.)"
)
_KEPT = LazyPattern(
    r"(?i)process\.env\.\w*(secret|token|key|password|passwd|signature)|\b(config|settings|options|env|this|secrets?)\.[\w.]*(secret|token|api_?key|password|signingKey|adminKey|hook_?key|internal_?key)\w*\b|^\w*(SECRET|API_KEY|_TOKEN|PASSWORD)$"
)
_NO_SECRET = LazyPattern(
    r"(?i)(public_?key|key_?id|token_?type|tokenId|key_?name|csrf|version|keyType|length|site_?key)"
)
_SECRET_HEADER = LazyPattern(r"(?i)['\"]x-[\w-]*(key|secret|token|signature)['\"]|authorization['\"]")
_COMPARES = frozenset({"equals", "localeCompare"})
_KEY_NAME = LazyPattern(r"(?i)^(\w*(secret|apiKey|token|key))$")


class SecretComparedWithEquals(TreeCheck):
    """A secret is compared in time that depends on how much of it matches.

    An attacker who measures response times recovers a signature or a key one character after the other. Hash
    both values and compare them with ``crypto.timingSafeEqual``.
    """

    ID = "TS339"
    NAME = "secret-compared-with-equals"
    MATURITY = Maturity.PREVIEW
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "timing-attack"
    WORDS = ("===", "!==", "== ", "!= ", ".equals(", ".localeCompare(")
    VALID = [
        code("""
            if (crypto.timingSafeEqual(given, wanted)) ok();
        """),
        code("""
            if (entry.digest === digestOf(file)) skip();
        """),
    ]
    INVALID = [
        code("""
            const expected = (body) => createHmac('sha256', secret).update(body).digest('hex');

            function matches(header, body) {
              const given = header.replace(/^v1=/, '');
              return «given === expected(body)»;
            }
        """),
        code("""
            function keyOf(request) {
              return String(request.headers['x-internal-key'] || '');
            }
            app.decorate('internal', async (request) => keys.some((key) => «key === keyOf(request)»));
        """),
    ]

    def check(self) -> None:
        text = self.source.text
        if not _HMAC.search(text) and not (_SENT.search(text) and _ANY_SECRET.search(text)):
            return
        for node in [*self._operators(), *self._calls()]:
            self.report_node(node, "comparison time depends on the secret; use crypto.timingSafeEqual")

    def _operators(self) -> Iterator[Node]:
        """Yield the comparisons of a secret with an operator."""
        for node in self.code.kinds("binary_expression"):
            if self.code.field(node, "operator") not in {"===", "!==", "==", "!="}:
                continue
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None or right is None or left.type in _PLAIN or right.type in _PLAIN:
                continue
            if "undefined" in (self.text(left), self.text(right)):
                continue
            operands = [self._meaning(left), self._meaning(right)]
            if self._is_digest(operands) or self._is_key(left, right, operands):
                yield node

    def _calls(self) -> Iterator[Node]:
        """Yield the comparisons of a digest with a method."""
        from wardround.languages.script.code import argument

        for called, call in self.code.calls:
            if called.rpartition(".")[2] not in _COMPARES or not called.endswith(
                ("equals", ".localeCompare")
            ):
                continue
            function, first = call.child_by_field_name("function"), argument(call, 0)
            owner = function.child_by_field_name("object") if function is not None else None
            if owner is None or first is None:
                continue
            if self._is_digest([self._meaning(owner), self._meaning(first)]):
                yield call

    def _meaning(self, node: Node) -> str:
        """Return the text of an operand with the declarations of the names and helpers in it."""
        found = self.reader.scope.resolved(node)
        text = self.text(found)
        called = found if found.type == "call_expression" else None
        name = self.code.field(called, "function").rpartition(".")[2] if called is not None else ""
        helper = self.reader.scope.functions.get(name)
        if helper is None and name:
            helper = next(
                (one.methods[name] for one in self.reader.scope.classes.values() if name in one.methods), None
            )
        if helper is not None and helper.end_byte - helper.start_byte < _LONGEST:
            text += " " + self.text(helper)
        return text[:1200]

    def _is_digest(self, sides: list[str]) -> bool:
        return any(_HMAC.search(one) and (".digest(" in one or "Hmac" in one) for one in sides)

    def _is_key(self, left: Node, right: Node, sides: list[str]) -> bool:
        """Return True if a value of the request is compared with a secret of the server."""
        for sent, remaining, kept_node in (
            (sides[0], sides[1], right),
            (sides[1], sides[0], left),
        ):
            if not _SENT.search(sent):
                continue
            if _KEPT.search(remaining) and not _NO_SECRET.search(self.text(kept_node)):
                return True
            if _SECRET_HEADER.search(sent) and _KEY_NAME.search(self.text(kept_node)):
                return True
        return False
