"""The analysis of the functions of a module: composed of the evaluators of its syntax."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tree_sitter import Node

from wardround_typescript.dataflow.assignments import Assignments
from wardround_typescript.dataflow.call_resolution import CallTargets
from wardround_typescript.dataflow.call_sinks import CallSinks
from wardround_typescript.dataflow.callbacks import Callbacks
from wardround_typescript.dataflow.calls import CallEvaluator
from wardround_typescript.dataflow.class_fields import ClassFields
from wardround_typescript.dataflow.conditions import ConditionEvaluator
from wardround_typescript.dataflow.containers import Containers
from wardround_typescript.dataflow.domain import CLEAN, Taint
from wardround_typescript.dataflow.expressions import ExpressionEvaluator
from wardround_typescript.dataflow.fields import FieldEvaluator
from wardround_typescript.dataflow.frames import SinkRecorder
from wardround_typescript.dataflow.function_names import FunctionNames
from wardround_typescript.dataflow.lists import Lists
from wardround_typescript.dataflow.maps import Maps
from wardround_typescript.dataflow.method_calls import MethodEvaluator
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.object_literals import ObjectLiterals
from wardround_typescript.dataflow.parameters import ParameterBinder
from wardround_typescript.dataflow.process_sinks import ProcessSinks
from wardround_typescript.dataflow.properties import PropertyReader
from wardround_typescript.dataflow.record_sinks import RecordSinks
from wardround_typescript.dataflow.response_sinks import ResponseSinks
from wardround_typescript.dataflow.schema_parsing import SchemaParsing
from wardround_typescript.dataflow.scope import ModuleScope
from wardround_typescript.dataflow.state import FlowState
from wardround_typescript.dataflow.statements import StatementWalker
from wardround_typescript.dataflow.store_sinks import StoreSinks
from wardround_typescript.dataflow.string_building import StringBuilder
from wardround_typescript.dataflow.summaries import Summaries

_MAX_FUNCTION_DEPTH = 40


class FunctionAnalysis:
    """Owns the state of the analysis of a module's functions, and creates the evaluators that share it.

    It is their ``Evaluator`` and ``FunctionRunner``.
    """

    __slots__ = (
        "_depth",
        "_expressions",
        "_fields",
        "_parameters",
        "_state",
        "_statements",
        "_summaries",
    )

    def __init__(
        self,
        scope: ModuleScope,
        *,
        features: ModuleFeatures,
        names: FunctionNames,
        class_fields: ClassFields,
        summaries: Summaries,
        targets: CallTargets,
        recorder: SinkRecorder,
    ) -> None:
        state = FlowState(scope, recorder)
        conditions = ConditionEvaluator(state, self)
        strings = StringBuilder(state, self, features)
        containers = Containers(state, Lists(state, self), Maps(state, self))
        properties = PropertyReader(state, self, containers, targets, class_fields, features)
        schemas = SchemaParsing(state, self)
        responses = ResponseSinks(state, self, strings, features)
        calls = CallEvaluator(
            state,
            self,
            self,
            targets=targets,
            features=features,
            sinks=CallSinks(
                state,
                self,
                names=names,
                features=features,
                processes=ProcessSinks(state, self, strings),
                records=RecordSinks(state, self, features),
                responses=responses,
            ),
            callbacks=Callbacks(state, self, targets, features),
            methods=MethodEvaluator(state, strings, containers, conditions),
            schemas=schemas,
        )
        assignments = Assignments(
            state,
            self,
            strings=strings,
            containers=containers,
            properties=properties,
            sinks=StoreSinks(state, self),
            class_fields=class_fields,
            features=features,
        )
        self._state = state
        self._depth = 0
        self._summaries = summaries
        self._fields = FieldEvaluator(state, self, schemas, calls)
        self._parameters = ParameterBinder(state, self, assignments, names, features)
        self._expressions = ExpressionEvaluator(
            state,
            self,
            conditions=conditions,
            strings=strings,
            properties=properties,
            objects=ObjectLiterals(state, self, self),
            calls=calls,
            assignments=assignments,
        )
        self._statements = StatementWalker(
            state,
            self,
            self,
            conditions=conditions,
            assignments=assignments,
            containers=containers,
            responses=responses,
            class_fields=class_fields,
        )

    def run_statements(self, statements: Iterable[Node]) -> None:
        """Analyse the statements of the module."""
        self._statements.walk(statements)

    def run_detached(self, function: Node) -> None:
        """Analyse a function without the variables that it captures."""
        enclosing = self._state.enter_module()
        try:
            self.run_function(function)
        finally:
            self._state.leave(enclosing)

    def run_function(
        self, node: Node, arguments: Sequence[Taint] | None = None, *, takes_entries: bool = False
    ) -> Taint:
        """Analyse a nested function and return its result; see ``FunctionRunner``."""
        if self._depth >= _MAX_FUNCTION_DEPTH:
            return CLEAN
        self._depth += 1
        enclosing = self._state.enter(node)
        own_names = self._parameters.bind(node, arguments, takes_entries=takes_entries)
        self._statements.walk_function(node)
        self._depth -= 1
        inner = self._state.leave(enclosing)
        self._state.absorb(inner.values, own_names)
        self._summaries.add(node, inner.returned, inner.returned_fields or {})
        return inner.returned

    def run_resolver(self, node: Node, value: Taint, fields: Mapping[str, Taint]) -> Taint:
        """Analyse a function that takes validated input; see ``FunctionRunner``."""
        if self._depth >= _MAX_FUNCTION_DEPTH:
            return CLEAN
        self._depth += 1
        enclosing = self._state.enter(node)
        self._state.types["ctx"] = "trpc"
        self._parameters.bind_input(node, value, fields)
        self._statements.walk_function(node)
        self._depth -= 1
        return self._state.leave(enclosing).returned

    def evaluate(self, node: Node) -> Taint:
        """Return the value of an expression."""
        return self._expressions.evaluate(node)

    def fields(self, node: Node, value: Taint) -> Mapping[str, Taint]:
        """Return the values of the fields of an expression."""
        return self._fields.fields(node, value)
