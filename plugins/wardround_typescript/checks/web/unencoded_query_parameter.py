from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import call_with, child, first_part, has_kind, is_kind

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
_CONSTANTS = frozenset({"string", "number", "template_string"})
_PARTS_OF_CALL = frozenset(
    {
        "template_string",
        "binary_expression",
        "arguments",
        "parenthesized_expression",
        "template_substitution",
    }
)
_ENCODERS = ("encodeURI", "encodeURIComponent")


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
        for node in [*self._parameters_in_templates(), *self._parameters_in_sums()]:
            if not self._is_no_address(node):
                self.report_node(
                    node, "text is not encoded, so & or # in it ends the parameter; use encodeURIComponent"
                )
        for node in self._joined_pairs():
            self.report_node(
                node, "values are not encoded, so & or # in one ends the parameter; use URLSearchParams"
            )

    def _parameters_in_templates(self) -> Iterator[Node]:
        for template in self.code.kinds("template_string"):
            if _ADDRESS.search(self.text(template)[1:9].partition("$")[0]):
                yield from self._parameters_in_template(template)

    def _parameters_in_template(self, template: Node) -> Iterator[Node]:
        before = ""
        for part in template.named_children:
            match part.type:
                case "string_fragment":
                    before = self.text(part)
                case "template_substitution":
                    value = first_part(part)
                    if value is not None and self._is_parameter_value(before, value):
                        yield part
                    before = ""

    def _parameters_in_sums(self) -> Iterator[Node]:
        for addition in self.code.kinds("binary_expression"):
            left, right = child(addition, "left"), child(addition, "right")
            before = _last(left)
            if left is None or right is None or before is None or right.type == "string":
                continue
            if self.code.field(addition, "operator") != "+" or not self._may_be_address(_first(left)):
                continue
            if self._is_parameter_value(self.text(before)[1:-1], right):
                yield right

    def _may_be_address(self, start: Node) -> bool:
        """Return True for the start of a sum that is an address, or no literal."""
        return start.type != "string" or _ADDRESS.search(self.text(start).strip("'\"`")[:8]) is not None

    def _is_parameter_value(self, before: str, value: Node) -> bool:
        """Return True for text of a user behind the name of a parameter."""
        found = _BEFORE.search(before)
        text = self.text(value)
        if found is None or _SAFE.search(text) or _NO_TEXT.search(text):
            return False
        if not self._is_open(value) or (value.type == "identifier" and self._is_encoded(value)):
            return False
        is_for_text = _TEXT_KEY.search(found["key"]) is not None
        if _TEXT_VALUE.search(text):
            return is_for_text or not _NO_TEXT_KEY.search(found["key"])
        return is_for_text and self._is_written(value)

    def _is_open(self, value: Node) -> bool:
        """Return True for a plain value: a call may encode it, except for one that trims."""
        if value.type in ("identifier", "member_expression"):
            return True
        return value.type == "call_expression" and self.code.callee(value).endswith((".trim", ".toLowerCase"))

    def _is_written(self, value: Node) -> bool:
        """Return True if the value is a string by its origin: declared as one, or trimmed."""
        text = self.text(value)
        if ".trim()" in text:
            return True
        declaration = self.code.declaration(text, value)
        if _TYPED_TEXT.search(self.code.field(declaration, "type")):
            return True
        return ".trim()" in self.code.field(declaration, "value")

    def _is_encoded(self, value: Node) -> bool:
        """Return True if a call that may encode created the variable, or it is one of a few constants.

        A number or a truth value contains nothing to encode.
        """
        name = self.text(value)
        if re.search(rf"\b{re.escape(name)}\??:\s*(?:boolean|number)\b", self.source.text):
            return True
        declaration = self.code.declaration(name, value)
        if not is_kind(declaration, "variable_declarator"):
            return False
        initial = child(declaration, "value")
        return has_kind(initial, _CONSTANTS) or _ENCODES.search(self.text(initial)) is not None

    def _is_no_address(self, node: Node) -> bool:
        """Return True for a string that is thrown, logged, or encoded completely."""
        inner = node
        while has_kind(inner.parent, _PARTS_OF_CALL):
            call = call_with(inner)
            if call is not None:
                called = self.code.callee(call) or self.code.field(call, "constructor")
                return called in _ENCODERS or _NO_ADDRESS_CALL.search(called) is not None
            inner = inner.parent
        return is_kind(inner.parent, "throw_statement", "new_expression")

    def _joined_pairs(self) -> Iterator[Node]:
        """Yield pairs that are concatenated individually and joined with ampersands."""
        for called, call in self.code.calls:
            separator = self.code.field(call, "arguments")[1:-1].strip("'\"`")
            if not called.endswith(".join") or separator not in ("&", "&amp;"):
                continue
            mapping = child(child(call, "function"), "object")
            if is_kind(mapping, "call_expression") and self.code.callee(mapping).endswith(".map"):
                yield from self._bare_pair_of(mapping)

    def _bare_pair_of(self, mapping: Node) -> Iterator[Node]:
        """Yield the unencoded result of the callback of ``map``."""
        pair = _result(_function_in(mapping))
        callback = self.text(mapping).split(".map", 1)[-1]
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
    while is_kind(node, "binary_expression"):
        node = child(node, "right")
    return node if is_kind(node, "string") else None


def _first(node: Node) -> Node:
    """Return the first operand of a concatenation."""
    while node.type == "binary_expression":
        left = child(node, "left")
        if left is None:
            return node
        node = left
    return node


def _function_in(call: Node) -> Node | None:
    from wardround.languages.script.code import FUNCTIONS, argument

    value = argument(call, 0)
    return value if has_kind(value, FUNCTIONS) else None


def _result(function: Node | None) -> Node | None:
    """Return the first result of a function."""
    from wardround.languages.script.code import returned_expressions

    return next(returned_expressions(function), None) if function is not None else None
