"""Function summaries, applied to calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.semantics.dataflow.domain import PARAMETER, join
from wardround_python.dataflow.domain import CLEAN, PASSED, SELF, Taint
from wardround_python.dataflow.expression_shapes import bound_arguments, substituted_parameters
from wardround_python.dataflow.known_value import KnownContainer
from wardround_python.dataflow.object_resolution import Named, ResolvedCallee
from wardround_python.dataflow.project import FunctionSummary
from wardround_python.dataflow.state import OUTSIDE

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow


class SummaryApplier:
    """Applies the summary of a function to a call of it."""

    __slots__ = (
        "_containers",
        "_evaluator",
        "_names",
        "_sinks",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._sinks = flow.sinks
        self._containers = flow.containers

    def apply(
        self,
        callee: ResolvedCallee,
        summary: FunctionSummary,
        node: ast.Call,
        taints: Sequence[Taint],
        named: Named,
    ) -> dict[str, Taint]:
        """Apply the summary of a function to one call: report the sinks it reaches, record its stores."""
        bound = bound_arguments(callee.function, node, taints, named, callee.skips)
        bound.update(self._attributes(callee, summary, node))
        if callee.flow is self._state.flow:
            bound.update(
                {
                    name: self._state.values.get(name, CLEAN)
                    for name in self._state.flow.nested.free(callee.function)
                }
            )
        for name, value in bound.items():
            for location in summary.reaches.get(name, {}):
                self._sinks.reach_at(location, value, node)
        receiver = callee.receiver
        if receiver is not None:
            receiver.known.clear()
        elif callee.is_own:
            self.forget_self()
        for name, value in summary.stores.items():
            left = substituted_parameters(value, bound)
            if name.startswith("session."):
                self._names.store_in_session(name.removeprefix("session."), left)
                continue
            if name.startswith(OUTSIDE):
                self._names.extend(name.removeprefix(OUTSIDE), left)
                continue
            if callee.is_own and left:
                self._names.extend(f"self.{name}", left)
            elif receiver is not None and receiver.fields is not None and left:
                receiver.fields[name] = join(receiver.fields.get(name, CLEAN), left)
        return bound

    def forget_self(self) -> None:
        """Forget what is known of the attributes of ``self``."""
        for key in [key for key in self._state.values.known if key.startswith("self.")]:
            container = self._state.values.known.pop(key)
            if isinstance(container, KnownContainer):
                self._containers.escape(container)

    def self_attribute(self, key: str) -> Taint:
        """Return the taint of an attribute of ``self``."""
        if key in self._state.values:
            return self._state.values[key]
        name = key.removeprefix("self.")
        if self._state.cls is None or name not in self._state.cls.attributes:
            return CLEAN
        return {PARAMETER + key: PASSED}

    def _attributes(
        self, callee: ResolvedCallee, summary: FunctionSummary, node: ast.Call
    ) -> dict[str, Taint]:
        """Return the taint of the attributes that a method reads."""
        names = _attributes_reaching(summary)
        retained: dict[str, Taint] = {name: {PARAMETER + name: PASSED} for name in summary.session_keys()}
        if callee.is_own:
            return retained | {name: self.self_attribute(name) for name in names}
        receiver = callee.receiver
        if receiver is None:
            return retained
        if receiver.fields is None:
            complete = (
                self._evaluator.value(node.func.value) if isinstance(node.func, ast.Attribute) else CLEAN
            )
            return retained | dict.fromkeys(names, complete)
        return retained | {name: receiver.fields.get(name.removeprefix("self."), CLEAN) for name in names}


def _attributes_reaching(summary: FunctionSummary) -> set[str]:
    """Return the attributes of self that reach a sink, a result, or what a method stores."""
    fields = summary.instance.fields or {} if summary.instance is not None else {}
    origins = {
        origin for value in (summary.returned, *summary.stores.values(), *fields.values()) for origin in value
    }
    passed = {origin.removeprefix(PARAMETER) for origin in origins if origin.startswith(SELF)}
    return passed | {name for name in summary.reaches if name.startswith("self.")}
