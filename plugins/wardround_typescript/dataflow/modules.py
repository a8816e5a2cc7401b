"""The modules data is followed through: the one that is looked at, and those next to it.

Each function is walked where it is written; what it does with its parameters is kept, and what calls hand to
them is put in at the end, so data is followed into functions and out again, one step into other modules.
Functions from packages are taken to give something of their own: what can't be seen is not reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tree_sitter import Node

from wardround.checks.source import RepositoryView
from wardround_typescript.dataflow.call_resolution import ScriptCallResolver
from wardround_typescript.dataflow.domain import (
    BEHIND,
    FIELDS_KNOWN,
    KEYS,
    PARAMETER,
    Hit,
    SinkKind,
    Value,
    parameter_of,
    sources_of,
)
from wardround_typescript.dataflow.module_analysis import ModuleFlow
from wardround_typescript.dataflow.scope import scope_of
from wardround_typescript.dataflow.state import State

_LONGEST = 300_000
_MOST_MODULES = 24
_DEEPEST_HANDING = 3


class ScriptProgram:
    """The modules of one look, and how they call each other."""

    def __init__(self, project: RepositoryView) -> None:
        self.project = project
        self._flows: dict[str, ModuleFlow | None] = {}
        self._first: ModuleFlow | None = None
        self._callees = ScriptCallResolver(self)
        self._reaches: dict[str, dict[tuple[SinkKind, str, int], Hit]] = {}
        self._hits: dict[tuple[SinkKind, str, int], Hit] = {}
        self._handed: dict[str, list[tuple[Value, Node, str]]] = {}

    def module(self, path: str, text: str | None = None) -> ModuleFlow | None:
        """A module, walked; None if it cannot be read, or would be one too many."""
        if path not in self._flows:
            if len(self._flows) >= _MOST_MODULES:
                return None
            text = self.project.read(path) if text is None else text
            if text is None or len(text) > _LONGEST:
                self._flows[path] = None
            else:
                flow = self._flows[path] = ModuleFlow(self, scope_of(path, text))
                self._first = self._first or flow
                flow.run()
        return self._flows[path]

    def reach(self, danger: SinkKind, path: str, node: Node, value: Value) -> None:
        """Note that a value gets to a place of harm at a node of the module at ``path``."""
        for origin, left in value.items():
            if not left & danger:
                continue
            hit = Hit(danger, path, node, origin, left)
            key = (danger, path, node.id)
            if origin.startswith(PARAMETER):
                self._reaches.setdefault(origin, {}).setdefault(key, hit)
            else:
                self._hits.setdefault(key, hit)

    def reaches(self, parameter: str, depth: int = 0) -> Iterator[Hit]:
        """The places a parameter reaches, also through the functions it is handed to."""
        for origin, found in self._reaches.items():
            if parameter_of(origin) == parameter:
                yield from found.values()
        for other, handed in self._handed.items() if depth < _DEEPEST_HANDING else ():
            inner = parameter_of(other.removesuffix(FIELDS_KNOWN))
            if inner != parameter and any(
                parameter_of(one) == parameter for value, _, _ in handed for one in value
            ):
                yield from self.reaches(inner, depth + 1)

    def hand(self, parameter: str, value: Value, at: Node, path: str) -> None:
        self._handed.setdefault(parameter, []).append((value, at, path))

    def solve(self, path: str) -> list[Hit]:
        """Every place data gets to, of the module at ``path``: in it, or through its calls."""
        seen: set[tuple[str, SinkKind, str, int]] = set()
        found = dict(self._hits)
        open_: list[tuple[str, Hit, Node | None]] = [
            (name, hit, None) for name, hits in self._reaches.items() for hit in hits.values()
        ]
        while open_:
            parameter, hit, via = open_.pop()
            by_keys = parameter.endswith(KEYS)
            handed = [one for name in sources_of(parameter) for one in self._handed.get(name, ())]
            for value, at, where in handed:
                here = at if where == path else via
                for origin, left in value.items():
                    if not left & _needed(hit) or (by_keys and not left & SinkKind.FIELDS):
                        continue
                    if origin.startswith(PARAMETER):
                        mark = (origin, hit.danger, hit.path, hit.node.id)
                        if mark not in seen:
                            seen.add(mark)
                            open_.append((origin, hit, here))
                        continue
                    node = hit.node if hit.path == path else here
                    if node is not None:
                        own = path if hit.path != path else hit.path
                        found.setdefault(
                            (hit.danger, own, node.id), Hit(hit.danger, hit.path, node, origin, hit.left)
                        )
        return [hit for (_, own, _), hit in found.items() if own == path]

    # Other modules.

    def callee(
        self, at: State, call: Node, callee: Node, values: Sequence[Value]
    ) -> tuple[ModuleFlow, Node] | None:
        """The function of the project that is called; another file is read only for what came in here."""
        is_own = at.owner is self._first
        may_load = is_own and any(not origin.startswith(PARAMETER) for value in values for origin in value)
        return self._callees.of(at, call, callee, may_load)

    def property_read(self, at: State, owner: Node, name: str) -> Value | None:
        """What a property gives that a method computes; None of any other."""
        found = self._callees.getter(at, owner, name)
        return found[0].called(found[1], (), owner, at.module.path) if found is not None else None

    def loaded(self, path: str) -> ModuleFlow | None:
        return self._flows.get(path)

    def has(self, path: str) -> bool:
        return path in self._flows or self.project.read(path) is not None

    @property
    def flows(self) -> list[ModuleFlow]:
        """The modules that were walked, in the order they were asked for."""
        return [flow for flow in self._flows.values() if flow is not None]


def _needed(hit: Hit) -> SinkKind:
    """What a value must have for a place that was reached through a parameter."""
    needed = hit.danger
    for placed, behind in BEHIND.items():
        if hit.danger & placed:
            needed |= behind
    return needed
