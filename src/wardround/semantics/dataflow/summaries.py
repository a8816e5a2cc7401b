"""Function summaries: what a function returns and stores, and which sinks its parameters reach."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from wardround.semantics.dataflow.domain import PARAMETER, Kind, Taint, join

Place = TypeVar("Place", bound=Hashable)


@dataclass(slots=True)
class Summary(Generic[Kind, Place]):
    """The effect of one function in terms of its parameters.

    Attributes:
        returned: the taint of the returned value.
        reaches: parameter -> the sinks it reaches inside, in the order of their detection.
        stores: location outside the function -> the taint stored there.
    """

    returned: Taint[Kind] = field(default_factory=dict)
    reaches: dict[str, dict[Place, None]] = field(default_factory=dict)
    stores: dict[str, Taint[Kind]] = field(default_factory=dict)

    def reach(self, parameter: str, place: Place) -> None:
        """Record that a parameter reaches a sink."""
        self.reaches.setdefault(parameter.removeprefix(PARAMETER), {})[place] = None

    def returns(self, taint: Taint[Kind]) -> None:
        """Record one returned value."""
        self.returned = join(self.returned, taint)

    def store(self, place: str, taint: Taint[Kind]) -> None:
        """Record a value stored in a location outside the function."""
        self.stores[place] = join(self.stores.get(place, {}), taint)
