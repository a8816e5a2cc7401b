from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import ancestors, first_part, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_TAG = LazyPattern(r"<[a-zA-Z][\w-]*[\s>/]|</[a-zA-Z]")
_CLEANS = LazyPattern(
    r"(?i)(?:^|\.)(?:_?\.?escape(?:Html|HTML|Xml|Text|Attr\w*)?|html_?escape|sanitize\w*|purify\w*|encodeHtml\w*|encodeEntities|esc"
    r"|xss|filterXSS|stripTags|strip_?tags|he\.encode|dompurify\.sanitize)$"
)
_CLEANED = LazyPattern(
    r"(?i)saniti[sz]|purif|escap|encod|safe|clean|html|markup|\bt\(|i18n|translat|icon|svg|class|style|color"
)
_DULL = LazyPattern(
    r"(?i)(?:^|\.|_)(?:i|idx|index|n|id|key|count|total|page|level|width|height|size|length|year|month|day|port|number|percent|date"
    r"|time|timestamp|version|url|href|src|link|path|lang|locale)s?$|(?:Id|Count|Index|Width|Height|Size|Length|Url|At|Number|Px)$"
    r"|(?-i:[a-z][XY]|(?:^|\.)[xy])$"
    r"|(?-i:^[A-Z][A-Z0-9_]*$)"
)
_PIECE = LazyPattern(
    r"(?i)(?:body|content|children|inner|rows?|items?|list|header|footer|main|nav|sections?|links?|buttons?|cells?|tags?|head"
    r"|layout|attrs|attributes|fragment|element|template|options|extra|actions|wrapped|slot|out|output|result|blocks?|table|page)$"
)
_LOOSE = frozenset({"identifier", "member_expression", "subscript_expression"})
_STATEMENT_ENDINGS = ("statement", "declaration", "statement_block")


class PartlyEscapedHtml(TreeCheck):
    """One value in HTML is escaped and another is not.

    The escaped value shows that the text is rendered as HTML; an unescaped one with an event handler runs in
    every reader's browser. Escape both, or sanitize the final HTML.
    """

    ID = "TS407"
    NAME = "partly-escaped-html"
    DEFECT_CLASS = "html-injection"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = ("scape", "saniti", "Saniti", "purify", "Purify", "esc(", "xss(", "ncode")
    ALSO = (("<",), ("${", "' +", '" +'))
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            const row = (one) => `<li>${escapeHtml(one.label)}: ${escapeHtml(one.note)}</li>`;
        """),
        code("""
            const row = (one) => `<li id="${one.id}">${escapeHtml(one.label)}</li>`;
        """),
    ]
    INVALID = [
        code("""
            const row = (one) => `<li>${escapeHtml(one.label)}: ${«one.note»}</li>`;
        """),
        code("""
            marker.bindTooltip(note);
            function told(place, words) {
              const heading = place[words.field];
              const text = sanitize(fill(words.template, place));
              return heading ? `<h4>${«heading»}</h4>${text}` : text;
            }
        """),
    ]

    def check(self) -> None:
        for text, values in self._html_strings():
            raw = [value for value in values if not self._is_cleaned(value)]
            if len(raw) == len(values) or self._is_cleaned_later(text):
                continue
            first = next(filter(self._is_raw, raw), None)
            if first is not None:
                self.report_node(first, "value is not escaped, unlike the others in this HTML; escape it")

    def _html_strings(self) -> Iterator[tuple[Node, list[Node]]]:
        """Yield the HTML strings that are concatenated or interpolated, with the values in each."""
        yield from self._interpolated_markup()
        yield from self._concatenated_markup()

    def _interpolated_markup(self) -> Iterator[tuple[Node, list[Node]]]:
        for template in self.code.kinds("template_string"):
            parts = template.named_children
            markup = "".join(self.text(part) for part in parts if part.type == "string_fragment")
            substitutions = (part for part in parts if part.type == "template_substitution")
            values = list(filter(None, map(first_part, substitutions)))
            if len(values) > 1 and _TAG.search(markup):
                yield template, values

    def _concatenated_markup(self) -> Iterator[tuple[Node, list[Node]]]:
        for addition in self.code.kinds("binary_expression"):
            if is_kind(addition.parent, "binary_expression") or self.code.field(addition, "operator") != "+":
                continue
            terms = list(_terms(addition))
            markup = "".join(self.text(term) for term in terms if term.type == "string")
            if _TAG.search(markup):
                yield addition, [term for term in terms if term.type != "string"]

    def _is_cleaned(self, node: Node) -> bool:
        """Return True if a value is, or was assigned, the result of a sanitizing call."""
        from wardround.languages.script.code import bare

        value = bare(node)
        if is_kind(value, "identifier"):
            value = self.code.value_of(self.text(value), value)
        return value is not None and self._is_cleaning(value)

    def _is_cleaning(self, node: Node) -> bool:
        return node.type == "call_expression" and _CLEANS.search(self.code.callee(node)) is not None

    def _is_raw(self, node: Node) -> bool:
        """Return True if a value may be user text: a parameter or a field of one."""
        text = self.text(node)
        if node.type not in _LOOSE or _DULL.search(text) or _CLEANED.search(text):
            return False
        if node.type == "identifier" and _PIECE.search(text):
            return False  # HTML that was built earlier
        root = text.partition(".")[0].partition("[")[0].rstrip("?!")
        declaration = self.code.declaration(root, node)
        if is_kind(declaration, "variable_declarator"):
            return self._is_raw_variable(declaration, root, node)
        return declaration is not None

    def _is_raw_variable(self, declarator: Node, name: str, at: Node) -> bool:
        value = self.code.value_of(name, at)
        if value is None:
            return self.code.field(declarator, "name") != name
        return value.type in (*_LOOSE, "await_expression") and not _CLEANED.search(self.text(value))

    def _is_cleaned_later(self, node: Node) -> bool:
        """Return True if the final text is passed to a sanitizer."""
        around = takewhile(lambda outer: not outer.type.endswith(_STATEMENT_ENDINGS), ancestors(node))
        return any(map(self._is_cleaning, around))


def _terms(node: Node) -> Iterator[Node]:
    """Yield the operands of a sum, those in parentheses included."""
    waiting = [node]
    while waiting:
        term = waiting.pop()
        if term.type in ("binary_expression", "parenthesized_expression"):
            waiting.extend(reversed(term.named_children))
        else:
            yield term
