"""Functions that are passed as arguments, and the values they are called with."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join, only
from wardround_typescript.dataflow import sanitizers, sources, validation_schemas
from wardround_typescript.dataflow.arguments import Argument, CallSite, is_entry_list
from wardround_typescript.dataflow.call_resolution import Callee, CallTargets
from wardround_typescript.dataflow.domain import CLEAN, Taint
from wardround_typescript.dataflow.evaluator import FunctionRunner
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.syntax.nodes import child, first_part

_RESOLVERS = frozenset({"query", "mutation", "subscription", "action", "handler", "stateAction"})
_PAGE_LISTENERS = frozenset({"on", "once", "handle", "handleOnce"})
"""Methods of ``ipcMain`` that receive messages of a page."""
_TIMERS = frozenset({"setTimeout", "setInterval", "setImmediate", "nextTick"})
_SCHEMA_METHODS = frozenset({"input", "schema", "inputSchema", "validator", "inputValidator"})
_MAPPING = frozenset({"map", "flatMap", "then"})
"""Methods whose result consists of the results of the callback."""
_TEXTS = frozenset({"string", "template_string"})
_MAX_VALIDATOR_LENGTH = 3000


class Callbacks:
    """Analyses the functions that a call is given."""

    __slots__ = (
        "_features",
        "_functions",
        "_module",
        "_sanitizers",
        "_scope",
        "_state",
        "_targets",
    )

    def __init__(
        self,
        state: FlowState,
        functions: FunctionRunner,
        targets: CallTargets,
        features: ModuleFeatures,
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._sanitizers = sanitizers.catalogue()
        self._functions = functions
        self._targets = targets
        self._features = features

    def evaluate(self, call: CallSite) -> Taint | None:
        """Analyse the callbacks of a call; the result of the call where they determine it, else None."""
        result: Taint | None = None
        for at, argument in enumerate(call.arguments):
            if argument.type in FUNCTIONS:
                result = self._inline(call, argument, at)
            elif argument.type == "identifier" and self._is_iteration(call):
                callee = self._targets.callee(self._state, call.node, argument, [call.received])
                if callee is not None:
                    result = self._call_with_element(call, callee)
        return result

    def _call_with_element(self, call: CallSite, callee: Callee) -> Taint | None:
        """Analyse a function of the project that a method calls with each element."""
        returned = callee.call([Argument(call.received)], call.node, self._module.path)
        return returned if call.method in _MAPPING else None

    def _is_iteration(self, call: CallSite) -> bool:
        return call.method in self._sanitizers.iterating_methods and bool(call.received)

    def _inline(self, call: CallSite, function: Node, at: int) -> Taint | None:
        """Analyse a function expression that is an argument."""
        receiver, method, received = call.receiver, call.method, call.received
        if method == "reduce":
            initial = call.values[at + 1 : at + 2]
            returned = self._functions.run_function(function, [join(received, *initial), received])
            return join(returned, *initial)
        is_iteration = method in self._sanitizers.iterating_methods
        if is_iteration and receiver is not None and not self._state.request_kind(receiver):
            return self._element_callback(call, receiver, function)
        schema = self._input_schema(receiver) if method in _RESOLVERS and receiver is not None else None
        if schema is not None:
            return self._resolver(function, schema)
        events = self._listener_values(call)
        if events is not None:
            return self._functions.run_function(function, events)
        if call.name.rpartition(".")[2] in _TIMERS:
            return self._functions.run_function(function)
        return self._handler(call, function)

    def _element_callback(self, call: CallSite, receiver: Node, function: Node) -> Taint | None:
        """Analyse a function that a method calls with each element of its receiver."""
        returned = self._functions.run_function(
            function,
            [call.received, CLEAN, call.received],
            takes_entries=is_entry_list(self._module.of(bare(receiver))),
        )
        return returned if call.method in _MAPPING else None

    def _listener_values(self, call: CallSite) -> Sequence[Taint] | None:
        """The values of the arguments that an event source calls a listener with; None for other calls."""
        if call.method == "action" and self._features.is_program:
            return [sources.COMMAND_ARGUMENTS] * 6
        if call.receiver is None:
            return None
        source = self._module.of(call.receiver)
        if call.method == "on" and self._is_socket_message(source, call.arguments):
            return [sources.MESSAGE] * 3
        if call.method in _PAGE_LISTENERS and source == "ipcMain":
            return [CLEAN, *[sources.PAGE_MESSAGE] * 3]
        return None

    def _is_socket_message(self, source: str, arguments: Sequence[Node]) -> bool:
        if len(arguments) < 2 or not self._features.serves_sockets:
            return False
        event = self._module.of(arguments[0]).strip("'\"`")
        return sources.is_socket_message(source, event)

    def _handler(self, call: CallSite, function: Node) -> Taint | None:
        """Analyse a function that may handle requests; with a schema among its siblings they are valid."""
        before = self._state.is_validated
        self._state.is_validated = before or self._has_validator(call.arguments, function)
        returned = self._functions.run_function(function)
        self._state.is_validated = before
        return None if call.method else returned

    def _has_validator(self, arguments: Sequence[Node], function: Node) -> bool:
        siblings = (argument for argument in arguments if argument.id != function.id)
        texts = [self._module.of(argument) for argument in siblings if argument.type not in _TEXTS]
        return any(sources.VALIDATES.search(text[:_MAX_VALIDATOR_LENGTH]) for text in texts)

    def _input_schema(self, owner: Node) -> Node | None:
        """Return the schema of a procedure or an action: ``.input(schema)``, ``.schema(schema)``."""
        for name, call, _ in validation_schemas.chain(bare(owner)):
            if name in _SCHEMA_METHODS:
                return first_part(child(call, "arguments"))
        return None

    def _resolver(self, function: Node, schema: Node) -> Taint:
        value = only(sources.MESSAGE, validation_schemas.remaining_dangers(self._scope, schema))
        fields = {
            name: only(sources.MESSAGE, labels)
            for name, labels in validation_schemas.fields(self._scope, schema).items()
        }
        return self._functions.run_resolver(function, value, fields)
