"""Sinks in the response to a request: pages, redirects, templates."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround.semantics.dataflow.domain import extended, join_all
from wardround_typescript.dataflow import sinks
from wardround_typescript.dataflow.arguments import CallSite
from wardround_typescript.dataflow.domain import CLEAN, SinkKind, Taint
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.string_building import StringBuilder

_SEND_METHODS = frozenset({"send", "end", "write"})
_HEADER_METHODS = frozenset({"setHeader", "set", "header", "append", "writeHead", "status"})
_OBJECT_PARTS = ("body", "query", "params", "headers", "cookies", "json()")
"""Ends of expressions that hold an object, which is sent as JSON."""
_HEAD_LENGTH = 40
_PARAMETERS_LENGTH = 120


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
        arguments, values = call.arguments, call.values
        if call.method in _HEADER_METHODS and len(arguments) > 1:
            name = (self._strings.constant_text(arguments[0]) or "").lower()
            if name == "location":
                self._state.reach(SinkKind.REDIRECT, arguments[1], values[1])
        if call.method in _SEND_METHODS and arguments and values[0]:
            self._check_sent(receiver, text, arguments[0], values[0])
        if call.method in {"render", "view"} and len(arguments) > 1:
            self._check_rendered(arguments[1])

    def check_constructor(self, call: CallSite) -> None:
        """``new Response(body, options)``."""
        is_response = call.name.rpartition(".")[2] in {"Response", "NextResponse"}
        if is_response and call.values[0] and self._is_page(call.arguments[1:]):
            self._state.reach(SinkKind.HTML, call.arguments[0], call.values[0])

    def check_returned(self, node: Node, value: Taint) -> None:
        """A value that a handler returns: in some frameworks it is the response."""
        function = self._state.function
        holder = function.parent if function is not None else None
        if function is None or holder is None:
            return
        name = self._module.of(holder.child_by_field_name("key") or function)[:_HEAD_LENGTH]
        if (name == "handler" and self._features.is_hapi) or self._sets_html_type(function):
            self._state.reach(SinkKind.PAGE, node, value)
        if node.type == "object":
            self._check_redirect(function, node)

    def _check_redirect(self, function: Node, returned: Node) -> None:
        """``return { url }`` in a method with ``@Redirect()``."""
        before = function.prev_named_sibling
        while before is not None and before.type == "decorator":
            if self._module.of(before).startswith("@Redirect"):
                url = self._scope.property(returned, "url")
                target = self._evaluator.evaluate(url) if url is not None else CLEAN
                self._state.reach(SinkKind.REDIRECT, url or returned, target)
            before = before.prev_named_sibling

    def _is_page(self, options: Sequence[Node]) -> bool:
        """Return True if the options of a response set the content type of HTML."""
        for literal in map(self._scope.resolved, options):
            headers = self._scope.property(literal, "headers") if literal.type == "object" else None
            text = self._module.of(literal)
            if headers is not None:
                text += self._module.of(self._scope.resolved(headers))
            if sinks.TYPED_HTML.search(text):
                return True
        return False

    def _sets_html_type(self, function: Node) -> bool:
        """Return True for a handler of Fastify that sets the content type of HTML."""
        parameters = function.child_by_field_name("parameters") or function
        if "reply" not in self._module.of(parameters)[:_PARAMETERS_LENGTH]:
            return False
        return sinks.TYPED_HTML.search(self._module.of(function)) is not None

    def _check_rendered(self, context: Node) -> None:
        """The context of a template: tainted markup in it is inserted without escaping on purpose."""
        text = extended(self._whole_context(context), SinkKind.VIEW, SinkKind.FIELDS)
        self._state.reach(SinkKind.VIEW, context, text)
        literal = self._scope.resolved(context)
        for entry in literal.named_children if literal.type == "object" else ():
            if entry.type in {"pair", "shorthand_property_identifier"}:
                value = self._evaluator.evaluate(entry.child_by_field_name("value") or entry)
                self._state.reach(SinkKind.PAGE, entry, value)

    def _whole_context(self, context: Node) -> Taint:
        """The value of the objects a template gets all fields of."""
        literal = self._scope.resolved(context)
        if literal.type != "object":
            return self._evaluator.evaluate(context)
        spread = [entry for entry in literal.named_children if entry.type == "spread_element"]
        return join_all([self._evaluator.evaluate(entry) for entry in spread])

    def _check_sent(self, receiver: Node, text: str, node: Node, value: Taint) -> None:
        function = _enclosing_function(receiver)
        handler = self._module.of(function) if function is not None else text
        if sinks.TYPED_HTML.search(handler):
            self._state.reach(SinkKind.HTML, node, value)
            return
        if sinks.TYPED_TEXT.search(handler) or not text.startswith(("res", "this.res", "_res")):
            return
        if ".send" in handler and self._is_text(node):
            self._state.reach(SinkKind.HTML if ".end" not in text else SinkKind.PAGE, node, value)
        else:
            self._state.reach(SinkKind.PAGE, node, value)

    def _is_text(self, node: Node) -> bool:
        """Return True if an expression is text and not an object, which is sent as JSON."""
        core = bare(node)
        if core.type in {"template_string", "binary_expression"}:
            return True
        is_object = self._module.of(core).endswith(_OBJECT_PARTS)
        return core.type == "member_expression" and not is_object and self._state.is_request_read(core)


def _enclosing_function(node: Node) -> Node | None:
    around = node.parent
    while around is not None and around.type not in FUNCTIONS:
        around = around.parent
    return around
