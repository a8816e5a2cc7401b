"""TS062: html injection through helper."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround_typescript.analysis.text_names import NOT_TEXT, SANITIZES, names_no_text
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.escaped_values import EscapedValues, Frame

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

    @cached_property
    def _values(self) -> EscapedValues:
        from wardround_typescript.analysis.escaped_values import EscapedValues  # loads the parser

        return EscapedValues(self.code)

    def check(self) -> None:
        for node, value in self._sinks():
            is_others = value is not None and self._is_direct(value) and not self._is_drawn(node)
            if value is not None and not is_others and self._is_filled(value, self._values.outermost(_DEPTH)):
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

    def _is_filled(self, node: Node | None, frame: Frame) -> bool:
        """Return True if an expression is HTML with an unsanitized value."""
        from wardround.languages.script.code import bare

        one = bare(node)
        if one is None or frame.left == 0 or SANITIZES.search(self.code.text(one)):
            return False
        if one.type == "template_string":
            return self._has_value(one, frame)
        if one.type == "binary_expression":
            return self._is_sum(one, frame)
        if one.type == "ternary_expression":
            return any(
                self._is_filled(one.child_by_field_name(side), frame)
                for side in ("consequence", "alternative")
            )
        if one.type == "identifier":
            return self._is_variable_filled(one, frame.deeper())
        return one.type == "call_expression" and self._is_call_filled(one, frame)

    def _has_value(self, template: Node, frame: Frame) -> bool:
        code = self.code
        texts = [code.text(part) for part in template.named_children if part.type == "string_fragment"]
        if not any(_TAG.search(text) for text in texts):
            return False
        return any(
            self._is_text(part.named_children[0], frame)
            or self._is_call_within(part.named_children[0], frame)
            for part in template.named_children
            if part.type == "template_substitution" and part.named_children
        )

    def _is_call_within(self, value: Node, frame: Frame) -> bool:
        return value.type == "call_expression" and self._is_filled(value, frame.deeper())

    def _is_sum(self, one: Node, frame: Frame) -> bool:
        code = self.code
        parts = list(_terms(one))
        if not any(part.type == "string" and _TAG.search(code.text(part)) for part in parts):
            return False
        values = (part for part in parts if part.type not in ("string", "template_string"))
        return any(self._is_text(value, frame) for value in values)

    def _is_text(self, value: Node, frame: Frame) -> bool:
        """Return True if a value may be user text: a parameter, or a field of one, that is not escaped."""
        return self._is_read(value, frame) and not self._values.is_escaped(value, frame)

    def _is_read(self, value: Node, frame: Frame) -> bool:
        """Return True for a parameter or a field of one, except by names that are no text."""
        code = self.code
        text = code.text(value)
        if value.type == "call_expression" and code.called(value).endswith((".slice", ".trim", ".substring")):
            value = value.named_children[0].named_children[0]
        if value.type not in ("identifier", "member_expression"):
            return False
        if names_no_text(text):
            return False
        start = text.partition(".")[0].rstrip("?!")
        if SANITIZES.search(text) or (_LOCAL.search(start) and not self._values.is_given(value, frame)):
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
        return is_read and not SANITIZES.search(text) and not NOT_TEXT.search(text)

    def _is_variable_filled(self, name: Node, frame: Frame) -> bool:
        code = self.code
        text = code.text(name)
        if self._is_filled(code.value_of(text, name), frame):
            return True
        declaration = code.declaration(text, name)
        for node in code.kinds("augmented_assignment_expression"):
            if (
                code.field(node, "left") == text
                and code.declaration(text, node) == declaration is not None
                and self._is_filled(node.child_by_field_name("right"), frame)
            ):
                return True
        return False

    def _is_call_filled(self, call: Node, frame: Frame) -> bool:
        code = self.code
        called = code.called(call)
        if called.endswith(".join"):
            return self._is_join_filled(call, frame)
        function = code.function_of(called, call) if "." not in called else None
        if function is None:
            return False
        return self._returns_filled(function, self._values.entered(function, call, frame))

    def _is_join_filled(self, call: Node, frame: Frame) -> bool:
        """Return True if a list of HTML texts, or the separator between them, has a value in it."""
        from wardround.languages.script.code import argument

        code = self.code
        owner = call.child_by_field_name("function")
        inner = owner.child_by_field_name("object") if owner is not None else None
        is_call = inner is not None and inner.type == "call_expression"
        if inner is not None and is_call and code.called(inner).endswith((".map", ".flatMap")):
            function = code.function_meant(argument(inner, 0))
            return function is not None and self._returns_filled(function, frame.deeper())
        separator = argument(call, 0)
        is_text = separator is not None and separator.type in ("binary_expression", "template_string")
        return separator is not None and is_text and self._is_filled(separator, frame)

    def _returns_filled(self, function: Node, frame: Frame) -> bool:
        from wardround.languages.script.code import returned

        return any(self._is_filled(value, frame) for value in returned(function))


def _terms(node: Node) -> Iterator[Node]:
    """Yield the operands of a sum."""
    open_ = [node]
    while open_:
        one = open_.pop()
        if one.type == "binary_expression":
            open_.extend(reversed(one.named_children))
        else:
            yield one
