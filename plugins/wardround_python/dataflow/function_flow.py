"""The parts of the analysis of one function."""

from __future__ import annotations

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
from wardround_python.dataflow.evaluation import Evaluator
from wardround_python.dataflow.expressions import ExpressionTransfer
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.inlining import Analyse, Inliner
from wardround_python.dataflow.iteration import Iteration
from wardround_python.dataflow.library_calls import LibraryCalls
from wardround_python.dataflow.loops import LoopWalker
from wardround_python.dataflow.object_resolution import ObjectResolver
from wardround_python.dataflow.project_calls import ProjectCalls
from wardround_python.dataflow.returns import ReturnTransfer
from wardround_python.dataflow.scope import NameScope
from wardround_python.dataflow.sink_reporting import SinkReporter
from wardround_python.dataflow.statements import StatementTransfer
from wardround_python.dataflow.string_building import StringBuilder
from wardround_python.dataflow.summary_application import SummaryApplier
from wardround_python.dataflow.value_tracking import KnownValues
from wardround_python.dataflow.walking import StatementWalker


class FunctionFlow:
    """The parts of one analysis, in the order of their dependencies.

    Each part reads its dependencies from here when it is created.

    Args:
        analyse: creates the analysis of a function that is inlined.
    """

    def __init__(self, state: FlowState, analyse: Analyse) -> None:
        self.state = state
        self.analyse = analyse
        self.folder = ConstantFolder(state)
        self.evaluator = Evaluator(state, self.folder)
        self.names = NameScope(state, self.evaluator)
        self.sinks = SinkReporter(state)
        self.walker = StatementWalker(state)
        self.containers = ContainerLookup(self)
        self.conditions = ConditionEvaluator(self)
        self.known = KnownValues(self)
        self.writes = ContainerWrites(self)
        self.resolver = ObjectResolver(self)
        self.reads = ContainerReads(self)
        self.assignments = Assignments(self)
        self.iteration = Iteration(self)
        self.construction = ContainerConstruction(self)
        self.strings = StringBuilder(self)
        self.methods = ContainerMethods(self)
        self.summaries = SummaryApplier(self)
        self.inliner = Inliner(self)
        self.project = ProjectCalls(self)
        self.normalizer = CallNormalizer(self)
        self.library = LibraryCalls(self)
        self.call_sinks = CallSinks(self)
        self.calls = CallEvaluator(self)
        self.expressions = ExpressionTransfer(self)
        self.branches = BranchWalker(self)
        self.loops = LoopWalker(self)
        self.returns = ReturnTransfer(self)
        self.statements = StatementTransfer(self)
        self._register_transfers()

    def _register_transfers(self) -> None:
        """Tell the parts that dispatch by kind of node which functions handle them."""
        self.folder.register(self.reads.transfers())
        self.known.register(self.construction.displays(), self.construction.constructors())
        for expression in (self.strings, self.calls, self.expressions):
            self.evaluator.register(expression.transfers())
        for statement in (self.branches, self.loops, self.returns, self.statements):
            self.walker.register(statement.transfers())

    def clear(self) -> None:
        """Clear the references between the parts, so that they are freed at once."""
        for registry in (self.folder, self.known, self.evaluator, self.walker):
            registry.clear()
