"""Transfer functions of calls."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.languages.python.module import last_name
from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.catalogue import SANITIZERS
from wardround_python.dataflow.domain import CLEAN, Taint
from wardround_python.dataflow.evaluation import Transfers
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.forwarding_calls import relayed_call
from wardround_python.dataflow.known_value import KnownContainer, NamedTupleType
from wardround_python.dataflow.object_resolution import Named

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_LOOKING = frozenset(
    {
        "len", "str", "repr", "sorted", "sum", "any", "all", "min", "max", "print", "bool", "isinstance",
        "list", "tuple", "set", "frozenset", "dict", "enumerate", "zip", "reversed", "iter", "next",
        "jsonify", "map", "filter", "type", "id", "setattr", "getattr", "hasattr",
    }
)  # fmt: skip
"""Functions that change none of their arguments."""


class CallEvaluator:
    """Transfers taint through calls."""

    __slots__ = (
        "_call_sinks",
        "_construction",
        "_containers",
        "_evaluator",
        "_known",
        "_library",
        "_methods",
        "_names",
        "_normalizer",
        "_project",
        "_resolver",
        "_state",
        "_summaries",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._containers = flow.containers
        self._known = flow.known
        self._resolver = flow.resolver
        self._summaries = flow.summaries
        self._methods = flow.methods
        self._project = flow.project
        self._normalizer = flow.normalizer
        self._construction = flow.construction
        self._library = flow.library
        self._call_sinks = flow.call_sinks

    def transfers(self) -> Transfers:
        """Return the transfer functions by kind of node."""
        return {ast.Call: self.call}

    def call(self, node: ast.Call) -> Taint:
        """Return the taint of a call's result; report the sinks it reaches."""
        self._state.results.pop(node, None)
        self._state.objects[node] = (
            None  # a chain of calls is evaluated once, not again from each of its methods
        )
        rewritten = self._normalizer.taint(node)
        if rewritten is not None:
            return rewritten
        taints = [self._containers.peek(argument) for argument in node.args]
        named = [(keyword, self._containers.peek(keyword.value)) for keyword in node.keywords]
        table = self._containers.find(node.func.value) if isinstance(node.func, ast.Attribute) else None
        receiver = self._receiver(node) if table is None else table.taint
        self._call_sinks.report(node, receiver, taints, named)
        if table is not None:
            return self._container_call(node, table, taints, join(*taints, *(value for _, value in named)))
        result = self._result(node, receiver, taints, named)
        if self._state.values.known or self._state.instances:
            self._escape_arguments(node)
        return result

    def _container_call(
        self, node: ast.Call, table: KnownContainer, taints: Sequence[Taint], taint: Taint
    ) -> Taint:
        assert isinstance(node.func, ast.Attribute)
        key = key_of(node.func.value)
        if (
            key is not None
            and taint
            and node.func.attr in (SANITIZERS.storing_methods | {"set", "read_dict"})
        ):
            self._names.extend(key, taint)
        return self._methods.call(node, table, taints)

    def _escape_arguments(self, node: ast.Call) -> None:
        """Forget what is known of arguments that the callee may change."""
        if self._is_read_only(node):
            return
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            if isinstance(argument, (ast.Name, ast.Attribute, ast.Subscript)):
                container = self._containers.find(argument)
                if container is not None and self._state.inlined_call is not node:
                    self._containers.escape(container)
            if isinstance(argument, ast.Name):
                self._escape_object(argument.id)

    def _escape_object(self, name: str) -> None:
        """Forget what is known of the attributes of an object."""
        instance = self._state.instances.get(name)
        if instance is not None:
            instance.known.clear()
        if name == "self":
            self._summaries.forget_self()

    def _is_read_only(self, node: ast.Call) -> bool:
        """Return True if a call changes none of its arguments."""
        last = last_name(node.func)
        if isinstance(node.func, ast.Name):
            return (
                last in _LOOKING
                and last not in self._state.values
                and self._known.named_function(last) is None
            )
        return last in {"join", "format", "dumps", "info", "debug", "warning", "error"}

    def _result(self, node: ast.Call, receiver: Taint, taints: Sequence[Taint], named: Named) -> Taint:
        relayed = relayed_call(node)
        prepared = self._normalizer.partial(node)
        if relayed is not None and self._resolver.callee(relayed) is not None:
            through = self.call(relayed)
            known = self._state.results.get(relayed) if prepared is None else prepared
            if known is not None:
                self._state.results[node] = known
            return through
        callee = self._resolver.callee(node)
        if callee is not None:
            return self._project.call(callee, node, taints, named)
        cls = self._resolver.called_class(node)
        if cls is not None:
            self._state.objects[node] = creation = self._project.construct(cls, node, taints, named)
            return creation.total
        taint = join(*taints, *(value for _, value in named))
        if isinstance(node.func, ast.Attribute):
            result = self._library.method(node, node.func, receiver, taints, taint)
            if result is not None:
                return result
        name = self._state.module.qualified_name(node.func) or ""
        if prepared is not None:
            self._state.results[node] = prepared
            return taint
        if isinstance(node.func, ast.Name) and isinstance(
            self._state.values.known.get(node.func.id), NamedTupleType
        ):
            table = self._construction.of_elements(node, "")
            if table is not None:
                self._state.results[node] = table
            return taint
        return self._library.function(node, name, taints, taint)

    def _receiver(self, node: ast.Call) -> Taint:
        if isinstance(node.func, ast.Attribute):
            return self._evaluator.value(node.func.value)
        if not isinstance(node.func, ast.Name):
            self._evaluator.value(node.func)
        return CLEAN
