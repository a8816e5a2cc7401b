"""Taint flows across functions: from the arguments of calls to the sinks that parameters reach."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from wardround.semantics.dataflow.domain import PARAMETER
from wardround_typescript.dataflow.domain import (
    FIELDS_KNOWN,
    KEYS,
    UNDERLYING,
    Hit,
    SinkKind,
    Taint,
    binding_names,
    parameter_of,
)

_MAX_CALL_CHAIN = 3


class TaintFlows:
    """The sinks that values reach, and the values that calls bind to parameters."""

    def __init__(self) -> None:
        self._hits: dict[tuple[SinkKind, str, int], Hit] = {}
        self._parameter_hits: dict[str, dict[tuple[SinkKind, str, int], Hit]] = {}
        self._bindings: dict[str, list[tuple[Taint, Node, str]]] = {}

    def reach(self, kind: SinkKind, path: str, node: Node, value: Taint) -> None:
        """Record a value that reaches a sink at a node of the module at ``path``."""
        for origin, labels in value.items():
            if not labels & kind:
                continue
            hit = Hit(kind, node, origin, path, labels)
            key = (kind, path, node.id)
            if origin.startswith(PARAMETER):
                self._parameter_hits.setdefault(origin, {}).setdefault(key, hit)
            else:
                self._hits.setdefault(key, hit)

    def bind(self, origin: str, value: Taint, at: Node, path: str) -> None:
        """Record a value that a call, at a node of the module at ``path``, binds to a parameter."""
        self._bindings.setdefault(origin, []).append((value, at, path))

    def reached_by(self, parameter: str, depth: int = 0) -> Iterator[Hit]:
        """Yield the sinks that a parameter reaches, also in functions that receive it."""
        for origin, hits in self._parameter_hits.items():
            if parameter_of(origin) == parameter:
                yield from hits.values()
        if depth >= _MAX_CALL_CHAIN:
            return
        for inner in self._passed_to(parameter):
            yield from self.reached_by(inner, depth + 1)

    def _passed_to(self, parameter: str) -> Iterator[str]:
        """Yield the other parameters that calls bind to a parameter."""
        for origin, bindings in self._bindings.items():
            inner = parameter_of(origin.removesuffix(FIELDS_KNOWN))
            if inner == parameter:
                continue
            bound = (source for value, _, _ in bindings for source in value)
            if any(parameter_of(source) == parameter for source in bound):
                yield inner

    def solve(self, path: str) -> list[Hit]:
        """The sinks that tainted values reach from the module at ``path``: in it, or through its calls."""
        found = dict(self._hits)
        seen: set[tuple[str, SinkKind, str, int]] = set()
        pending: list[tuple[str, Hit, Node | None]] = [
            (origin, hit, None) for origin, hits in self._parameter_hits.items() for hit in hits.values()
        ]
        while pending:
            parameter, hit, call = pending.pop()
            for origin, at in self._callers(parameter, hit, call, path):
                mark = (origin, hit.kind, hit.path, hit.node.id)
                if not origin.startswith(PARAMETER):
                    _add_source(found, origin, hit, at, path)
                elif mark not in seen:
                    seen.add(mark)
                    pending.append((origin, hit, at))
        return [hit for (_, module, _), hit in found.items() if module == path]

    def _callers(
        self, parameter: str, hit: Hit, call: Node | None, path: str
    ) -> Iterator[tuple[str, Node | None]]:
        """Yield the origins of the values that calls bind to a parameter, each with its call in ``path``."""
        by_keys, required = parameter.endswith(KEYS), _required_labels(hit)
        for value, at, module in self._bound_values(parameter):
            for origin, labels in value.items():
                if labels & required and (not by_keys or labels & SinkKind.FIELDS):
                    yield origin, at if module == path else call

    def _bound_values(self, parameter: str) -> Iterator[tuple[Taint, Node, str]]:
        for name in binding_names(parameter):
            yield from self._bindings.get(name, ())


def _add_source(
    found: dict[tuple[SinkKind, str, int], Hit], origin: str, hit: Hit, call: Node | None, path: str
) -> None:
    """Add a source that reaches the sink of a parameter, at the sink or at the call in a module."""
    node = hit.node if hit.path == path else call
    if node is not None:
        found.setdefault((hit.kind, path, node.id), Hit(hit.kind, node, origin, hit.path, hit.labels))


def _required_labels(hit: Hit) -> SinkKind:
    """Return the labels that let a value at the call reach the sink of a parameter."""
    required = hit.kind
    for placed, behind in UNDERLYING.items():
        if hit.kind & placed:
            required |= behind
    return required
