"""The analysis of one function: the objects it is composed of, and its summary."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from wardround.languages.python.module import FunctionNode
from wardround.semantics.dataflow.domain import PARAMETER
from wardround_python.dataflow import request_parameters
from wardround_python.dataflow.assignments import Assignments
from wardround_python.dataflow.branches import BranchWalker
from wardround_python.dataflow.call_normalization import CallNormalizer
from wardround_python.dataflow.call_sinks import CallSinks
from wardround_python.dataflow.calls import CallEvaluator
from wardround_python.dataflow.conditions import ConditionEvaluator
from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.container_construction import ContainerConstruction
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.container_reads import ContainerReads
from wardround_python.dataflow.container_writes import ContainerWrites
from wardround_python.dataflow.containers import ContainerMethods
from wardround_python.dataflow.domain import CLEAN, PASSED, Taint
from wardround_python.dataflow.evaluation import Evaluator
from wardround_python.dataflow.expressions import ExpressionTransfer
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.inlining import Inliner
from wardround_python.dataflow.iteration import Iteration
from wardround_python.dataflow.known_value import Known, KnownConstant
from wardround_python.dataflow.library_calls import LibraryCalls
from wardround_python.dataflow.loops import LoopWalker
from wardround_python.dataflow.object_resolution import ObjectResolver
from wardround_python.dataflow.observers import Observers
from wardround_python.dataflow.project import FunctionSummary, ProjectModule
from wardround_python.dataflow.project_calls import ProjectCalls
from wardround_python.dataflow.request_objects import parameters
from wardround_python.dataflow.returns import ReturnTransfer
from wardround_python.dataflow.scope import NameScope
from wardround_python.dataflow.sink_reporting import SinkReporter
from wardround_python.dataflow.sources import FROM_REQUEST, FROM_UPLOAD
from wardround_python.dataflow.statements import StatementTransfer
from wardround_python.dataflow.string_building import StringBuilder
from wardround_python.dataflow.summary_application import SummaryApplier
from wardround_python.dataflow.value_tracking import KnownValues
from wardround_python.dataflow.walking import StatementWalker


class FunctionAnalysis:
    """One analysis of a function, or of the statements of a module.

    Attributes:
        state: the state that all parts of the analysis share.
        known: the known values.
    """

    __slots__ = ("_registries", "_returns", "_walker", "known", "state")

    def __init__(self, flow: ProjectModule, function: FunctionNode | None, observers: Observers) -> None:
        self.state = state = FlowState(flow, function, observers)
        folder = ConstantFolder(state)
        evaluator = Evaluator(state, folder)
        names = NameScope(state, evaluator)
        sinks = SinkReporter(state)
        containers = ContainerLookup(state, evaluator, names, folder)
        conditions = ConditionEvaluator(state, names, folder, containers)
        known = KnownValues(state, evaluator, folder, containers, conditions)
        writes = ContainerWrites(state, folder, containers)
        resolver = ObjectResolver(state, evaluator, containers, known)
        reads = ContainerReads(state, folder, containers, conditions, known)
        assignments = Assignments(
            state, evaluator, names, sinks, containers, conditions, known, writes, resolver
        )
        iteration = Iteration(state, evaluator, folder, containers, conditions, known, assignments)
        construction = ContainerConstruction(state, folder, containers, known, resolver, iteration)
        strings = StringBuilder(state, evaluator, names, folder, containers, known)
        methods = ContainerMethods(state, folder, containers, known, writes)
        summaries = SummaryApplier(state, evaluator, names, sinks, containers)
        inliner = Inliner(state, names, folder, known, FunctionAnalysis)
        project = ProjectCalls(state, known, inliner, summaries)
        normalizer = CallNormalizer(state, evaluator, folder, known, resolver, assignments)
        library = LibraryCalls(
            state,
            evaluator,
            names,
            folder,
            containers,
            known,
            resolver,
            assignments,
            iteration,
            construction,
            strings,
        )
        call_sinks = CallSinks(state, evaluator, names, sinks, containers, known, normalizer)
        calls = CallEvaluator(
            state,
            evaluator,
            names,
            containers,
            known,
            resolver,
            summaries,
            methods,
            project,
            normalizer,
            construction,
            library,
            call_sinks,
        )
        expressions = ExpressionTransfer(
            state,
            evaluator,
            names,
            sinks,
            containers,
            conditions,
            known,
            assignments,
            reads,
            summaries,
            calls,
        )
        walker = StatementWalker(state)
        branches = BranchWalker(state, evaluator, names, folder, containers, conditions, known, walker)
        loops = LoopWalker(state, evaluator, names, containers, conditions, known, assignments, walker)
        returns = ReturnTransfer(state, evaluator, sinks, containers, known, resolver)
        statements = StatementTransfer(
            state,
            evaluator,
            names,
            folder,
            containers,
            conditions,
            known,
            writes,
            construction,
            assignments,
            strings,
        )
        folder.register(reads.transfers())
        known.register(construction.displays(), construction.constructors())
        for expression in (strings, calls, expressions):
            evaluator.register(expression.transfers())
        for statement in (branches, loops, returns, statements):
            walker.register(statement.transfers())
        self.known = known
        self._returns = returns
        self._walker = walker
        self._registries = (folder, known, evaluator, walker)

    def walk(self, body: Iterable[ast.stmt]) -> bool:
        """Analyse a body, once; return True if control leaves it.

        The parts of the analysis refer to one another; that ends here, so that they are freed at once.
        """
        try:
            return self._walker.walk(body)
        finally:
            for registry in self._registries:
                registry.clear()

    def bind_known(self, name: str, known: Known) -> None:
        """Bind a name to what is known of its value."""
        self.known.bind(name, known)

    def record_known(self, known: Known | None) -> None:
        """Record what is known of the result, as far as every ``return`` agrees."""
        self._returns.record_known(known)

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

    def _bind_parameter(self, one: ast.arg, is_sent: bool | None) -> None:
        is_own = one.arg in {"self", "cls"}
        if is_sent is False or is_own or not request_parameters.is_text(one.annotation):
            self.state.values[one.arg] = CLEAN
            return
        value: Taint = {PARAMETER + one.arg: PASSED}
        if is_sent:
            value = {
                **value,
                **(FROM_UPLOAD if request_parameters.is_upload(one.annotation) else FROM_REQUEST),
            }
        self.state.values[one.arg] = value
        for name, is_text in (
            request_parameters.model_fields(self.state.module, one.annotation) or {}
        ).items():
            if not is_text:
                self.state.values[f"{one.arg}.{name}"] = CLEAN
