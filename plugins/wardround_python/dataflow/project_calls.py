"""Calls of functions and classes of the project."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.domain import CLEAN, Taint
from wardround_python.dataflow.expression_shapes import substituted_parameters
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.inlining import Inliner
from wardround_python.dataflow.known_value import KnownConstant
from wardround_python.dataflow.object_resolution import Named, ResolvedCallee
from wardround_python.dataflow.project import Instance, ProjectClass
from wardround_python.dataflow.summary_application import SummaryApplier
from wardround_python.dataflow.value_tracking import KnownValues


class ProjectCalls:
    """Transfers taint through functions and constructors of the project."""

    __slots__ = (
        "_inliner",
        "_known",
        "_state",
        "_summaries",
    )

    def __init__(
        self, state: FlowState, known: KnownValues, inliner: Inliner, summaries: SummaryApplier
    ) -> None:
        self._state = state
        self._known = known
        self._inliner = inliner
        self._summaries = summaries

    def construct(self, cls: ProjectClass, node: ast.Call, taints: Sequence[Taint], named: Named) -> Instance:
        """Return the object a call constructs, with the arguments it stores."""
        creation = Instance(cls, {}, self._state.region)
        result = cls.method("__init__")
        if result is not None:
            holder, function = result
            callee = ResolvedCallee(holder.flow, function, creation, skips=True)
            if self._inliner.inline(callee, node, taints, named) is None:
                self._summaries.apply(callee, holder.flow.summary(function), node, taints, named)
            self._state.results.pop(node, None)
            self._state.objects[node] = None
            return creation
        fields = dict(zip(cls.fields, taints, strict=False))
        fields.update({keyword.arg: value for keyword, value in named if keyword.arg is not None})
        sources = dict(zip(cls.fields, node.args, strict=False))
        sources.update({keyword.arg: keyword.value for keyword, _ in named if keyword.arg is not None})
        for name, source in sources.items():
            known = self._known.of(source)
            if isinstance(known, KnownConstant):
                creation.known[name] = known
        spread = join(*(value for keyword, value in named if keyword.arg is None))
        if spread:
            creation.known.clear()
            fields.update({name: join(fields.get(name, CLEAN), spread) for name in cls.fields})
        creation.fields = fields
        return creation

    def call(self, callee: ResolvedCallee, node: ast.Call, taints: Sequence[Taint], named: Named) -> Taint:
        """Return the taint of a call of a function of the project."""
        summary = callee.flow.summary(callee.function)
        inlined = self._inliner.inline(callee, node, taints, named)
        if inlined is not None:
            return inlined
        if summary.known is not None:
            self._state.results[node] = summary.known
        bound = self._summaries.apply(callee, summary, node, taints, named)
        self._state.objects[node] = None
        if summary.returns_self and callee.receiver is not None:
            self._state.objects[node] = callee.receiver
            return callee.receiver.total
        if summary.instance is not None:
            fields = summary.instance.fields
            creation = (
                {name: substituted_parameters(value, bound) for name, value in fields.items()}
                if fields
                else {}
            )
            self._state.objects[node] = Instance(summary.instance.cls, creation, self._state.region)
        return substituted_parameters(summary.returned, bound)
