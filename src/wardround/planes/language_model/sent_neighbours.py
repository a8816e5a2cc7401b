"""The code around the changed symbols as a plane sees it: one line of each neighbour, or their code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.findings import Plane
from wardround.planes.language_model.hunks import LONGEST_LINE
from wardround.planes.language_model.sent_code import LONGEST_CODE, CodeReader, SentCode
from wardround.planes.language_model.sent_texts import SentTexts

RELATIONS = {
    Plane.CONTRACT: ("callers",),
    Plane.SEMANTIC: ("callees", "examples", "similar"),
    Plane.PERF: ("callers",),
}
"""The lists of neighbours that each plane sees a line of; the others see none."""
CODE_RELATIONS = {
    Plane.CONTRACT: ("callers", "tests"),
    Plane.SEMANTIC: ("callees", "callers", "tests", "examples", "similar"),
    Plane.TESTS: ("tests", "callees"),
    Plane.SECURITY: ("callers", "callees"),
    Plane.PERF: ("callers", "callees"),
}
"""The lists of neighbours that each plane sees the code of, the most useful first."""
MOST_SENT = 30
BUDGET_SHARE = 4
"""Single lines get at most this fraction of the budget, and code at least this fraction if the change leaves
it.
"""
_LOGGER = re.compile(r"(?i)\s*(?:\w+\s+){0,3}_?log(?:ger)?\s*(?::[^=]*)?=")

TestsOf = Mapping[SymbolNeighbours, Sequence[Place]]
"""Changed symbol -> the tests that reach it."""


class Neighbour(msgspec.Struct, frozen=True):
    """A place near a changed symbol.

    Attributes:
        of: the name of the changed symbol.
        rank: the position in its list, later in the lists of less useful relations.
    """

    of: str
    relation: str
    place: Place
    rank: int


class SentNeighbour(msgspec.Struct, frozen=True):
    """The code of a neighbour, and the name of the changed symbol as it is sent."""

    of: str
    relation: str
    code: SentCode

    @property
    def as_input(self) -> dict[str, Any]:
        """The neighbour as values of JSON."""
        return {"of": self.of, "relation": self.relation, **self.code.as_input}


def paths_of(neighbours: Sequence[SymbolNeighbours], tests: TestsOf) -> set[str]:
    """Return the files whose lines a plane may see."""
    listed = (*RELATIONS.values(), *CODE_RELATIONS.values())
    relations = sorted({relation for relations in listed for relation in relations})
    return {neighbour.place.path for neighbour in _neighbours(neighbours, relations, tests)}


def sent_neighbours(
    plane: Plane, neighbours: Sequence[SymbolNeighbours], texts: SentTexts, characters: int
) -> tuple[dict[str, Any], ...]:
    """Return a line of each neighbour that a plane sees, within their part of the budget.

    Args:
        characters: the budget for the complete input, in characters.
    """
    rest = characters // BUDGET_SHARE
    found: list[dict[str, Any]] = []
    for neighbour in _neighbours(neighbours, RELATIONS.get(plane, ()), {}):
        location = neighbour.place
        text = texts.line(location.path, location.line).strip()[:LONGEST_LINE]
        if not text or len(found) == MOST_SENT:
            continue
        values = {
            "of": texts.text(neighbour.of),
            "relation": neighbour.relation,
            "file": texts.name(location.path),
            "line": location.line,
            "symbol": texts.text(location.symbol),
            "text": text,
        }
        rest -= _size(values)
        if rest < 0:
            break
        found.append(values)
    return tuple(found)


class NeighbourCode:
    """The code of the neighbours of a change."""

    def __init__(self, neighbours: Sequence[SymbolNeighbours], tests: TestsOf, texts: SentTexts) -> None:
        self._neighbours = neighbours
        self._tests = tests
        self._texts = texts

    def neighbours_to_send(self, plane: Plane, reader: CodeReader, rest: int) -> tuple[SentNeighbour, ...]:
        """Return the code that a plane sees, the most useful first; of each piece as much as fits.

        Args:
            reader: excludes code that is already sent.
            rest: the characters that are left of the budget.
        """
        found: list[SentNeighbour] = []
        for neighbour in self._ordered_neighbours(plane, reader):
            if len(found) == MOST_SENT:
                break
            fitting = (code for code in self._forms(neighbour, reader) if _size(code.as_input) <= rest)
            code = next(fitting, None)
            if code is not None:
                found.append(code)
                reader.mark_sent(code.code)
                rest -= _size(code.as_input)
        return tuple(found)

    def _ordered_neighbours(self, plane: Plane, reader: CodeReader) -> list[Neighbour]:
        """Return the neighbours of a plane: constants and loggers last, before that by rank."""
        found = _neighbours(self._neighbours, CODE_RELATIONS.get(plane, ()), self._tests)
        return sorted(found, key=lambda neighbour: (self._minority(neighbour, reader), neighbour.rank))

    def _forms(self, neighbour: Neighbour, reader: CodeReader) -> Iterator[SentNeighbour]:
        """Yield the code of a neighbour in the sizes that may be sent, the largest first."""
        is_minor = self._minority(neighbour, reader) > 0
        for longest in LONGEST_CODE[-1:] if is_minor else LONGEST_CODE:
            code = reader.read(neighbour.place, longest)
            if code is not None:
                yield SentNeighbour(self._texts.text(neighbour.of), neighbour.relation, code)

    def _minority(self, neighbour: Neighbour, reader: CodeReader) -> int:
        """Return 2 for a logger, 1 for another constant of one line, 0 for the rest."""
        location = neighbour.place
        if neighbour.relation != "callee" or reader.is_definition(location):
            return 0
        return 2 if _LOGGER.match(self._texts.line(location.path, location.line)) else 1


def _size(values: dict[str, Any]) -> int:
    return len(msgspec.json.encode(values)) + 1


def _neighbours(
    symbols: Sequence[SymbolNeighbours], relations: Sequence[str], tests: TestsOf
) -> Iterator[Neighbour]:
    for symbol in symbols:
        for order, relation in enumerate(relations):
            for rank, location in enumerate(_neighbour_locations(symbol, relation, tests), order):
                yield Neighbour(symbol.symbol, relation.removesuffix("s"), location, rank)


def _neighbour_locations(symbol: SymbolNeighbours, relation: str, tests: TestsOf) -> Sequence[Place]:
    """Return a list of neighbours; a test that reaches the symbol is not one of its callers as well."""
    reaching = tests.get(symbol, ())
    if relation == "tests":
        return reaching
    locations: Sequence[Place] = getattr(symbol, relation)
    if relation != "callers":
        return locations
    names = {(test.path, test.symbol) for test in reaching}
    return [location for location in locations if (location.path, location.symbol) not in names]
