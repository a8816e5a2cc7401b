"""The functions of a module that calls can name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from tree_sitter import Node

from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.scope import ModuleScope
from wardround_typescript.syntax.nodes import child, has_kind


class FunctionNames:
    """Names of the functions, methods and function properties of a module."""

    def __init__(self, scope: ModuleScope) -> None:
        self._scope = scope

    def is_named(self, function: Node) -> bool:
        """Return True if calls elsewhere can bind the parameters of a function."""
        return function.id in self._names

    def name_of(self, function: Node) -> str:
        """Return the name of a function; empty if it has none."""
        return self._names.get(function.id, "")

    @cached_property
    def public(self) -> Mapping[Node, str]:
        """The functions that other modules can call: exported ones, and methods of classes."""
        found: dict[Node, str] = {}
        for name in [*self._scope.exports, *self._scope.exported_names]:
            function = self._scope.find_export(name)
            if has_kind(function, FUNCTIONS):
                found[function] = self.name_of(function) or name
        for owner in self._scope.classes.values():
            for name, method in owner.methods.items():
                found[method] = owner.name if name == "constructor" else name
        return found

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """The names by the ids of functions; the first of several ones."""
        found = {function.id: name for name, function in self._scope.functions.items()}
        for name, value in self._scope.exports.items():
            if value.type in FUNCTIONS:
                found.setdefault(value.id, name)
        for owner in self._scope.classes.values():
            found.update({method.id: name for name, method in owner.methods.items()})
        for name, function in self._properties():
            found.setdefault(function.id, name)
        return found

    def _properties(self) -> Iterator[tuple[str, Node]]:
        """Yield the functions in the object literals of variables."""
        values = (bare(value) for value in self._scope.declared.values() if value is not None)
        for literal in values:
            if literal.type == "object":
                yield from _function_properties(self._scope, literal)


def _function_properties(scope: ModuleScope, node: Node) -> Iterator[tuple[str, Node]]:
    """Yield the (name, function) pairs of an object literal."""
    for entry in node.named_children:
        is_method = entry.type == "method_definition"
        name = child(entry, "name" if is_method else "key")
        function = entry if is_method else child(entry, "value")
        if name is not None and has_kind(function, FUNCTIONS):
            yield scope.module.of(name).strip("'\"`"), function
