"""The functions of a module that calls can name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from tree_sitter import Node

from wardround_typescript.dataflow.nodes import FUNCTIONS, bare
from wardround_typescript.dataflow.scope import ModuleScope


class FunctionNames:
    """Names of the functions, methods and function properties of a module."""

    def __init__(self, scope: ModuleScope) -> None:
        self._scope = scope

    def is_named(self, function: Node) -> bool:
        """Return True if calls elsewhere can bind the parameters of a function."""
        return function.id in self._names

    def name_of(self, function: Node) -> str:
        """The name of a function; empty if it has none."""
        return self._names.get(function.id, "")

    @cached_property
    def public(self) -> Mapping[Node, str]:
        """The functions that other modules can call: exported ones, and methods of classes."""
        found: dict[Node, str] = {}
        for name in [*self._scope.exports, *self._scope.exported_names]:
            node = self._scope.exported(name)
            if node is not None and node.type in FUNCTIONS:
                found[node] = self.name_of(node) or name
        for owner in self._scope.classes.values():
            for name, node in owner.methods.items():
                found[node] = owner.name if name == "constructor" else name
        return found

    @cached_property
    def _names(self) -> Mapping[int, str]:
        found = {node.id: name for name, node in self._scope.functions.items()}
        for name, node in self._scope.exports.items():
            if node.type in FUNCTIONS:
                found.setdefault(node.id, name)
        for owner in self._scope.classes.values():
            found.update({node.id: name for name, node in owner.methods.items()})
        for value in self._scope.declared.values():
            literal = bare(value) if value is not None else None
            if literal is not None and literal.type == "object":
                for name, node in _function_properties(self._scope, literal):
                    found.setdefault(node.id, name)
        return found


def _function_properties(scope: ModuleScope, node: Node) -> Iterator[tuple[str, Node]]:
    """The (name, function) pairs of an object literal."""
    for entry in node.named_children:
        is_method = entry.type == "method_definition"
        name = entry.child_by_field_name("name" if is_method else "key")
        function = entry if is_method else entry.child_by_field_name("value")
        if name is not None and function is not None and function.type in FUNCTIONS:
            yield scope.module.of(name).strip("'\"`"), function
