"""Lookup of the containers whose entries are known, and their escape."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround_python.dataflow.domain import Taint
from wardround_python.dataflow.expression_shapes import key_of
from wardround_python.dataflow.known_value import NO_ENTRY, Known, KnownConstant, KnownContainer, KnownEntry

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow


class ContainerLookup:
    """Finds the containers expressions refer to, and lets them escape."""

    __slots__ = (
        "_evaluator",
        "_folder",
        "_names",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._evaluator = flow.evaluator
        self._names = flow.names
        self._folder = flow.folder

    def find(self, node: ast.expr) -> KnownContainer | None:
        """Return the container an expression refers to, without letting it escape."""
        known: Known | None = None
        if isinstance(node, ast.Name):
            known = self._state.values.known.get(node.id)
        elif isinstance(node, ast.Attribute):
            known = self.known_attribute(node) if self._state.values.known or self._state.instances else None
        elif isinstance(node, ast.Call):
            known = self._state.results.get(node)
        elif isinstance(node, ast.Subscript):
            outer = self.find(node.value)
            entry = self.entry(outer, node.slice) if outer is not None else None
            known = entry.known if entry is not None else None
        return known if isinstance(known, KnownContainer) else None

    def entry(self, container: KnownContainer, key: ast.expr) -> KnownEntry | None:
        """Return the entry under a key; None if it may be any."""
        if container.is_parser or container.entries is None:
            return None
        constant = self._folder.constant(key)
        if constant is None and isinstance(key, ast.Name):
            text = self._names.text_of(key) if key.id not in self._state.values else None
            constant = KnownConstant(text) if text is not None else None
        return container.at(constant.value) if constant is not None else None

    def section_entry(
        self, container: KnownContainer, section: ast.expr, option: ast.expr
    ) -> KnownEntry | None:
        """Return the entry of ``parser[section][option]``."""
        pair = self._folder.constants([section, option])
        if pair is None or not isinstance(container.entries, dict):
            return None
        return container.entries.get((pair[0], str(pair[1]).lower()), NO_ENTRY)

    def escape(self, container: KnownContainer) -> None:
        """Forget the entries of a container and of the containers in it: other code may change them."""
        entries, container.entries = container.entries, None
        inside = entries.values() if isinstance(entries, dict) else entries or ()
        for item in inside:
            if isinstance(item.known, KnownContainer):
                self.escape(item.known)

    def peek(self, node: ast.expr) -> Taint:
        """Return the taint of an expression that is only read: a container in it does not escape."""
        container = self.find(node) if isinstance(node, (ast.Name, ast.Attribute)) else None
        if container is None:
            return self._evaluator.value(node)
        observer = self._state.observers.values
        if observer is not None:
            observer.container_read(node, container)
        for item in self.nested_containers(container):
            self.escape(item)
        return container.taint

    @staticmethod
    def nested_containers(container: KnownContainer) -> list[KnownContainer]:
        """Return the containers among the entries of a container."""
        entries = (
            container.entries.values() if isinstance(container.entries, dict) else container.entries or ()
        )
        return [entry.known for entry in entries if isinstance(entry.known, KnownContainer)]

    def known_attribute(self, node: ast.Attribute) -> Known | None:
        """Return what is known of an attribute of ``self`` or of an object constructed here."""
        entry = self.attribute_entry(node)
        if entry is not None:
            return entry.known
        key = key_of(node)
        known = self._state.values.known.get(key) if key is not None else None
        known = self._state.results.get(node) if known is None else known
        if known is None and isinstance(node.value, (ast.Name, ast.Call)):
            value = self._state.instances.get(node.value.id) if isinstance(node.value, ast.Name) else None
            value = self._state.objects.get(node.value) if isinstance(node.value, ast.Call) else value
            known = value.known.get(node.attr) if value is not None else None
        return known

    def attribute_entry(self, node: ast.Attribute) -> KnownEntry | None:
        """Return the entry behind an attribute of a namespace or of a named tuple."""
        if not self._state.values.known and not self._state.results:
            return None
        if not isinstance(node.value, (ast.Name, ast.Call)):
            return None
        container = self.find(node.value)
        return (
            container.attribute(node.attr)
            if container is not None and (container.kind or container.names)
            else None
        )
