"""Lists and maps: binding their contents to access paths, and the methods that read or change them."""

from __future__ import annotations

from collections.abc import Sequence

from tree_sitter import Node

from wardround_typescript.dataflow.domain import Taint
from wardround_typescript.dataflow.lists import ListContents, Lists
from wardround_typescript.dataflow.maps import Maps
from wardround_typescript.dataflow.nodes import bare
from wardround_typescript.dataflow.state import EXTENT, FlowState


class Containers:
    """The contents of the containers that access paths hold."""

    __slots__ = ("_lists", "_maps", "_state")

    def __init__(self, state: FlowState, lists: Lists, maps: Maps) -> None:
        self._state = state
        self._lists = lists
        self._maps = maps

    def list_contents(self, node: Node) -> ListContents | None:
        """Return the contents of the list that an expression evaluates to; None where they are unknown."""
        return self._lists.contents(node)

    def bind(self, path: str, source: Node) -> None:
        """Assign the contents of a container to an access path."""
        listed = self._lists.contents(source)
        entries = self._maps.contents(source) if listed is None else None
        if listed is not None:
            self._lists.bind(path, listed)
        elif entries is not None:
            self._maps.bind(path, entries)
        stem, _, index = path.rpartition(".")
        if index.isdigit() and f"{stem}.{EXTENT}" in self._state.values:
            known = self._lists.at_path(stem)
            if known is None or int(index) >= len(known.elements):
                self._state.forget_contents(stem, self._state.values[path])

    def call_method(
        self, owner: Node, method: str, arguments: Sequence[Node], values: Sequence[Taint]
    ) -> Taint | None:
        """Apply a method to a list or a map and return its result; None where it is unknown."""
        is_path = bare(owner).type in {"identifier", "member_expression"}
        path = self._state.access_path(owner) if is_path else None
        if path is not None and self._maps.is_known(path):
            return self._maps.call_method(path, method, arguments, values)
        if method == "at" and arguments:
            return self._lists.element(owner, arguments[0])
        return self._lists.call_method(path, method, arguments, values) if path is not None else None
