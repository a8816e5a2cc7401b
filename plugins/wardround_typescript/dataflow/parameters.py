"""The values that the parameters of a function start with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tree_sitter import Node

from wardround.semantics.dataflow.domain import PARAMETER, join
from wardround_typescript.dataflow import sources
from wardround_typescript.dataflow.assignments import Assignments
from wardround_typescript.dataflow.domain import (
    CLEAN,
    CONTEXTUAL,
    EVERYTHING,
    OBJECT,
    TAINTED_TEXT,
    SinkKind,
    Taint,
    field_of,
)
from wardround_typescript.dataflow.evaluator import Evaluator
from wardround_typescript.dataflow.function_names import FunctionNames
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.nodes import FUNCTIONS
from wardround_typescript.dataflow.scope import ModuleScope
from wardround_typescript.dataflow.state import FlowState

_PARAMETERS = frozenset(
    {
        "required_parameter", "optional_parameter", "identifier", "object_pattern", "array_pattern",
        "assignment_pattern", "rest_pattern",
    }
)  # fmt: skip
_RESOLVER_PARENTS = frozenset(
    {"_", "__", "parent", "_parent", "root", "_root", "obj", "_obj", "source", "_source"}
)
"""Names of the first parameter of a GraphQL resolver."""
_ROUTE_PARAMETERS = frozenset({"params", "searchParams", "query"})
_INPUTS = frozenset({"input", "parsedInput", "data"})
_SHORTHANDS = frozenset({"shorthand_property_identifier_pattern", "identifier"})


def parameters_of(function: Node) -> list[Node]:
    """The parameters of a function as written."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return [single]
    listed = function.child_by_field_name("parameters")
    return [one for one in (listed.named_children if listed is not None else ()) if one.type in _PARAMETERS]


def parameter_origin(scope: ModuleScope, function: Node, index: int) -> str:
    """The origin of the values that calls bind to a parameter."""
    return f"{PARAMETER}{scope.module.path}:{function.start_byte}:{index}"


def parameter_origins(scope: ModuleScope, function: Node) -> list[str]:
    """The origins of all parameters of a function."""
    return [parameter_origin(scope, function, index) for index in range(len(parameters_of(function)))]


