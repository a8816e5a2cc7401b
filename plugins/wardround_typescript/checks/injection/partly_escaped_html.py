"""TS407: partly escaped html."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

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
_TEXTS = frozenset({"string", "number", "true", "false", "ternary_expression", "array", "object"})


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
        for text, parts in self._texts():
            cleaned = [self._is_cleaned(one) for one in parts]
            if not any(cleaned) or self._is_cleaned_later(text):
                continue
            for one, is_cleaned in zip(parts, cleaned, strict=True):
                if not is_cleaned and self._is_raw(one):
                    self.report_node(one, "value is not escaped, unlike the others in this HTML; escape it")
                    break

    def _texts(self) -> Iterator[tuple[Node, list[Node]]]:
        """Yield the HTML texts that are concatenated or interpolated, with the values in each."""
        yield from self._interpolated()
        yield from self._concatenated()

    def _interpolated(self) -> Iterator[tuple[Node, list[Node]]]:
        code = self.code
        for node in code.kinds("template_string"):
            markup = "".join(code.text(one) for one in node.named_children if one.type == "string_fragment")
            holes = [one for one in node.named_children if one.type == "template_substitution"]
            values = [hole.named_children[0] for hole in holes if hole.named_children]
            if len(values) > 1 and _TAG.search(markup):
                yield node, values

    def _concatenated(self) -> Iterator[tuple[Node, list[Node]]]:
        code = self.code
        for node in code.kinds("binary_expression"):
            if node.parent is not None and node.parent.type == "binary_expression":
                continue
            terms = list(_terms(node))
            markup = "".join(code.text(one) for one in terms if one.type == "string")
            if code.field(node, "operator") == "+" and _TAG.search(markup):
                yield node, [one for one in terms if one.type != "string"]

    def _is_cleaned(self, node: Node) -> bool:
        """Return True if a value is, or was assigned, the result of a sanitizing call."""
        from wardround.languages.script.code import bare

        one = bare(node)
        if one is not None and one.type == "identifier":
            one = self.code.value_of(self.code.text(one), one)
        return (
            one is not None
            and one.type == "call_expression"
            and _CLEANS.search(self.code.called(one)) is not None
        )

    def _is_raw(self, node: Node) -> bool:
        """Return True if a value may be user text: a parameter or a field of one."""
        code = self.code
        text = code.text(node)
        if node.type not in _LOOSE or _DULL.search(text) or _CLEANED.search(text):
            return False
        if node.type == "identifier" and _PIECE.search(text):
            return False  # HTML that was built earlier
        root = text.partition(".")[0].partition("[")[0].rstrip("?!")
        declaration = code.declaration(root, node)
        if declaration is None:
            return False
        if declaration.type != "variable_declarator":
            return True
        value = code.value_of(root, node)
        if value is None:
            return code.field(declaration, "name") != root
        return value.type in (*_LOOSE, "await_expression") and not _CLEANED.search(code.text(value))

    def _is_cleaned_later(self, node: Node) -> bool:
        """Return True if the final text is passed to a sanitizer."""
        above = node.parent
        while above is not None and not above.type.endswith(("statement", "declaration", "statement_block")):
            if above.type == "call_expression" and _CLEANS.search(self.code.called(above)):
                return True
            above = above.parent
        return False


def _terms(node: Node) -> Iterator[Node]:
    open_ = [node]
    while open_:
        one = open_.pop()
        if one.type in ("binary_expression", "parenthesized_expression"):
            open_.extend(reversed(one.named_children))
        else:
            yield one
