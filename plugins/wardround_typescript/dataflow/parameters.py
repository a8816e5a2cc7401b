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
from wardround_typescript.syntax.nodes import parts

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
    """Return the parameters of a function verbatim."""
    single = function.child_by_field_name("parameter")
    if single is not None:
        return [single]
    listed = parts(function.child_by_field_name("parameters"))
    return [parameter for parameter in listed if parameter.type in _PARAMETERS]


def parameter_origin(scope: ModuleScope, function: Node, index: int) -> str:
    """Return the origin of the values that calls bind to a parameter."""
    return f"{PARAMETER}{scope.module.path}:{function.start_byte}:{index}"


def parameter_origins(scope: ModuleScope, function: Node) -> list[str]:
    """Return the origins of all parameters of a function."""
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
        query_arguments = parameters[1] if self._is_resolver(parameters) else None
        own_names: set[str] = set()
        for at, parameter in enumerate(parameters):
            value = self._initial_value(function, arguments, at, parameter)
            value = self._adjusted_value(function, arguments, parameter, value, query_arguments)
            own_names |= self._bind_parameter(parameter, value, takes_entries)
            if at == 0:
                self._note_lambda_event(function, parameter)
        return frozenset(own_names)

    def _adjusted_value(
        self,
        function: Node,
        arguments: Sequence[Taint] | None,
        parameter: Node,
        value: Taint,
        query_arguments: Node | None,
    ) -> Taint:
        """Return the value of a parameter, or the value implied by its type, its decorator or its role."""
        kind = sources.declared_type(self._module, parameter)
        if arguments is None and self._names.is_named(function) and not sources.is_text(kind):
            return CLEAN
        decorated = sources.parameter_taint(self._module, parameter)
        if decorated is not None:
            return decorated
        return TAINTED_TEXT if parameter == query_arguments else value

    def _initial_value(
        self, function: Node, arguments: Sequence[Taint] | None, at: int, parameter: Node
    ) -> Taint:
        """Return the value of an argument, or the origin of the parameter, joined with the default."""
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
            pattern = _pattern(parameter)
            match pattern.type:
                case "identifier":
                    self._bind_fields(self._module.of(pattern) + ".input", value, fields)
                    self._bind_fields(self._module.of(pattern) + ".parsedInput", value, fields)
                case "object_pattern":
                    for entry in pattern.named_children:
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

    def _note_lambda_event(self, function: Node, parameter: Node) -> None:
        """Record a first parameter that holds whatever the caller of a Lambda function sends."""
        name = self._module.of(_pattern(parameter))
        if self._state.request_kinds.get(name) != "event":
            return
        if sources.declared_type(self._module, parameter) not in {"", "any", "unknown"}:
            return
        if sources.is_lambda_handler(self._module, function):
            self._state.request_kinds[name] = sources.LAMBDA_EVENT

    def _bind_parameter(self, parameter: Node, value: Taint, takes_entries: bool) -> set[str]:
        """Bind one parameter and return the names it declares."""
        pattern = _bound_pattern(_pattern(parameter))
        kind = sources.declared_type(self._module, parameter)
        name = self._module.of(pattern) if pattern.type == "identifier" else ""
        self._hide(name)
        if name and kind:
            self._state.types[name] = kind.partition("<")[0]
        request_kind = self._request_kind(parameter, name, kind)
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

    def _request_kind(self, parameter: Node, name: str, kind: str) -> str:
        """The part of a request that a parameter receives, by its name or type; a decorator overrides
        both.
        """
        if not name or sources.parameter_taint(self._module, parameter) is not None:
            return ""
        return sources.request_kind(self._module, name, kind)

    def _hide(self, name: str) -> None:
        """Forget the variable of an enclosing function that a parameter hides."""
        values = self._state.values
        hidden = [path for path in values if path.startswith(name + ".")] if name else []
        for path in hidden:
            del values[path]
        self._state.request_kinds.pop(name, None)

    def _bind_object(self, pattern: Node, kind: str, value: Taint) -> set[str]:
        """Bind a destructured parameter: parts of the request, ``params`` of a route, or any object."""
        is_request = bool(kind) and sources.request_kind(self._module, "request", kind) == "request"
        values = self._state.values
        route = {name: values[name] for name in _ROUTE_PARAMETERS if name in values}
        own_names: set[str] = set()
        for entry in pattern.named_children:
            name, own = self._entry(entry)
            own_names.add(self._module.of(own))
            if not value and self._is_request(own, name):
                self._state.request_kinds[self._module.of(own)] = "request"
                continue
            part = sources.part("request", name) if is_request else None
            if part is None:
                part = route.get(name, field_of(value, name))
            self._assignments.bind(own, part, None)
        return own_names

    def _entry(self, entry: Node) -> tuple[str, Node]:
        """Return the property that an element of a pattern reads, and the pattern to which it is bound."""
        key = entry.child_by_field_name("key") or entry.child_by_field_name("left") or entry
        return self._module.of(key), entry.child_by_field_name("value") or entry

    def _is_request(self, variable: Node, name: str) -> bool:
        return name in {"request", "req"} and variable.type in _SHORTHANDS

    def _is_resolver(self, parameters: Sequence[Node]) -> bool:
        """Return True for the parameters of a GraphQL resolver."""
        if len(parameters) < 2 or not self._features.resolves_queries:
            return False
        return self._module.of(_pattern(parameters[0])) in _RESOLVER_PARENTS


def _pattern(parameter: Node) -> Node:
    return parameter.child_by_field_name("pattern") or parameter


def _bound_pattern(pattern: Node) -> Node:
    """Return the name or the pattern that a parameter binds, without its dots and its default."""
    if pattern.type == "rest_pattern" and pattern.named_children:
        pattern = pattern.named_children[0]
    if pattern.type == "assignment_pattern":
        return pattern.child_by_field_name("left") or pattern
    return pattern


def _labels_of_type(kind: str) -> SinkKind:
    """Return the labels that a value of a declared type may have."""
    labels = EVERYTHING & ~CONTEXTUAL
    return labels & ~OBJECT if kind == "string" else labels
