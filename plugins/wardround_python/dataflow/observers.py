"""Observers of an analysis, which use its walk for other purposes than hits."""

from __future__ import annotations

import ast
from typing import NamedTuple, Protocol

from wardround_python.dataflow.domain import SinkKind
from wardround_python.dataflow.known_value import KnownConstant, KnownContainer


class ConstantReader(Protocol):
    """Folds expressions to constants."""

    def constant(self, node: ast.expr | None) -> KnownConstant | None:
        """Return the constant an expression evaluates to; None if unknown."""


class SinkObserver(Protocol):
    """Receives the sinks that any taint reaches."""

    def sink_reached(self, kind: SinkKind, node: ast.expr) -> None:
        """Receive one sink that a tainted value reaches."""


class ValueObserver(Protocol):
    """Receives the known values of expressions."""

    def observe_value(self, node: ast.expr, folder: ConstantReader) -> None:
        """Receive an expression after its evaluation."""

    def container_read(self, node: ast.expr, container: KnownContainer) -> None:
        """Receive a reference to a known container before it is read."""


class Observers(NamedTuple):
    """The observers of one module.

    Attributes:
        ignores_guards: True if guards sanitize nothing.
    """

    sinks: SinkObserver | None = None
    values: ValueObserver | None = None
    ignores_guards: bool = False


UNOBSERVED = Observers()
