"""Sinks in the response to a request: pages, redirects, templates."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround.semantics.dataflow.domain import extend, join_all
from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.arguments import CallSite
from wardround_typescript.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.string_building import StringBuilder
from wardround_typescript.syntax.nodes import is_kind, nearest

_SEND_METHODS = frozenset({"send", "end", "write"})
_HEADER_METHODS = frozenset({"setHeader", "set", "header", "append", "writeHead", "status"})
_OBJECT_PARTS = ("body", "query", "params", "headers", "cookies", "json()")
"""Ends of expressions that hold an object, which is sent as JSON."""
_HEAD_LENGTH = 40
_PARAMETERS_LENGTH = 120
_RENDER_METHODS = frozenset({"render", "view"})


class ResponseSinks:
    """Records the values that a response sends."""

    __slots__ = ("_evaluator", "_features", "_module", "_scope", "_state", "_strings")

    def __init__(
        self, state: FlowState, evaluator: Evaluator, strings: StringBuilder, features: ModuleFeatures
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._evaluator = evaluator
        self._strings = strings
        self._features = features

    def check(self, call: CallSite, receiver: Node, text: str) -> None:
        """A method of a response; ``text`` is the source of the receiver."""
        if not call.arguments:
            return
        if len(call.arguments) > 1:
            self._check_two_arguments(call)
        if call.method in _SEND_METHODS and call.values[0]:
            self._check_sent(receiver, text, call.arguments[0], call.values[0])

    def _check_two_arguments(self, call: CallSite) -> None:
        """``set("Location", address)`` and ``render("page", context)``."""
        first, second = call.arguments[:2]
        if call.method in _RENDER_METHODS:
            self._check_rendering(second)
        elif call.method in _HEADER_METHODS and self._is_location(first):
            self._state.reach(SinkKind.REDIRECT, second, call.values[1])

    def _is_location(self, header: Node) -> bool:
        return (self._strings.constant_text(header) or "").lower() == "location"

    def check_constructor(self, call: CallSite) -> None:
        """``new Response(body, options)``."""
        is_response = call.name.rpartition(".")[2] in {"Response", "NextResponse"}
        if is_response and call.values[0] and self._is_page(call.arguments[1:]):
            self._state.reach(SinkKind.HTML, call.arguments[0], call.values[0])

    def check_returned_value(self, node: Node, value: Taint) -> None:
        """A value that a handler returns: in some frameworks it is the response."""
        function = self._state.function
        if function is None or function.parent is None:
            return
        if self._is_handler_of_hapi(function, function.parent) or self._sets_html_type(function):
            self._state.reach(SinkKind.PAGE, node, value)
        if node.type == "object":
            self._check_redirect(function, node)

    def _is_handler_of_hapi(self, function: Node, holder: Node) -> bool:
        name = self._module.of(holder.child_by_field_name("key") or function)[:_HEAD_LENGTH]
        return name == "handler" and self._features.is_hapi

    def _check_redirect(self, function: Node, returned: Node) -> None:
        """``return { url }`` in a method with ``@Redirect()``."""
        before = function.prev_named_sibling
        while is_kind(before, "decorator"):
            if self._module.of(before).startswith("@Redirect"):
                url = self._scope.property(returned, "url")
                target = self._evaluator.evaluate(url) if url is not None else CLEAN
                self._state.reach(SinkKind.REDIRECT, url or returned, target)
            before = before.prev_named_sibling

    def _is_page(self, options: Sequence[Node]) -> bool:
        """Return True if the options of a response set the content type of HTML."""
        return any(sinks.TYPED_HTML.search(self._options_text(argument)) for argument in options)

    def _options_text(self, argument: Node) -> str:
        """Return the text of the options of a response, with their headers."""
        literal = self._scope.resolve(argument)
        text = self._module.of(literal)
        headers = self._scope.property(literal, "headers") if literal.type == "object" else None
        return text if headers is None else text + self._module.of(self._scope.resolve(headers))

    def _sets_html_type(self, function: Node) -> bool:
        """Return True for a handler of Fastify that sets the content type of HTML."""
        parameters = function.child_by_field_name("parameters") or function
        if "reply" not in self._module.of(parameters)[:_PARAMETERS_LENGTH]:
            return False
        return sinks.TYPED_HTML.search(self._module.of(function)) is not None

    def _check_rendering(self, context: Node) -> None:
        """The context of a template: tainted markup in it is inserted without escaping on purpose."""
        text = extend(self._complete_context(context), SinkKind.VIEW, SinkKind.FIELDS)
        self._state.reach(SinkKind.VIEW, context, text)
        literal = self._scope.resolve(context)
        for entry in literal.named_children if literal.type == "object" else ():
            if entry.type in {"pair", "shorthand_property_identifier"}:
                value = self._evaluator.evaluate(entry.child_by_field_name("value") or entry)
                self._state.reach(SinkKind.PAGE, entry, value)

    def _complete_context(self, context: Node) -> Taint:
        """Return the value of the objects whose fields are all passed to a template."""
        literal = self._scope.resolve(context)
        if literal.type != "object":
            return self._evaluator.evaluate(context)
        spread = [entry for entry in literal.named_children if entry.type == "spread_element"]
        return join_all([self._evaluator.evaluate(entry) for entry in spread])

    def _check_sent(self, receiver: Node, text: str, node: Node, value: Taint) -> None:
        function = nearest(receiver, FUNCTIONS)
        handler = self._module.of(function) if function is not None else text
        if sinks.TYPED_HTML.search(handler):
            self._state.reach(SinkKind.HTML, node, value)
            return
        if sinks.TYPED_TEXT.search(handler) or not text.startswith(("res", "this.res", "_res")):
            return
        is_markup = ".end" not in text and ".send" in handler and self._is_string(node)
        self._state.reach(SinkKind.HTML if is_markup else SinkKind.PAGE, node, value)

    def _is_string(self, node: Node) -> bool:
        """Return True if an expression is text and not an object, which is sent as JSON."""
        core = bare(node)
        if core.type in {"template_string", "binary_expression"}:
            return True
        if core.type != "member_expression" or self._module.of(core).endswith(_OBJECT_PARTS):
            return False
        return self._state.is_request_read(core)
