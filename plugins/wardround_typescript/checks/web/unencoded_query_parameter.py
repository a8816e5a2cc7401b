"""TS056: unencoded query parameter."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_BEFORE = LazyPattern(r"[?&](?P<key>[\w.\[\]-]+)=$")
_TEXT_KEY = LazyPattern(
    r"(?i)^(\w*(q|query|search|term|keyword|text|title|subject|body|message|name"
    r"|email|comment|address|city|place|url|uri"
    r"|redirect|redirect_?to|return_?to|return_?url|next|callback|tag|label|category"
    r"|phrase|headline|summary|hashtags|via))$"
)
_NO_TEXT_KEY = LazyPattern(
    r"(?i)(id|page|limit|size|offset|count|version|lang|locale|tab|sort|order"
    r"|dir)$"
)
_TEXT_VALUE = LazyPattern(
    r"(?i)(^|[._])(\w*(search|query|keyword|email|\w+name|message|title|headline"
    r"|subject|comment|address|city"
    r"|phrase|url|uri|href|input|term|text|wanted|needle|label|tag|category)|q)(\.value"
    r"|\.current)?(\.trim\(\)|\.toLowerCase\(\))?$"
)
_SAFE = LazyPattern(
    r"(?i)encode|escape|stringify|slug|URLSearchParams|toString\(|Number\(|parseInt"
    r"|\bid\b|Id$|ids$|token|uuid|hash|format\w*\(|toISO|\.length$|index$"
    r"|(?-i:^[A-Z][A-Z0-9_.]*$)|env\."
)
_ENCODES = LazyPattern(
    r"(?i)encode|escape|stringify|slug|URLSearchParams|Number\(|parseInt|uuid"
    r"|hash|toISO"
)
_NO_TEXT = LazyPattern(r"(?i)(path|host|class|type|file_?type|route)_?names?$")
_ADDRESS = LazyPattern(r"^(https?://|/|\./|\?|mailto:|tel:|sms:|whatsapp:)|^$")
_NO_ADDRESS_CALL = LazyPattern(
    r"^(console\.\w+|logger\.\w+|log|\w*[wW]arn|\w*[eE]rror|RegExp|t|i18n\.t|describe"
    r"|it|test|expect)$"
)
_TYPED_TEXT = LazyPattern(r"^: string$")


class UnencodedQueryParameter(TreeCheck):
    """Text is inserted into a query string without encoding.

    User input contains spaces, ampersands, hashes and plus signs: the server receives less than was typed, or
    another parameter. Use ``encodeURIComponent``, or build the query with ``URLSearchParams``.
    """

    ID = "TS056"
    NAME = "unencoded-query-parameter"
    DEFECT_CLASS = "unencoded-url"
    PLANE = Plane.SEMANTIC
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("=${", "='", '="', "=`")
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const a = `/find?q=${encodeURIComponent(q)}`;
            const b = `/rows?page=${page}&id=${id}`;
        """),
        code("""
            const text = encodeURIComponent(form.text);
            const a = `/find?text=${text}`;
        """),
    ]
    INVALID = [
        code("""
            visit('/find/' + part.value + '?q=' + «wanted» + '&from=header');
        """),
        code("""
            const link = (headline: string) => `https://x.example/post?text=«${headline}»`;
        """),
    ]

    def check(self) -> None:
        for node in [*self._in_templates(), *self._in_sums()]:
            if not self._is_no_address(node):
                self.report_node(
                    node, "text is not encoded, so & or # in it ends the parameter; use encodeURIComponent"
                )
        for node in self._joined():
            self.report_node(
                node, "values are not encoded, so & or # in one ends the parameter; use URLSearchParams"
            )

    def _in_templates(self) -> Iterator[Node]:
        code = self.code
        for template in code.kinds("template_string"):
            if not _ADDRESS.search(code.text(template)[1:9].partition("$")[0]):
                continue
            before = ""
            for part in template.named_children:
                if part.type == "string_fragment":
                    before = code.text(part)
                elif part.type == "template_substitution":
                    value = part.named_children[0] if part.named_children else None
                    if value is not None and self._is_text(before, value):
                        yield part
                    before = ""

    def _in_sums(self) -> Iterator[Node]:
        code = self.code
        for node in code.kinds("binary_expression"):
            if code.field(node, "operator") != "+":
                continue
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            before = _last(left)
            if left is None or right is None or before is None or right.type == "string":
                continue
            if (
                _ADDRESS.search(code.text(_first(left)).strip("'\"`")[:8]) or _first(left).type != "string"
            ) and self._is_text(code.text(before)[1:-1], right):
                yield right

    def _is_text(self, before: str, value: Node) -> bool:
        found = _BEFORE.search(before)
        text = self.code.text(value)
        if found is None or _SAFE.search(text) or not self._is_open(value):
            return False
        key = found["key"]
        if _NO_TEXT.search(text):
            return False
        if value.type == "identifier" and self._is_encoded(value):
            return False
        if _TEXT_VALUE.search(text):
            return not _NO_TEXT_KEY.search(key) or _TEXT_KEY.search(key) is not None
        return _TEXT_KEY.search(key) is not None and self._is_written(value)

    def _is_open(self, value: Node) -> bool:
        """Return True for a plain value: a call may encode it, except for one that trims."""
        if value.type in ("identifier", "member_expression"):
            return True
        return value.type == "call_expression" and self.code.called(value).endswith((".trim", ".toLowerCase"))

    def _is_written(self, value: Node) -> bool:
        """Return True if the value is text by its origin: declared as one, or trimmed."""
        code = self.code
        if ".trim()" in code.text(value):
            return True
        declaration = code.declaration(code.text(value), value)
        if declaration is None:
            return False
        if _TYPED_TEXT.search(code.field(declaration, "type")):
            return True
        return ".trim()" in code.field(declaration, "value")

    def _is_encoded(self, value: Node) -> bool:
        """Return True if a call that may encode created the variable, or it is one of a few constants.

        A number or a truth value contains nothing to encode.
        """
        code = self.code
        if re.search(rf"\b{re.escape(code.text(value))}\??:\s*(?:boolean|number)\b", self.source.text):
            return True
        declaration = code.declaration(code.text(value), value)
        if declaration is None:
            return False
        if declaration.type != "variable_declarator":
            return False
        made = declaration.child_by_field_name("value")
        text = code.text(made)
        if made is not None and made.type in ("string", "number", "template_string"):
            return True
        return _ENCODES.search(text) is not None

    def _is_no_address(self, node: Node) -> bool:
        above = node.parent
        while above is not None and above.type in (
            "template_string",
            "binary_expression",
            "arguments",
            "parenthesized_expression",
            "template_substitution",
        ):
            call = above.parent if above.type == "arguments" else None
            if call is not None:
                called = self.code.called(call) or self.code.field(call, "constructor")
                return bool(_NO_ADDRESS_CALL.search(called)) or called in ("encodeURI", "encodeURIComponent")
            above = above.parent
        return above is not None and above.type in ("throw_statement", "new_expression")

    def _joined(self) -> Iterator[Node]:
        """Yield pairs that are concatenated one by one and joined with ampersands."""
        code = self.code
        for called, call in code.calls:
            if not called.endswith(".join"):
                continue
            if code.field(call, "arguments")[1:-1].strip("'\"`") not in ("&", "&amp;"):
                continue
            owner = call.child_by_field_name("function")
            inner = owner.child_by_field_name("object") if owner is not None else None
            if inner is not None and inner.type == "call_expression" and code.called(inner).endswith(".map"):
                yield from self._bare_pair_of(inner)

    def _bare_pair_of(self, mapping: Node) -> Iterator[Node]:
        """Yield the unencoded result of the callback of ``map``."""
        function = _function_in(mapping)
        pair = _result(function) if function is not None else None
        callback = self.code.text(mapping).split(".map", 1)[-1]
        if pair is not None and self._is_bare_pair(pair) and not _SAFE.search(callback):
            yield pair

    def _is_bare_pair(self, node: Node) -> bool:
        text = self.code.text(node)
        if node.type == "template_string":
            return _PAIR_TEMPLATE.search(text) is not None
        return node.type == "binary_expression" and _PAIR_SUM.search(text) is not None


_PAIR_TEMPLATE = LazyPattern(r"^`\$\{[^{}]+\}=\$\{[^{}]+\}`$")
_PAIR_SUM = LazyPattern(r"^[\w.\[\]]+\s*\+\s*['\"`]=['\"`]\s*\+\s*[\w.\[\]]+$")


def _last(node: Node | None) -> Node | None:
    """Return the text at the end of a concatenation."""
    while node is not None and node.type == "binary_expression":
        node = node.child_by_field_name("right")
    return node if node is not None and node.type == "string" else None


def _first(node: Node) -> Node:
    while node.type == "binary_expression":
        left = node.child_by_field_name("left")
        if left is None:
            return node
        node = left
    return node


def _function_in(call: Node) -> Node | None:
    from wardround.languages.script.code import FUNCTIONS, argument

    value = argument(call, 0)
    return value if value is not None and value.type in FUNCTIONS else None


def _result(function: Node) -> Node | None:
    from wardround.languages.script.code import returned

    return next(iter(returned(function)), None)
