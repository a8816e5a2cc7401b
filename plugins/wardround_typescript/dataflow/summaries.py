"""Function summaries: the values that functions return, in terms of the values of their parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from wardround.semantics.dataflow.domain import join, join_all
from wardround_typescript.dataflow.arguments import Argument
from wardround_typescript.dataflow.domain import (
    CLEAN,
    FIELD,
    FIELDS_KNOWN,
    KEYS,
    UNDERLYING,
    SinkKind,
    Taint,
    binding_names,
    parameter_of,
)
from wardround_typescript.dataflow.parameters import parameter_origins, parameters_of
from wardround_typescript.dataflow.scope import ModuleScope

Bindings = Mapping[str, Taint]
"""Origin of a parameter -> the value a call binds to it; see ``domain.sources_of`` for the forms."""


@dataclass(frozen=True, slots=True)
class FunctionSummary:
    """The value that a function returns and, where it returns one literal, the values of its fields."""

    returned: Taint
    fields: Mapping[str, Taint]


class Summaries:
    """The summaries of the analysed functions of a module."""

    __slots__ = ("_scope", "_summaries")

    def __init__(self, scope: ModuleScope) -> None:
        self._scope = scope
        self._summaries: dict[int, FunctionSummary] = {}

    def __contains__(self, function: Node) -> bool:
        return function.id in self._summaries

    def add(self, function: Node, returned: Taint, fields: Mapping[str, Taint]) -> None:
        """Record the result of an analysis; the returned value is joined with that of earlier ones."""
        known = self._summaries.get(function.id)
        joined = returned if known is None else join(known.returned, returned)
        self._summaries[function.id] = FunctionSummary(joined, fields)

    def bindings(self, function: Node, arguments: Sequence[Argument]) -> Bindings:
        """Return the values that a call binds to the parameters of a function."""
        origins = parameter_origins(self._scope, function)
        bound: dict[str, Taint] = {}
        for index, argument in enumerate(arguments):
            if not argument.value or not origins:
                continue
            for origin in _bound_origins(function, origins, index, argument.is_spread):
                _bind(bound, origin, argument)
        return bound

    def returned_taint(self, function: Node, bindings: Bindings) -> Taint:
        """Return the value that a call returns."""
        summary = self._summaries.get(function.id)
        if summary is None or not summary.returned:
            return CLEAN
        return _substitute_origins(summary.returned, bindings, parameter_origins(self._scope, function))

    def returned_fields(self, function: Node, bindings: Bindings) -> Mapping[str, Taint]:
        """Return the values of the fields of what a call returns; empty where they are unknown."""
        summary = self._summaries.get(function.id)
        if summary is None or not summary.fields:
            return {}
        origins = parameter_origins(self._scope, function)
        return {name: _substitute_origins(value, bindings, origins) for name, value in summary.fields.items()}


def _bound_origins(function: Node, origins: Sequence[str], index: int, is_spread: bool) -> Sequence[str]:
    """The origins of the parameters that receive an argument: the one at its index, or a rest parameter."""
    if is_spread:
        return origins[index:] or origins[-1:]
    if index < len(origins):
        return origins[index : index + 1]
    last = parameters_of(function)[-1]
    is_rest = (last.child_by_field_name("pattern") or last).type == "rest_pattern"
    return origins[-1:] if is_rest else ()


def _bind(bound: dict[str, Taint], origin: str, argument: Argument) -> None:
    text = origin if argument.fields is None else origin + FIELDS_KNOWN
    bound[text] = join(bound.get(text, CLEAN), argument.value)
    for name, value in (argument.fields or {}).items():
        path = origin + FIELD + name
        bound[path] = join(bound.get(path, CLEAN), value)


def _substitute_origins(value: Taint, bindings: Bindings, origins: Sequence[str]) -> Taint:
    """Return a value with the bound values instead of the origins of parameters."""
    found: list[Taint] = []
    for origin, labels in value.items():
        if parameter_of(origin) in origins:
            found += _bound_values(origin, labels, bindings)
        else:
            found.append({origin: labels})
    return join_all(found)


def _bound_values(origin: str, labels: SinkKind, bindings: Bindings) -> Iterator[Taint]:
    """Yield the values that a call binds to the origin of a parameter, with the labels that they keep."""
    bound = join_all(bindings.get(name, CLEAN) for name in binding_names(origin))
    for source, carried in bound.items():
        if origin.endswith(KEYS) and not carried & SinkKind.FIELDS:
            continue
        remaining = _remaining_labels(labels, carried)
        if remaining:
            yield {source: remaining}


def _remaining_labels(labels: SinkKind, carried: SinkKind) -> SinkKind:
    """Return the labels of a result that a bound value has, or gets by its position in it."""
    remaining = carried & labels
    for placed, required in UNDERLYING.items():
        if labels & placed and carried & required:
            remaining |= placed
    return remaining
