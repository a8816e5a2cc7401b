"""The state of a function under analysis, saved while a nested one is analysed, and the recorded sinks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Protocol

from tree_sitter import Node

from wardround_typescript.dataflow.domain import SinkKind, Taint


class SinkRecorder(Protocol):
    """Takes note of the values that reach sinks."""

    def reach(self, kind: SinkKind, path: str, node: Node, value: Taint) -> None:
        """Record a value that reaches a sink at a node of the module at ``path``."""


class Frame(NamedTuple):
    """The part of the state that belongs to one function; see ``FlowState``."""

    function: Node | None
    values: dict[str, Taint]
    request_kinds: dict[str, str]
    types: dict[str, str]
    derived_from: dict[str, frozenset[str]]
    is_validated: bool
    returned: Taint
    returned_fields: Mapping[str, Taint] | None
    jumps: list[dict[str, Taint]]
    loop_depth: int
    depth: int
