from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from wardround.findings import Plane, Severity
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_typescript.analysis.text_names import NOT_TEXT, SANITIZES, names_value_without_text
from wardround_typescript.check import COMPONENTS, SCRIPTS, TreeCheck
from wardround_typescript.syntax.nodes import child, first_part, is_kind

if TYPE_CHECKING:
    from wardround.languages.script.syntax import Node
    from wardround_typescript.analysis.call_frames import Frame
    from wardround_typescript.analysis.escaped_values import EscapedValues

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
            if value is None or (self._is_direct(value) and not self._is_drawn(node)):
                continue
            if self._is_filled(value, self._values.outermost(_DEPTH)):
                self.report_node(
                    node, "value is interpolated into HTML unescaped; set textContent or sanitize it"
                )

    def _sinks(self) -> Iterator[tuple[Node, Node | None]]:
        """Yield the calls and assignments that pass HTML to the browser, each with the HTML."""
        yield from self._assignments()
        yield from self._calls()
        for pair in self.code.kinds("pair"):
            if self.code.field(pair, "key") == "__html":
                yield pair, child(pair, "value")

    def _assignments(self) -> Iterator[tuple[Node, Node | None]]:
        for node in self.code.kinds("assignment_expression", "augmented_assignment_expression"):
            if self.code.field(child(node, "left"), "property") in _PROPERTY:
                yield node, child(node, "right")

    def _calls(self) -> Iterator[tuple[Node, Node | None]]:
        from wardround.languages.script.code import argument

        for called, call in self.code.calls:
            if _CALL.search(called) or _DRAWN.search(" ".join(called.split())):
                location = 1 if called.endswith("insertAdjacentHTML") else 0
                yield call, argument(call, location)

    def _is_drawn(self, node: Node) -> bool:
        """Return True for a map or chart library that renders text as HTML, which no other rule checks."""
        if node.type != "call_expression":
            return False
        called = " ".join(self.code.callee(node).split())
        return _DRAWN.search(called) is not None

    def _is_direct(self, value: Node) -> bool:
        """HTML that is built in place is reported by another rule."""
        if value.type in ("template_string", "string"):
            return True
        holder = value.parent
        return value.type == "binary_expression" and holder is not None and holder.type != "pair"

    def _is_filled(self, node: Node | None, frame: Frame) -> bool:
        """Return True if an expression is HTML with an unsanitized value."""
        from wardround.languages.script.code import bare

        value = bare(node)
        if value is None or frame.left == 0:
            return False
        if SANITIZES.search(self.code.text(value)):
            return False
        match value.type:
            case "template_string":
                return self._has_value(value, frame)
            case "binary_expression":
                return self._is_sum(value, frame)
            case "ternary_expression":
                sides = (child(value, "consequence"), child(value, "alternative"))
                return any(self._is_filled(side, frame) for side in sides)
            case "identifier":
                return self._is_variable_filled(value, frame.deeper())
            case "call_expression":
                return self._is_call_filled(value, frame)
        return False

    def _has_value(self, template: Node, frame: Frame) -> bool:
        if not any(map(self._begins_tag, template.named_children)):
            return False
        return any(self._is_filled_part(part, frame) for part in template.named_children)

    def _begins_tag(self, part: Node) -> bool:
        return part.type == "string_fragment" and _TAG.search(self.code.text(part)) is not None

    def _is_filled_part(self, part: Node, frame: Frame) -> bool:
        value = first_part(part) if part.type == "template_substitution" else None
        if value is None:
            return False
        return self._is_user_text(value, frame) or self._is_call_within(value, frame)

    def _is_call_within(self, value: Node, frame: Frame) -> bool:
        return value.type == "call_expression" and self._is_filled(value, frame.deeper())

    def _is_sum(self, addition: Node, frame: Frame) -> bool:
        terms = list(_terms(addition))
        if not any(term.type == "string" and _TAG.search(self.code.text(term)) for term in terms):
            return False
        values = (term for term in terms if term.type not in ("string", "template_string"))
        return any(self._is_user_text(value, frame) for value in values)

    def _is_user_text(self, value: Node, frame: Frame) -> bool:
        """Return True if a value may be user text: a parameter, or a field of one, that is not escaped."""
        return self._is_read(value, frame) and not self._values.is_escaped(value, frame)

    def _is_read(self, value: Node, frame: Frame) -> bool:
        """Return True for a parameter or a field of one, except names that cannot contain text."""
        text = self.code.text(value)
        read = self._trim_receiver(value)
        if read.type not in ("identifier", "member_expression"):
            return False
        if names_value_without_text(text) or SANITIZES.search(text):
            return False
        start = text.partition(".")[0].rstrip("?!")
        if _LOCAL.search(start) and not self._values.is_passed(read, frame):
            return False
        return self._is_parameter(self.code.declaration(start, read))

    def _trim_receiver(self, value: Node) -> Node:
        """Return the text that a method shortens, ``title`` of ``title.trim()``; else the value."""
        if value.type != "call_expression":
            return value
        if not self.code.callee(value).endswith((".slice", ".trim", ".substring")):
            return value
        return value.named_children[0].named_children[0]

    def _is_parameter(self, declaration: Node | None) -> bool:
        """Return True for a parameter, and for a variable with the value of one."""
        if declaration is None:
            return False
        if declaration.type == "variable_declarator":
            return self._may_be_text(child(declaration, "value"))
        return declaration.type in _PARAMETERS

    def _may_be_text(self, value: Node | None) -> bool:
        """Return True for the initial value of a variable that may be user text."""
        if value is None:
            return True
        if value.type not in ("member_expression", "await_expression", "identifier"):
            return False
        text = self.code.text(value)
        return not SANITIZES.search(text) and not NOT_TEXT.search(text)

    def _is_variable_filled(self, name: Node, frame: Frame) -> bool:
        text = self.code.text(name)
        if self._is_filled(self.code.value_of(text, name), frame):
            return True
        return any(self._is_filled(value, frame) for value in self._appended_values(name))

    def _appended_values(self, name: Node) -> Iterator[Node | None]:
        """Yield the values that are added to a variable: ``html += row``."""
        text = self.code.text(name)
        declaration = self.code.declaration(text, name)
        if declaration is None:
            return
        for node in self.code.kinds("augmented_assignment_expression"):
            if self.code.field(node, "left") == text and self.code.declaration(text, node) == declaration:
                yield child(node, "right")

    def _is_call_filled(self, call: Node, frame: Frame) -> bool:
        called = self.code.callee(call)
        if called.endswith(".join"):
            return self._is_join_filled(call, frame)
        function = self.code.function_of(called, call) if "." not in called else None
        return function is not None and self._returns_filled_markup(function, frame.enter(function, call))

    def _is_join_filled(self, call: Node, frame: Frame) -> bool:
        """Return True if a list of HTML strings, or its separator, contains an inserted value."""
        from wardround.languages.script.code import argument

        mapped = child(child(call, "function"), "object")
        if is_kind(mapped, "call_expression") and self.code.callee(mapped).endswith((".map", ".flatMap")):
            function = self.code.referenced_function(argument(mapped, 0))
            return function is not None and self._returns_filled_markup(function, frame.deeper())
        separator = argument(call, 0)
        is_text = is_kind(separator, "binary_expression", "template_string")
        return is_text and self._is_filled(separator, frame)

    def _returns_filled_markup(self, function: Node, frame: Frame) -> bool:
        from wardround.languages.script.code import returned_expressions

        return any(self._is_filled(value, frame) for value in returned_expressions(function))


def _terms(node: Node) -> Iterator[Node]:
    """Yield the operands of a sum."""
    waiting = [node]
    while waiting:
        term = waiting.pop()
        if term.type == "binary_expression":
            waiting.extend(reversed(term.named_children))
        else:
            yield term
