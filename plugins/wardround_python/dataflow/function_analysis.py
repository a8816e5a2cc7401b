"""The analysis of one function: the objects that it is composed of, and its summary."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from wardround.languages.python.module import FunctionNode
from wardround.semantics.dataflow.domain import PARAMETER
from wardround_python.dataflow import request_parameters
from wardround_python.dataflow.domain import CLEAN, PASSED, Taint
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.function_flow import FunctionFlow
from wardround_python.dataflow.known_value import Known, KnownConstant
from wardround_python.dataflow.observers import Observers
from wardround_python.dataflow.project import FunctionSummary, ProjectModule
from wardround_python.dataflow.request_objects import parameters
from wardround_python.dataflow.sources import FROM_REQUEST, FROM_UPLOAD


class FunctionAnalysis:
    """One analysis of a function, or of the statements of a module.

    Attributes:
        state: the state that all parts of the analysis share.
        known: the known values.
    """

    __slots__ = ("_flow", "known", "state")

    def __init__(self, flow: ProjectModule, function: FunctionNode | None, observers: Observers) -> None:
        self._flow = FunctionFlow(FlowState(flow, function, observers), FunctionAnalysis)
        self.state = self._flow.state
        self.known = self._flow.known

    def walk(self, body: Iterable[ast.stmt]) -> bool:
        """Analyse a body, once; return True if control leaves it."""
        try:
            return self._flow.walker.walk(body)
        finally:
            self._flow.clear()

    def bind_known(self, name: str, known: Known) -> None:
        """Bind a name to the known properties of its value."""
        self.known.bind(name, known)

    def record_known(self, known: Known | None) -> None:
        """Record what is known of the result, as far as every ``return`` agrees."""
        self._flow.returns.record_known(known)

    def run(self) -> FunctionSummary:
        """Analyse the function and return its summary."""
        function = self.state.function
        assert function is not None
        sent = request_parameters.request_parameters(self.state.module, function)
        for parameter in parameters(function):
            self._bind_parameter(parameter, sent.get(parameter.arg))
        for extra in (function.args.vararg, function.args.kwarg):
            if extra is not None:
                self.state.values[extra.arg] = {PARAMETER + extra.arg: PASSED}
        for name in self.state.flow.nested.free(function):
            self.state.values.setdefault(name, {PARAMETER + name: PASSED})
        if not self.walk(function.body):
            self.record_known(KnownConstant(None))
        known = self.state.known_return[0] if self.state.known_return is not None else None
        if known is not None and function not in self.state.flow.nested.generators:
            self.state.summary.known = known
        return self.state.summary

    def _bind_parameter(self, parameter: ast.arg, is_sent: bool | None) -> None:
        name, annotation = parameter.arg, parameter.annotation
        if is_sent is False or name in {"self", "cls"} or not request_parameters.accepts_string(annotation):
            self.state.values[name] = CLEAN
            return
        value: Taint = {PARAMETER + name: PASSED}
        if is_sent:
            source = FROM_UPLOAD if request_parameters.is_upload(annotation) else FROM_REQUEST
            value = {**value, **source}
        self.state.values[name] = value
        fields = request_parameters.model_fields(self.state.module, annotation) or {}
        for field, accepts_string in fields.items():
            if not accepts_string:
                self.state.values[f"{name}.{field}"] = CLEAN
