"""Reporting of taints that reach sinks."""

from __future__ import annotations

import ast

from wardround.semantics.dataflow.domain import PARAMETER
from wardround_python.dataflow.domain import ENCODED, Place, SinkKind, Taint
from wardround_python.dataflow.flow_state import FlowState


class SinkReporter:
    """Reports the sinks that taints reach: in the summary for parameters, as hits for sources."""

    __slots__ = ("_state",)

    def __init__(self, state: FlowState) -> None:
        self._state = state

    def reach(self, kind: SinkKind, node: ast.expr, value: Taint) -> None:
        """Report that an expression of this module reaches a sink."""
        self.reach_at((kind, node, self._state.module.path), value, None)
        observer = self._state.observers.sinks
        if observer is not None and value:
            observer.sink_reached(kind, node)

    def reach_at(self, place: Place, value: Taint, call: ast.expr | None) -> None:
        """Report that a taint reaches a sink, directly or through a call."""
        kind, node, path = place
        for origin, left in value.items():
            if not left & kind or origin.startswith(ENCODED):
                continue
            if origin.startswith(PARAMETER):
                self._state.summary.reach(origin, place)
            elif self._state.inlined is not None:
                self._state.inlined.flow.hit(kind, node, path, origin, call or self._state.inlined.call)
            else:
                self._state.flow.hit(kind, node, path, origin, call)
