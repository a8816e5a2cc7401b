"""Calls of functions and classes of the project."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.domain import CLEAN, Taint
from wardround_python.dataflow.expression_shapes import substituted_parameters
from wardround_python.dataflow.known_value import KnownConstant
from wardround_python.dataflow.object_resolution import Named, ResolvedCallee
from wardround_python.dataflow.project import Instance, ProjectClass

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow


class ProjectCalls:
    """Transfers taint through functions and constructors of the project."""

    __slots__ = (
        "_inliner",
        "_known",
        "_state",
        "_summaries",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._known = flow.known
        self._inliner = flow.inliner
        self._summaries = flow.summaries

    def construct(self, cls: ProjectClass, node: ast.Call, taints: Sequence[Taint], named: Named) -> Instance:
        """Return the object a call constructs, with the arguments it stores."""
        creation = Instance(cls, {}, self._state.region)
        constructor = cls.method("__init__")
        if constructor is None:
            self._store_fields(creation, node, taints, named)
            return creation
        holder, function = constructor
        callee = ResolvedCallee(holder.flow, function, creation, skips=True)
        if self._inliner.inline(callee, node, taints, named) is None:
            self._summaries.apply(callee, holder.flow.summary(function), node, taints, named)
        self._state.results.pop(node, None)
        self._state.objects[node] = None
        return creation

    def _store_fields(
        self, creation: Instance, node: ast.Call, taints: Sequence[Taint], named: Named
    ) -> None:
        """Store the arguments in the fields of an object whose class has no constructor, as a dataclass."""
        names = creation.cls.fields
        fields = dict(zip(names, taints, strict=False))
        sources = dict(zip(names, node.args, strict=False))
        spread = []
        for keyword, value in named:
            if keyword.arg is None:
                spread.append(value)
            else:
                fields[keyword.arg], sources[keyword.arg] = value, keyword.value
        for name, source in sources.items():
            known = self._known.of(source)
            if isinstance(known, KnownConstant):
                creation.known[name] = known
        unpacked = join(*spread)
        if unpacked:
            creation.known.clear()
            fields.update({name: join(fields.get(name, CLEAN), unpacked) for name in names})
        creation.fields = fields

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
