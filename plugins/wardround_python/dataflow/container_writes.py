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

    def is_certain(self, held: KnownContainer) -> bool:
        """Return True if a change made here always happens."""
        return held.region == self._state.region and held.has_room

    def store(self, target: ast.Subscript, entry: KnownEntry) -> None:
        """Store an entry under a key: ``held[key] = entry``, ``parser[section][option] = entry``."""
        held = self._containers.find(target.value)
        if held is not None:
            self._put(held, target.slice, entry)
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

    def delete(self, held: KnownContainer, key: ast.expr) -> None:
        """Delete an entry: ``del held[key]``."""
        exact = self._folder.constant(key)
        if exact is None or held.is_parser or not self.is_certain(held):
            self._containers.escape(held)
        else:
            self.pop(held, exact)

    def pop(self, held: KnownContainer, exact: KnownConstant) -> KnownEntry:
        """Remove an entry and return it."""
        entries = held.entries
        if isinstance(entries, dict):
            return entries.pop(exact.value, NO_ENTRY)
        if isinstance(entries, list) and isinstance(exact.value, int):
            is_there = -len(entries) <= exact.value < len(entries)
            return entries.pop(exact.value) if is_there else NO_ENTRY
        self._containers.escape(held)
        return KnownEntry(held.total)

    def _put(self, held: KnownContainer, key: ast.expr, entry: KnownEntry) -> None:
        held.put(entry)
        if (
            held.is_parser
            and isinstance(entry.known, KnownContainer)
            and isinstance(entry.known.entries, dict)
        ):
            section = self._folder.constant(key)
            if section is not None and isinstance(held.entries, dict) and self.is_certain(held):
                for option, one in entry.known.entries.items():
                    held.entries[section.value, str(option).lower()] = one
                return
        exact = self._folder.constant(key)
        entries = held.entries
        if exact is None or held.is_parser or not self.is_certain(held):
            self._containers.escape(held)
        elif isinstance(entries, dict):
            entries[exact.value] = entry
        elif isinstance(entries, list) and isinstance(exact.value, int):
            if -len(entries) <= exact.value < len(entries):
                entries[exact.value] = entry
        else:
            self._containers.escape(held)
