"""Writes to containers whose entries are known."""

from __future__ import annotations

import ast

from wardround_python.dataflow.constant_folding import ConstantFolder
from wardround_python.dataflow.container_lookup import ContainerLookup
from wardround_python.dataflow.flow_state import FlowState
from wardround_python.dataflow.known_value import NO_ENTRY, KnownConstant, KnownContainer, KnownEntry


class ContainerWrites:
    """Stores and deletes the entries of known containers."""

    __slots__ = (
        "_containers",
        "_folder",
        "_state",
    )

    def __init__(self, state: FlowState, folder: ConstantFolder, containers: ContainerLookup) -> None:
        self._state = state
        self._folder = folder
        self._containers = containers

    def is_certain(self, container: KnownContainer) -> bool:
        """Return True if a change made here always happens."""
        return container.region == self._state.region and container.has_room

    def store(self, target: ast.Subscript, entry: KnownEntry) -> None:
        """Store an entry under a key: ``held[key] = entry``, ``parser[section][option] = entry``."""
        container = self._containers.find(target.value)
        if container is not None:
            self._put(container, target.slice, entry)
            return
        if isinstance(entry.known, KnownContainer):
            self._containers.escape(entry.known)
        outer = self._containers.find(target.value.value) if isinstance(target.value, ast.Subscript) else None
        if outer is not None and isinstance(target.value, ast.Subscript):
            outer.put(entry)
            pair = self._folder.constants([target.value.slice, target.slice]) if outer.is_parser else None
            if pair is not None and isinstance(outer.entries, dict) and self.is_certain(outer):
                outer.entries[pair[0], str(pair[1]).lower()] = entry
            else:
                self._containers.escape(outer)

    def delete(self, container: KnownContainer, key: ast.expr) -> None:
        """Delete an entry: ``del held[key]``."""
        constant = self._folder.constant(key)
        if constant is None or container.is_parser or not self.is_certain(container):
            self._containers.escape(container)
        else:
            self.pop(container, constant)

    def pop(self, container: KnownContainer, constant: KnownConstant) -> KnownEntry:
        """Remove an entry and return it."""
        entries = container.entries
        if isinstance(entries, dict):
            return entries.pop(constant.value, NO_ENTRY)
        if isinstance(entries, list) and isinstance(constant.value, int):
            is_there = -len(entries) <= constant.value < len(entries)
            return entries.pop(constant.value) if is_there else NO_ENTRY
        self._containers.escape(container)
        return KnownEntry(container.total)

    def _put(self, container: KnownContainer, key: ast.expr, entry: KnownEntry) -> None:
        container.put(entry)
        if (
            container.is_parser
            and isinstance(entry.known, KnownContainer)
            and isinstance(entry.known.entries, dict)
        ):
            section = self._folder.constant(key)
            if section is not None and isinstance(container.entries, dict) and self.is_certain(container):
                for option, item in entry.known.entries.items():
                    container.entries[section.value, str(option).lower()] = item
                return
        constant = self._folder.constant(key)
        entries = container.entries
        if constant is None or container.is_parser or not self.is_certain(container):
            self._containers.escape(container)
        elif isinstance(entries, dict):
            entries[constant.value] = entry
        elif isinstance(entries, list) and isinstance(constant.value, int):
            if -len(entries) <= constant.value < len(entries):
                entries[constant.value] = entry
        else:
            self._containers.escape(container)
