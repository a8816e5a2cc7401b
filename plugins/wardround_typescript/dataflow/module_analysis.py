from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress

from tree_sitter import Node

from wardround.change.repository_view import RepositoryView
from wardround_typescript.dataflow.arguments import Argument
from wardround_typescript.dataflow.call_resolution import CallResolver, CallTargets
from wardround_typescript.dataflow.class_fields import ClassFields
from wardround_typescript.dataflow.domain import Taint
from wardround_typescript.dataflow.function_analysis import FunctionAnalysis
from wardround_typescript.dataflow.function_names import FunctionNames
from wardround_typescript.dataflow.module_features import ModuleFeatures
from wardround_typescript.dataflow.scope import ModuleScope
from wardround_typescript.dataflow.summaries import Summaries
from wardround_typescript.dataflow.taint_flows import TaintFlows


class ModuleAnalysis:
    """Analyses the functions of one module, and evaluates calls of them from their summaries."""

    def __init__(
        self, scope: ModuleScope, project: RepositoryView, *, flows: TaintFlows, resolver: CallResolver
    ) -> None:
        self.scope = scope
        self.names = FunctionNames(scope)
        self._flows = flows
        self._summaries = Summaries(scope)
        self._functions = FunctionAnalysis(
            scope,
            features=ModuleFeatures(scope, project),
            names=self.names,
            class_fields=ClassFields(),
            summaries=self._summaries,
            targets=CallTargets(resolver, self),
            recorder=flows,
        )
        self._in_progress: set[int] = set()

    def run(self) -> None:
        """Analyse the complete module."""
        with suppress(RecursionError):  # nested past what the interpreter itself can walk
            self._functions.run_statements(self.scope.module.root.named_children)

    def call(self, function: Node, arguments: Sequence[Argument], at: Node, path: str) -> Taint:
        """Bind arguments to the parameters of a function of this module and return the result.

        ``at`` is the call, in the module at ``path``.
        """
        if function not in self._summaries and function.id not in self._in_progress:
            self._in_progress.add(function.id)
            with suppress(RecursionError):
                self._functions.run_detached(function)
            self._in_progress.discard(function.id)
        bindings = self._summaries.bindings(function, arguments)
        for origin, value in bindings.items():
            self._flows.bind(origin, value, at, path)
        return self._summaries.returned_taint(function, bindings)

    def returned_fields(self, function: Node, arguments: Sequence[Argument]) -> Mapping[str, Taint]:
        """Return the values of the fields of what a call returns; empty where they are unknown."""
        return self._summaries.returned_fields(function, self._summaries.bindings(function, arguments))
