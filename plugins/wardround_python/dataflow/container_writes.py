"""Writes to containers whose entries are known."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from wardround_python.dataflow.known_value import (
    NO_ENTRY,
    Known,
    KnownConstant,
    KnownContainer,
    KnownEntry,
    Plain,
)

if TYPE_CHECKING:
    from wardround_python.dataflow.function_flow import FunctionFlow


class ContainerWrites:
    """Stores and deletes the entries of known containers."""

    __slots__ = (
        "_containers",
        "_folder",
        "_state",
    )

    def __init__(self, flow: FunctionFlow) -> None:
        self._state = flow.state
        self._folder = flow.folder
        self._containers = flow.containers

    def is_certain(self, container: KnownContainer) -> bool:
        """Return True if a change made here always happens."""
        return container.region == self._state.region and container.has_room

    def store(self, target: ast.Subscript, entry: KnownEntry) -> None:
        """Store an entry under a key: ``held[key] = entry``, ``parser[section][option] = entry``."""
        container = self._containers.find(target.value)
        if container is not None:
            self._put_entry(container, target.slice, entry)
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

    def _put_entry(self, container: KnownContainer, key: ast.expr, entry: KnownEntry) -> None:
        container.put(entry)
        constant = self._folder.constant(key)
        if constant is None or not self.is_certain(container):
            self._containers.escape(container)
        elif container.is_parser:
            self._put_section(container, constant.value, entry.known)
        else:
            self._put_at(container, constant.value, entry)

    def _put_section(self, container: KnownContainer, name: Plain, section: Known | None) -> None:
        """Write the options of a section into a parser."""
        options = section.entries if isinstance(section, KnownContainer) else None
        if isinstance(options, dict) and isinstance(container.entries, dict):
            for option, entry in options.items():
                container.entries[name, str(option).lower()] = entry
        else:
            self._containers.escape(container)

    def _put_at(self, container: KnownContainer, key: Plain, entry: KnownEntry) -> None:
        match container.entries:
            case dict() as entries:
                entries[key] = entry
            case list() as entries if isinstance(key, int):
                if -len(entries) <= key < len(entries):
                    entries[key] = entry
            case _:
                self._containers.escape(container)
