"""The results of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from wardround.semantics.dataflow.domain import extended, join_all, only, without
from wardround_typescript.dataflow import sanitizers, sources
from wardround_typescript.dataflow.arguments import Argument, CallSite, arguments_of, has_spread
from wardround_typescript.dataflow.call_resolution import Callee, CallTargets
from wardround_typescript.dataflow.call_sinks import CallSinks
from wardround_typescript.dataflow.callbacks import Callbacks
from wardround_typescript.dataflow.domain import (
    CLEAN,
    NOTHING,
    OBJECT,
    TAINTED,
    TAINTED_TEXT,
    SinkKind,
    Taint,
    keys_of,
)
from wardround_typescript.dataflow.evaluator import Evaluator, FunctionRunner
from wardround_typescript.dataflow.method_calls import MethodEvaluator
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.schema_parsing import SchemaParsing
from wardround_typescript.dataflow.state import FlowState

_COMPUTED = frozenset({"new_expression", "call_expression", "subscript_expression"})
_DYNAMIC_KEYS = frozenset({"identifier", "member_expression", "subscript_expression"})
_GUARDS = ("typeof ", "if (", "!")
_RAW_TAGS = frozenset({"String.raw", "dedent", "outdent"})
_FIRST_ARGUMENT = frozenset({"URL", "url.URL", "lodash.get", "get"})
"""Functions that propagate their first argument only."""
_CLEAN_METHODS = frozenset({"getTime", "toISOString"})


class CallEvaluator:
    """Evaluates calls: their sinks, their callbacks and their results."""

    __slots__ = (
        "_callbacks",
        "_evaluator",
        "_features",
        "_functions",
        "_methods",
        "_module",
        "_sanitizers",
        "_schemas",
        "_scope",
        "_sinks",
        "_state",
        "_targets",
    )

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        functions: FunctionRunner,
        *,
        targets: CallTargets,
        features: ModuleFeatures,
        sinks: CallSinks,
        callbacks: Callbacks,
        methods: MethodEvaluator,
        schemas: SchemaParsing,
    ) -> None:
        self._state = state
        self._scope = state.scope
        self._module = state.module
        self._sanitizers = sanitizers.catalogue()
        self._evaluator = evaluator
        self._functions = functions
        self._targets = targets
        self._features = features
        self._sinks = sinks
        self._callbacks = callbacks
        self._methods = methods
        self._schemas = schemas

    def evaluate(self, node: Node) -> Taint:
        """The result of a call; the sinks that its arguments reach are recorded."""
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        argument_list = node.child_by_field_name("arguments")
        if function is None:
            return CLEAN
        if argument_list is None or argument_list.type == "template_string":
            return self._tagged_template(function, argument_list)
        callee = bare(function)
        if callee.type in FUNCTIONS:
            values = [self._evaluator.evaluate(argument) for argument in arguments_of(argument_list)]
            return self._functions.run_function(callee, values)
        call = self._call_site(node, callee, arguments_of(argument_list))
        self._sinks.check(call)
        returned = self._callbacks.evaluate(call)
        requested = self._request_call(call)
        if requested is not None:
            return requested
        return returned if returned is not None else self._result(call)

    def _call_site(self, node: Node, callee: Node, arguments: Sequence[Node]) -> CallSite:
        """Evaluate the receiver, the callee and the arguments of a call, in this order."""
        receiver = callee.child_by_field_name("object") if callee.type == "member_expression" else None
        method = self._state.property_name(callee) or "" if receiver is not None else ""
        received = self._evaluator.evaluate(receiver) if receiver is not None else CLEAN
        if callee.type in _COMPUTED:
            self._evaluator.evaluate(callee)
        if callee.type == "subscript_expression" and node.child_by_field_name("optional_chain") is None:
            self._check_dynamic(callee)
        values = self._values(arguments)
        name = self._scope.dotted(callee)
        last_name = method or name.rpartition(".")[2]
        return CallSite(node, callee, name, receiver, method, last_name, received, arguments, values)

    def _values(self, arguments: Sequence[Node]) -> list[Taint]:
        return [CLEAN if one.type in FUNCTIONS else self._evaluator.evaluate(one) for one in arguments]

    def _check_dynamic(self, callee: Node) -> None:
        """``handlers[message.type](message)``: the key selects the callee."""
        index = callee.child_by_field_name("index")
        if index is None or index.type not in _DYNAMIC_KEYS:
            return
        text = self._module.of(callee)
        if not any(f"{guard}{text}" in self._module.text for guard in _GUARDS):
            self._state.reach(SinkKind.METHOD, callee, self._evaluator.evaluate(index))

    def _tagged_template(self, function: Node, template: Node | None) -> Taint:
        """A tagged template: the tag gets the values apart from the text, so nothing is concatenated."""
        if template is None:
            return CLEAN
        value = self._evaluator.evaluate(template)
        return value if self._module.of(function) in _RAW_TAGS else CLEAN

    def _request_call(self, call: CallSite) -> Taint | None:
        """The value that a call reads from the request; None if it reads none."""
        receiver = call.receiver
        if receiver is None:
            is_imported = self._features.is_nitro and "." not in call.name
            return sources.h3_call(call.name) if is_imported or call.name.startswith("h3") else None
        kind = self._state.request_kind(receiver)
        if not kind:
            return TAINTED_TEXT if call.method == "get" and self._is_cookies(receiver) else None
        if kind == "context":
            return TAINTED_TEXT if call.method == "get" and "koa" in self._module.text else None
        value = sources.request_call(kind, call.method)
        if value is None:
            return None
        return without(value, OBJECT) if self._state.is_validated or call.method == "valid" else value

    def _is_cookies(self, receiver: Node) -> bool:
        path = self._state.access_path(receiver) or ""
        return path.endswith(".cookies") and bool(self._state.request_kinds.get(path.partition(".")[0]))

    # Results.

    def _result(self, call: CallSite) -> Taint:
        values = call.values
        parse = self._schemas.parse_call(call.node)
        if parse is not None and values and values[0]:
            return self._schemas.value(parse, values[0])
        callee = self._targets.callee(self._state, call.node, call.callee, values)
        if callee is not None:
            return self._project_call(call, callee)
        builtin = self._builtin(call)
        if builtin is not None:
            return builtin
        removed = self._removed_labels(call)
        if call.receiver is None or call.name in self._sanitizers.propagating_functions:
            return self._propagated(call, removed)
        return self._methods.evaluate(call, call.receiver, removed)

    def _project_call(self, call: CallSite, callee: Callee) -> Taint:
        """The result of a function of the project."""
        arguments = self._arguments(call.arguments, call.values)
        if call.method in {"call", "apply"}:
            is_spread = call.method == "apply"
            arguments = [Argument(one.value, one.fields, is_spread) for one in arguments[1:]]
        returned = callee.call(arguments, call.node, self._module.path)
        if call.name.rpartition(".")[2] in {"pick", "omit"}:
            return without(returned, SinkKind.FIELDS)
        return returned or CLEAN

    def _builtin(self, call: CallSite) -> Taint | None:
        """The result of a function of the language that needs a model of its own; None for any other."""
        name, arguments, values = call.name, call.arguments, call.values
        if name == "Object.keys" and values:
            return keys_of(values[0])
        if name == "JSON.parse" and arguments:
            cloned = self._cloned(arguments[0])
            if cloned is not None:
                return self._evaluator.evaluate(cloned)
        if name == "Object.fromEntries" and arguments:
            return self._from_entries(arguments[0], values[0])
        return CLEAN if name in self._sanitizers.converters or call.last_name in _CLEAN_METHODS else None

    def returned_fields(self, node: Node) -> Mapping[str, Taint]:
        """The values of the fields of what a call returns; empty where they are unknown."""
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or argument_list is None:
            return {}
        arguments = arguments_of(argument_list)
        values = self._values(arguments)
        callee = self._targets.callee(self._state, node, bare(function), values)
        return callee.returned_fields(self._arguments(arguments, values)) if callee is not None else {}

    def _arguments(self, arguments: Sequence[Node], values: Sequence[Taint]) -> list[Argument]:
        return [self._argument(one, value) for one, value in zip(arguments, values, strict=True)]

    def _argument(self, node: Node, value: Taint) -> Argument:
        literal = bare(node)
        has_fields = bool(value) and literal.type == "object" and not has_spread(literal)
        fields = self._evaluator.fields(literal, value) if has_fields else None
        return Argument(value, fields, node.type == "spread_element")

    def _from_entries(self, node: Node, value: Taint) -> Taint:
        """An object made of entries; the sender chose the keys of those of a form or a query."""
        if self._state.request_kind(node) == "form":
            return without(TAINTED, SinkKind.NOSQL)
        text = self._module.of(node)
        is_sent = text.endswith((".entries()", "earchParams")) or "ormData" in text
        return extended(value, SinkKind.FIELDS, SinkKind.SQL) if is_sent else value

    def _cloned(self, node: Node) -> Node | None:
        """The ``x`` of ``JSON.parse(JSON.stringify(x))``."""
        call = bare(node)
        function = call.child_by_field_name("function") if call.type == "call_expression" else None
        argument_list = call.child_by_field_name("arguments")
        if function is None or argument_list is None or self._module.of(function) != "JSON.stringify":
            return None
        return argument_list.named_children[0] if argument_list.named_children else None

    def _removed_labels(self, call: CallSite) -> SinkKind:
        """The labels that a function removes from its arguments."""
        removed = self._sanitizers.removed_labels.get(call.name)
        if removed is not None:
            return removed
        is_function = not call.method or call.method == "toString"
        return self._sanitizers.removed_labels.get(call.last_name, NOTHING) if is_function else NOTHING

    def _propagated(self, call: CallSite, removed: SinkKind) -> Taint:
        """The result of a function that is not defined in the project."""
        name, values = call.name, call.values
        propagating = self._sanitizers.propagating_functions
        if name in propagating or call.last_name in propagating or removed:
            found = list(values[:1] if name in _FIRST_ARGUMENT else values)
            if name.endswith("URL") and len(values) > 1:
                found.append(only(values[1], SinkKind.URL | SinkKind.REDIRECT))
            value = without(join_all(found), removed)
            return extended(value, OBJECT, SinkKind.SQL) if name in self._sanitizers.deserializers else value
        return join_all(values) if name.startswith("URL") or name == "path.relative" else CLEAN
