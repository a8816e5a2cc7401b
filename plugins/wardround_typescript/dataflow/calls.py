"""The results of calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from wardround.semantics.dataflow.domain import extend, join_all, only, without
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
from wardround_typescript.dataflow.nodes import FUNCTIONS, bare, field_text
from wardround_typescript.dataflow.schema_parsing import SchemaParsing
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.syntax.nodes import child, first_part, has_kind

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
        """Return the result of a call; the sinks that its arguments reach are recorded."""
        function = node.child_by_field_name("function") or node.child_by_field_name("constructor")
        argument_list = node.child_by_field_name("arguments")
        if function is None:
            return CLEAN
        if argument_list is None or argument_list.type == "template_string":
            return self._tagged_template(function, argument_list)
        callee, arguments = bare(function), arguments_of(argument_list)
        if callee.type in FUNCTIONS:
            return self._functions.run_function(callee, list(map(self._evaluator.evaluate, arguments)))
        return self._evaluate_site(self._call_site(node, callee, arguments))

    def _evaluate_site(self, call: CallSite) -> Taint:
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
        name = self._scope.qualified_name(callee)
        last_name = method or name.rpartition(".")[2]
        return CallSite(node, callee, name, receiver, method, last_name, received, arguments, values)

    def _values(self, arguments: Sequence[Node]) -> list[Taint]:
        return [
            CLEAN if argument.type in FUNCTIONS else self._evaluator.evaluate(argument)
            for argument in arguments
        ]

    def _check_dynamic(self, callee: Node) -> None:
        """``handlers[message.type](message)``: the key selects the callee."""
        index = callee.child_by_field_name("index")
        if not has_kind(index, _DYNAMIC_KEYS):
            return
        text = self._module.of(callee)
        if not any(f"{guard}{text}" in self._module.text for guard in _GUARDS):
            self._state.reach(SinkKind.METHOD, callee, self._evaluator.evaluate(index))

    def _tagged_template(self, function: Node, template: Node | None) -> Taint:
        """Evaluate a tagged template: its tag receives the values separately from the text, so nothing is
        concatenated.
        """
        if template is None:
            return CLEAN
        value = self._evaluator.evaluate(template)
        return value if self._module.of(function) in _RAW_TAGS else CLEAN

    def _request_call(self, call: CallSite) -> Taint | None:
        """Return the value that a call reads from the request; None if it reads none."""
        if call.receiver is None:
            return self._imported_request_call(call.name)
        kind = self._state.request_kind(call.receiver)
        if not kind:
            return self._taint_of_get(call, is_request=self._is_cookies(call.receiver))
        if kind == "context":
            return self._taint_of_get(call, is_request="koa" in self._module.text)
        value = sources.request_call(kind, call.method)
        if value is None:
            return None
        is_validated = self._state.is_validated or call.method == "valid"
        return without(value, OBJECT) if is_validated else value

    def _imported_request_call(self, name: str) -> Taint | None:
        is_imported = self._features.is_nitro and "." not in name
        return sources.h3_call(name) if is_imported or name.startswith("h3") else None

    def _taint_of_get(self, call: CallSite, *, is_request: bool) -> Taint | None:
        return TAINTED_TEXT if is_request and call.method == "get" else None

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
            return self._propagate(call, removed)
        return self._methods.evaluate(call, call.receiver, removed)

    def _project_call(self, call: CallSite, callee: Callee) -> Taint:
        """Return the result of a function of the project."""
        arguments = self._arguments(call.arguments, call.values)
        if call.method in {"call", "apply"}:
            is_spread = call.method == "apply"
            passed = arguments[1:]
            arguments = [Argument(argument.value, argument.fields, is_spread) for argument in passed]
        returned = callee.call(arguments, call.node, self._module.path)
        if call.name.rpartition(".")[2] in {"pick", "omit"}:
            return without(returned, SinkKind.FIELDS)
        return returned or CLEAN

    def _builtin(self, call: CallSite) -> Taint | None:
        """The result of a builtin function that needs a model of its own; None for any other."""
        if call.arguments:
            modelled = self._modelled_result(call.name, call.arguments[0], call.values[0])
            if modelled is not None:
                return modelled
        is_clean = call.name in self._sanitizers.converters or call.last_name in _CLEAN_METHODS
        return CLEAN if is_clean else None

    def _modelled_result(self, name: str, argument: Node, value: Taint) -> Taint | None:
        match name:
            case "Object.keys":
                return keys_of(value)
            case "Object.fromEntries":
                return self._from_entries(argument, value)
            case "JSON.parse":
                cloned = self._cloned_value(argument)
                return self._evaluator.evaluate(cloned) if cloned is not None else None
        return None

    def returned_fields(self, node: Node) -> Mapping[str, Taint]:
        """Return the values of the fields of what a call returns; empty where they are unknown."""
        function, argument_list = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if function is None or argument_list is None:
            return {}
        arguments = arguments_of(argument_list)
        values = self._values(arguments)
        callee = self._targets.callee(self._state, node, bare(function), values)
        return callee.returned_fields(self._arguments(arguments, values)) if callee is not None else {}

    def _arguments(self, arguments: Sequence[Node], values: Sequence[Taint]) -> list[Argument]:
        return list(map(self._evaluate_argument, arguments, values))

    def _evaluate_argument(self, node: Node, value: Taint) -> Argument:
        literal = bare(node)
        has_fields = bool(value) and literal.type == "object" and not has_spread(literal)
        fields = self._evaluator.fields(literal, value) if has_fields else None
        return Argument(value, fields, node.type == "spread_element")

    def _from_entries(self, node: Node, value: Taint) -> Taint:
        """Return the value of an object built from entries; the sender chose the keys of a form or a
        query.
        """
        if self._state.request_kind(node) == "form":
            return without(TAINTED, SinkKind.NOSQL)
        text = self._module.of(node)
        is_sent = text.endswith((".entries()", "earchParams")) or "ormData" in text
        return extend(value, SinkKind.FIELDS, SinkKind.SQL) if is_sent else value

    def _cloned_value(self, node: Node) -> Node | None:
        """Return the ``x`` of ``JSON.parse(JSON.stringify(x))``."""
        call = bare(node)
        if call.type != "call_expression" or field_text(self._module, call, "function") != "JSON.stringify":
            return None
        return first_part(child(call, "arguments"))

    def _removed_labels(self, call: CallSite) -> SinkKind:
        """Return the labels that a function removes from its arguments."""
        labels = self._sanitizers.removed_labels
        if call.name in labels:
            return labels[call.name]
        is_function = not call.method or call.method == "toString"
        return labels.get(call.last_name, NOTHING) if is_function else NOTHING

    def _propagate(self, call: CallSite, removed: SinkKind) -> Taint:
        """Return the result of a function that is not defined in the project."""
        name, values = call.name, call.values
        if not removed and not self._is_propagating(call):
            is_joining = name.startswith("URL") or name == "path.relative"
            return join_all(values) if is_joining else CLEAN
        found = list(values[:1] if name in _FIRST_ARGUMENT else values)
        if name.endswith("URL") and len(values) > 1:
            found.append(only(values[1], SinkKind.URL | SinkKind.REDIRECT))
        value = without(join_all(found), removed)
        is_object = name in self._sanitizers.deserializers
        return extend(value, OBJECT, SinkKind.SQL) if is_object else value

    def _is_propagating(self, call: CallSite) -> bool:
        propagating = self._sanitizers.propagating_functions
        return call.name in propagating or call.last_name in propagating
