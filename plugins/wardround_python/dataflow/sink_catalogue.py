"""The sinks of the catalogue, by the names of functions and methods."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from wardround_python.dataflow.catalogue import SINKS, SinkEntry
from wardround_python.dataflow.domain import SinkKind

Reached = Iterator[tuple[SinkKind, ast.expr]]


@dataclass(frozen=True, slots=True)
class Sink:
    """Arguments of a call that must not be tainted: by position, and by keyword."""

    kind: SinkKind
    first: int = 0
    last: int = 0
    keywords: tuple[str, ...] = ()

    def arguments(self, call: ast.Call) -> Iterator[ast.expr]:
        for position, argument in enumerate(call.args):
            if isinstance(argument, ast.Starred):
                return
            if self.first <= position <= self.last:
                yield argument
        for keyword in call.keywords:
            if keyword.arg in self.keywords:
                yield keyword.value


def _table(names: Callable[[SinkEntry], Sequence[str]]) -> Mapping[str, Sink]:
    result = {}
    for entry in SINKS:
        sink = Sink(SinkKind[entry.kind.upper()], entry.first, entry.last, entry.keywords)
        result.update(dict.fromkeys(names(entry), sink))
    return result


FUNCTIONS = _table(lambda entry: entry.functions)
"""By dotted name, imports resolved."""
METHODS = _table(lambda entry: entry.methods)
"""Matched by the last part only, for any receiver."""


def each_argument(kind: SinkKind, arguments: Iterable[ast.expr]) -> Reached:
    """Yield arguments with the kind of the sink that they reach."""
    return ((kind, argument) for argument in arguments)