class ParameterBinder:
    """Binds the parameters of the function of a state."""

    __slots__ = ("_assignments", "_evaluator", "_features", "_module", "_names", "_state")

    def __init__(
        self,
        state: FlowState,
        evaluator: Evaluator,
        assignments: Assignments,
        names: FunctionNames,
        features: ModuleFeatures,
    ) -> None:
        self._state = state
        self._module = state.module
        self._evaluator = evaluator
        self._assignments = assignments
        self._names = names
        self._features = features

    def bind(
        self, function: Node, arguments: Sequence[Taint] | None, *, takes_entries: bool
    ) -> frozenset[str]:
        """Bind the parameters to the values of arguments, or where these are not known to their origins.

        Returns:
            The names of the parameters.
        """
        module = self._module
        self._state.values.update(sources.route_parameters(module, function, self._names.name_of(function)))
        parameters = parameters_of(function)
        is_resolver = self._is_resolver(parameters)
        own_names: set[str] = set()
        for at, parameter in enumerate(parameters):
            pattern = parameter.child_by_field_name("pattern") or parameter
            kind = sources.declared_type(module, parameter)
            value = self._initial_value(function, arguments, at, parameter)
            if is_resolver and at == 1:
                value = TAINTED_TEXT
            decorated = sources.decorated(module, parameter)
            if decorated is not None:
                value = decorated
            if arguments is None and self._names.is_named(function) and not sources.is_text(kind):
                value = CLEAN
            own_names |= self._bind_parameter(pattern, kind, value, decorated is not None, takes_entries)
            if at == 0 and self._is_lambda_event(function, pattern, kind):
                self._state.request_kinds[module.of(pattern)] = sources.LAMBDA_EVENT
        return frozenset(own_names)

    def _initial_value(
        self, function: Node, arguments: Sequence[Taint] | None, at: int, parameter: Node
    ) -> Taint:
        """The value of an argument, or the origin of the parameter, joined with the default."""
        kind = sources.declared_type(self._module, parameter)
        value = arguments[at] if arguments is not None and at < len(arguments) else CLEAN
        if arguments is None and self._names.is_named(function):
            value = {parameter_origin(self._state.scope, function, at): _labels_of_type(kind)}
        default = parameter.child_by_field_name("value")
        if default is not None and default.type not in FUNCTIONS:
            value = join(value, self._evaluator.evaluate(default))
        if self._features.is_server_action(function):
            value = join(value, sources.action_parameter(kind))
        return value

    def bind_input(self, function: Node, value: Taint, fields: Mapping[str, Taint]) -> None:
        """Bind the first parameter to ``{ input }``, or ``{ parsedInput }``, of a value with fields."""
        for parameter in parameters_of(function)[:1]:
            pattern = parameter.child_by_field_name("pattern") or parameter
            if pattern.type == "identifier":
                self._bind_fields(self._module.of(pattern) + ".input", value, fields)
                self._bind_fields(self._module.of(pattern) + ".parsedInput", value, fields)
            for entry in pattern.named_children if pattern.type == "object_pattern" else ():
                self._bind_input_property(entry, value, fields)

    def _bind_input_property(self, entry: Node, value: Taint, fields: Mapping[str, Taint]) -> None:
        key = entry.child_by_field_name("key")
        name = self._module.of(key if key is not None else entry)
        own = entry.child_by_field_name("value") if key is not None else entry
        if name not in _INPUTS or own is None:
            return
        if own.type != "object_pattern":
            self._bind_fields(self._module.of(own), value, fields)
            return
        for inner in own.named_children:
            field = self._module.of(inner.child_by_field_name("key") or inner)
            self._assignments.bind(
                inner.child_by_field_name("value") or inner, fields.get(field, value), None
            )

    def _bind_fields(self, name: str, value: Taint, fields: Mapping[str, Taint]) -> None:
        self._state.values[name] = value
        for key, known in fields.items():
            self._state.values[f"{name}.{key}"] = known

    def _is_lambda_event(self, function: Node, pattern: Node, kind: str) -> bool:
        """Return True if a first parameter holds whatever the caller of a Lambda function sends."""
        known = self._state.request_kinds.get(self._module.of(pattern))
        if known != "event" or kind not in {"", "any", "unknown"}:
            return False
        return sources.is_lambda_handler(self._module, function)

    def _bind_parameter(
        self, pattern: Node, kind: str, value: Taint, is_decorated: bool, takes_entries: bool
    ) -> set[str]:
        """Bind one parameter and return the names it declares."""
        if pattern.type == "rest_pattern" and pattern.named_children:
            pattern = pattern.named_children[0]
        if pattern.type == "assignment_pattern":
            pattern = pattern.child_by_field_name("left") or pattern
        name = self._module.of(pattern) if pattern.type == "identifier" else ""
        self._hide(name)
        request_kind = "" if is_decorated or not name else sources.request_kind(self._module, name, kind)
        if name and kind:
            self._state.types[name] = kind.partition("<")[0]
        if request_kind:
            self._state.request_kinds[name] = request_kind
            self._state.values[name] = CLEAN
        elif pattern.type == "object_pattern":
            return {name, *self._bind_object(pattern, kind, value)}
        elif takes_entries:
            self._assignments.bind_entry(pattern, value)
        else:
            self._assignments.bind(pattern, value, None)
        return {name}

    def _hide(self, name: str) -> None:
        """Forget the variable of an enclosing function that a parameter hides."""
        values = self._state.values
        for path in [path for path in values if path.startswith(name + ".")] if name else []:
            del values[path]
        self._state.request_kinds.pop(name, None)

    def _bind_object(self, pattern: Node, kind: str, value: Taint) -> set[str]:
        """Bind a destructured parameter: parts of the request, ``params`` of a route, or any object."""
        own_names: set[str] = set()
        is_request = bool(kind) and sources.request_kind(self._module, "request", kind) == "request"
        values = self._state.values
        route = {name: values[name] for name in _ROUTE_PARAMETERS if name in values}
        for entry in pattern.named_children:
            key = entry.child_by_field_name("key") or entry.child_by_field_name("left") or entry
            name = self._module.of(key)
            own = entry.child_by_field_name("value") or entry
            own_names.add(self._module.of(own))
            if name in {"request", "req"} and own.type in _SHORTHANDS and not value:
                self._state.request_kinds[self._module.of(own)] = "request"
                continue
            part = sources.part("request", name) if is_request else None
            if part is None:
                part = route.get(name, field_of(value, name))
            self._assignments.bind(own, part, None)
        return own_names

    def _is_resolver(self, parameters: Sequence[Node]) -> bool:
        """Return True for the parameters of a GraphQL resolver."""
        if len(parameters) < 2 or not self._features.resolves_queries:
            return False
        first = parameters[0].child_by_field_name("pattern") or parameters[0]
        return self._module.of(first) in _RESOLVER_PARENTS


def _labels_of_type(kind: str) -> SinkKind:
    """The labels that a value of a declared type may have."""
    labels = EVERYTHING & ~CONTEXTUAL
    return labels & ~OBJECT if kind == "string" else labels
