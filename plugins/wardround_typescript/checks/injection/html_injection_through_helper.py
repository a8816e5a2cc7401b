"""TS062: html injection through helper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node

_PROPERTY = frozenset({"innerHTML", "outerHTML", "srcdoc"})
_CALL = LazyPattern(
    r"\.(insertAdjacentHTML|setHTMLUnsafe|createContextualFragment)$|^(window\.)?document\.write(ln)"
    r"?$|^(\$|jQuery)\(.*\)\.(html|append|prepend|before|after)$"
)
_DRAWN = LazyPattern(
    r"\.(bindPopup|bindTooltip|setPopupContent|setTooltipContent|openPopup|openTooltip|setHTML)$"
    r"|(?i:popup|tooltip|infowindow)[^\n]*\.setContent$|\bselect\([^()]*\)[^\n]*\.html$"
)
_TAG = LazyPattern(r"<[a-zA-Z/!][^<]*")
_CLEAN = LazyPattern(
    r"(?i)saniti[sz]e|purify|escape|encode|\bclean\w*\(|\bsafe|\bxss\(|trustedHTML"
    r"|\besc\(|\bh\(|textContent"
)
_DULL = LazyPattern(
    r"(?i)^(i|idx|index|id|n|key|lat|lon|lng|latitude|longitude|count|total|page|level|icon|svg|css|style|cls"
    r"|class\w*|color|width|height|size|length|\w*(count|index|width|height|size"
    r"|color|icon|class|className|html|svg|css|id|length|percent|markup))$"
    r"|(?-i:^[A-Z][A-Z0-9_]*$)|^t\(|^i18n|format(Date|Number|Time|Price)|toFixed"
    r"|toLocale|Math\."
)
_LOCAL = LazyPattern(
    r"^(labels?|texts?|strings|translations|icons|LEVELS|styles|config|options"
    r"|settings|theme)$"
)
_DEPTH = 3
_PARAMETERS = ("required_parameter", "optional_parameter", "identifier", "for_in_statement")


class HtmlInjectionThroughHelper(TreeCheck):
    """A value is interpolated into HTML that another function gives to the browser.

    Markup in the value becomes part of the page, script handlers included. Set ``textContent``, create the
    elements, or sanitize the value where the HTML is built.
    """

    ID = "TS062"
    NAME = "html-injection-through-helper"
    DEFECT_CLASS = "html-injection"
    PLANE = Plane.SECURITY
    SEVERITY = Severity.WARN
    KINDS = (*SCRIPTS, *COMPONENTS)
    WORDS = (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "setHTMLUnsafe",
        "createContextualFragment",
        "srcdoc",
        "__html",
        ".html(",
        ".append(",
        ".prepend(",
        ".bind",
        "Content(",
        ".setHTML(",
    )
    ALSO = (("<",),)
    CASE_PATH = "a.js"
    VALID = [
        code("""
            const row = (item) => `<li>${escapeHtml(item.label)}</li>`;
            list.innerHTML = items.map(row).join('');
        """),
        code("""
            const row = (item) => `<li class="${item.className}"></li>`;
            list.innerHTML = items.map(row).join('');
        """),
    ]
    INVALID = [
        code("""
            function template(level, message) {
              return `<div class="${level}"><p>${message}</p></div>`;
            }
            export function show(level, message) {
              «root().insertAdjacentHTML('beforeend', template(level, message))»;
            }
        """),
        code("""
            «list.innerHTML = items
              .map((item) => `<li>${item.label}</li>`)
              .join('')»;
        """),
    ]

    def check(self) -> None:
        for node, value in self._sinks():
            is_others = value is not None and self._is_direct(value) and not self._is_drawn(node)
            if value is not None and not is_others and self._is_filled(value, _DEPTH):
                self.report_node(
                    node, "value is interpolated into HTML unescaped; set textContent or sanitize it"
                )

    def _sinks(self) -> Iterator[tuple[Node, Node | None]]:
        from wardround.languages.script.code import argument

        code = self.code
        for node in code.kinds("assignment_expression", "augmented_assignment_expression"):
            if code.field(node.child_by_field_name("left"), "property") in _PROPERTY:
                yield node, node.child_by_field_name("right")
        for called, call in code.calls:
            if _CALL.search(called) or _DRAWN.search(" ".join(called.split())):
                yield call, argument(call, 1 if called.endswith("insertAdjacentHTML") else 0)
        for pair in code.kinds("pair"):
            if code.field(pair, "key") == "__html":
                yield pair, pair.child_by_field_name("value")

    def _is_drawn(self, node: Node) -> bool:
        """Return True for a map or chart library that renders text as HTML, which no other rule checks."""
        called = " ".join(self.code.called(node).split()) if node.type == "call_expression" else ""
        return _DRAWN.search(called) is not None

    def _is_direct(self, value: Node) -> bool:
        """HTML that is built in place is reported by another rule."""
        return value.type in ("template_string", "string") or (
            value.type == "binary_expression" and value.parent is not None and value.parent.type != "pair"
        )

    def _is_filled(self, node: Node | None, depth: int) -> bool:
        """Return True if an expression is HTML with an unsanitized value."""
        from wardround.languages.script.code import bare

        one = bare(node)
        if one is None or depth == 0 or _CLEAN.search(self.code.text(one)):
            return False
        if one.type == "template_string":
            return self._has_value(one, depth)
        if one.type == "binary_expression":
            return self._is_sum(one)
        if one.type == "ternary_expression":
            return any(
                self._is_filled(one.child_by_field_name(side), depth)
                for side in ("consequence", "alternative")
            )
        if one.type == "identifier":
            return self._is_variable_filled(one, depth)
        return one.type == "call_expression" and self._is_call_filled(one, depth)

    def _has_value(self, template: Node, depth: int) -> bool:
        code = self.code
        texts = [code.text(part) for part in template.named_children if part.type == "string_fragment"]
        if not any(_TAG.search(text) for text in texts):
            return False
        return any(
            self._is_text(part.named_children[0]) or self._is_call_within(part.named_children[0], depth)
            for part in template.named_children
            if part.type == "template_substitution" and part.named_children
        )

    def _is_call_within(self, value: Node, depth: int) -> bool:
        return value.type == "call_expression" and self._is_filled(value, depth - 1)

    def _is_sum(self, one: Node) -> bool:
        code = self.code
        parts = list(_terms(one))
        if not any(part.type == "string" and _TAG.search(code.text(part)) for part in parts):
            return False
        return any(self._is_text(part) for part in parts if part.type not in ("string", "template_string"))

    def _is_text(self, value: Node) -> bool:
        """Return True if a value may be user text: a parameter or a field of one."""
        code = self.code
        text = code.text(value)
        if value.type == "call_expression" and code.called(value).endswith((".slice", ".trim", ".substring")):
            value = value.named_children[0].named_children[0]
        if value.type not in ("identifier", "member_expression"):
            return False
        if _DULL.search(text.rpartition(".")[2]) or _DULL.search(text):
            return False
        start = text.partition(".")[0].rstrip("?!")
        if _LOCAL.search(start) or _CLEAN.search(text):
            return False
        declaration = code.declaration(start, value)
        if declaration is None:
            return False
        if declaration.type == "variable_declarator":
            return self._may_be_text(declaration.child_by_field_name("value"))
        return declaration.type in _PARAMETERS

    def _may_be_text(self, value: Node | None) -> bool:
        """Return True for the initial value of a variable that may be user text."""
        if value is None:
            return True
        text = self.code.text(value)
        is_read = value.type in ("member_expression", "await_expression", "identifier")
        return is_read and not _CLEAN.search(text) and not _DULL.search(text)

    def _is_variable_filled(self, name: Node, depth: int) -> bool:
        code = self.code
        text = code.text(name)
        if self._is_filled(code.value_of(text, name), depth - 1):
            return True
        declaration = code.declaration(text, name)
        for node in code.kinds("augmented_assignment_expression"):
            if (
                code.field(node, "left") == text
                and code.declaration(text, node) == declaration is not None
                and self._is_filled(node.child_by_field_name("right"), depth - 1)
            ):
                return True
        return False

    def _is_call_filled(self, call: Node, depth: int) -> bool:
        code = self.code
        called = code.called(call)
        if called.endswith(".join"):
            return self._is_join_filled(call, depth)
        function = code.function_of(called, call) if "." not in called else None
        return function is not None and self._returns_filled(function, depth)

    def _is_join_filled(self, call: Node, depth: int) -> bool:
        """Return True if a list of HTML texts, or the separator between them, has a value in it."""
        from wardround.languages.script.code import argument

        code = self.code
        owner = call.child_by_field_name("function")
        inner = owner.child_by_field_name("object") if owner is not None else None
        is_call = inner is not None and inner.type == "call_expression"
        if inner is not None and is_call and code.called(inner).endswith((".map", ".flatMap")):
            function = code.function_meant(argument(inner, 0))
            return function is not None and self._returns_filled(function, depth)
        separator = argument(call, 0)
        is_text = separator is not None and separator.type in ("binary_expression", "template_string")
        return separator is not None and is_text and self._is_filled(separator, depth)

    def _returns_filled(self, function: Node, depth: int) -> bool:
        from wardround.languages.script.code import returned

        return any(self._is_filled(value, depth - 1) for value in returned(function))


def _terms(node: Node) -> Iterator[Node]:
    """Yield the operands of a sum."""
    open_ = [node]
    while open_:
        one = open_.pop()
        if one.type == "binary_expression":
            open_.extend(reversed(one.named_children))
        else:
            yield one
