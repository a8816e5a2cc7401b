"""Values that are known apart from their taint: constants, containers, functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from wardround.semantics.dataflow.domain import join
from wardround_python.dataflow.domain import Taint
from wardround_python.dataflow.known_value import (
    Known,
    KnownContainer,
    KnownEntry,
    KnownFunction,
    NamedTupleType,
    PartialCall,
)

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow

_MAKING = (ast.List, ast.Tuple, ast.Dict, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.Call, ast.BinOp)
Construction = Callable[[Any], KnownContainer | None]
Constructions = Mapping[type[ast.expr], Construction]
"""Kind of expression -> the function that returns the container one creates, if its entries are known."""


class KnownValues:
    """Tracks known values of expressions, and of names since their last assignment."""

    __slots__ = (
        "_conditions",
        "_constructors",
        "_containers",
        "_displays",
        "_evaluator",
        "_folder",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._folder = flow.folder
        self._containers = flow.containers
        self._conditions = flow.conditions
        self._displays: dict[type[ast.expr], Construction] = {}
        self._constructors: dict[type[ast.expr], Construction] = {}

    def register(self, displays: Constructions, constructors: Constructions) -> None:
        """Add the functions that create containers.

        Args:
            displays: functions for expressions that always create one, by the type of the expression.
            constructors: functions for expressions that may create one, by the type of the expression.
        """
        self._displays.update(displays)
        self._constructors.update(constructors)

    def clear(self) -> None:
        """Remove all registered functions."""
        self._displays.clear()
        self._constructors.clear()

    def of(self, node: ast.expr) -> Known | None:
        """Return what is known of an expression's value, whatever its taint."""
        if self._state.function is None:
            return None
        if isinstance(node, ast.Lambda):
            return KnownFunction(self._state.flow.nested.of_lambda(node))
        create = self._displays.get(type(node))
        if create is not None:
            return create(node)
        if isinstance(node, ast.IfExp):
            decided = self._conditions.truth_value(node.test)
            if decided is not None:
                return self.of(node.body if decided else node.orelse)
        construct = self._constructors.get(type(node))
        if construct is not None and node not in self._state.results:
            constructed = construct(node)
            if constructed is not None:
                return constructed
        container = self._containers.find(node)
        if container is not None:
            return container
        result = self._state.results.get(node)
        if isinstance(result, (KnownFunction, NamedTupleType, PartialCall)):
            return result
        if isinstance(node, ast.Name):
            known = self._state.values.known.get(node.id)
            if isinstance(known, (KnownFunction, NamedTupleType, PartialCall)):
                return known
            function = self.named_function(node.id)
            if function is not None:
                return KnownFunction(function)
        return self._folder.constant(node)

    def container(self, node: ast.expr) -> KnownContainer | None:
        """Return the container an expression refers to or creates."""
        container = self._containers.find(node)
        if container is None and isinstance(node, _MAKING):
            known = self.of(node)
            return known if isinstance(known, KnownContainer) else None
        return container

    def entry(self, node: ast.expr) -> KnownEntry:
        """Return an expression as the entry of a container."""
        known = self.of(node)
        return KnownEntry(
            known.total if isinstance(known, KnownContainer) else self._evaluator.value(node), known
        )

    def named_function(self, name: str) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """Return the function of this module that a name refers to here."""
        if name in self._state.values or name in self._state.module.imported:
            return None
        inner = self._state.flow.nested.function(self._state.function, name)
        return inner if inner is not None else self._state.flow.functions.get(name)

    def bind(self, key: str, known: Known | None) -> None:
        """Bind a known value to a name from here on."""
        if known is None:
            return
        root = key.partition(".")[0].partition("[")[0]
        if isinstance(known, KnownContainer) and root in self._captured_names:
            self._containers.escape(known)
        elif root not in self._declared_outside:
            self._state.values.known[key] = known

    def evaluate(self, node: ast.expr) -> tuple[Taint, Known | None]:
        """Return the taint of an expression with its known value; a container in it does not escape."""
        if isinstance(node, (ast.Name, ast.Attribute)):
            container = self._containers.find(node)
            if container is not None:  # a second name of one container
                return join(container.taint, container.total), container
        if isinstance(node, (ast.List, ast.Tuple, ast.Dict)):
            known = self.of(node)
            if isinstance(known, KnownContainer) and self._containers.nested_containers(known):
                return known.total, known
            return self._evaluator.value(node), known
        value = self._evaluator.value(node)
        return value, self.of(node)

    @property
    def _captured_names(self) -> frozenset[str]:
        """Return the names of this function whose content nested functions may change."""
        return (
            self._state.flow.nested.captured_names(self._state.function)
            if self._state.function is not None
            else frozenset()
        )

    @property
    def _declared_outside(self) -> frozenset[str]:
        """Return the names that other functions also bind."""
        if self._state.function is None:
            return frozenset()
        return self._state.flow.nested.declared_outside
