"""The definitions and uses that claims name, for the pass that tries to refute them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from wardround.context.symbol_neighbours import Place
from wardround.context.tree_lookup import NamedPlaces, TreeLookup
from wardround.errors import GitError
from wardround.planes.language_model.claimed_names import claimed_names
from wardround.planes.language_model.question import Question
from wardround.planes.language_model.sent_code import LONGEST_CODE, CodeReader, head_lines
from wardround.planes.language_model.sent_texts import SentTexts
from wardround.planes.language_model.verified_claims import CheckedClaim

MOST_PIECES = 20
_LONGEST_USE = (12, 1)
"""The lines around a use, and those that are tried if they do not fit."""


class _Named(NamedTuple):
    """An occurrence of a name; the first definition of each name is sent before the second of any."""

    rank: int
    name: str
    place: Place
    is_definition: bool


class NamedCode:
    """Finds the code that claims name in the reviewed tree."""

    def __init__(self, lookup: TreeLookup, texts: SentTexts) -> None:
        self._lookup = lookup
        self._texts = texts

    def of(
        self, claims: Sequence[CheckedClaim], question: Question, characters: int
    ) -> tuple[dict[str, Any], ...]:
        """Return definitions and uses of the names in claims that are not in the question already.

        Args:
            characters: the limit of all of them.
        """
        reader = _reader(self._texts, question)
        found: list[dict[str, Any]] = []
        for named in self._locate_names(claims, question):
            if len(found) == MOST_PIECES:
                break
            for longest in LONGEST_CODE if named.is_definition else _LONGEST_USE:
                code = reader.read(named.place, longest)
                if code is None:
                    break
                relation = "definition" if named.is_definition else "use"
                values = {"name": named.name, "relation": relation, **code.as_input}
                size = len(msgspec.json.encode(values)) + 1
                if size <= characters:
                    found.append(values)
                    reader.mark_sent(code)
                    characters -= size
                    break
        return tuple(found)

    def _locate_names(self, claims: Sequence[CheckedClaim], question: Question) -> list[_Named]:
        names = claimed_names(claims, question)
        paths = {hunk.file: hunk.path for hunk in question.hunks}
        near = sorted({paths[claim.file] for claim in claims if claim.file in paths})
        try:
            found = self._lookup.find(names, near)
        except GitError:  # the claims are then judged by what was sent
            return []
        return sorted(_rank_locations(names, found), key=lambda named: named.rank)


def _rank_locations(names: Sequence[str], found: Mapping[str, NamedPlaces]) -> Iterator[_Named]:
    for name in names:
        locations = found.get(name, NamedPlaces())
        for rank, location in enumerate(locations.definitions):
            yield _Named(rank, name, location, is_definition=True)
        for rank, location in enumerate(locations.uses, 1):
            yield _Named(rank, name, location, is_definition=False)


def _reader(texts: SentTexts, question: Question) -> CodeReader:
    """Return a reader of the code that a question has not."""
    reader = CodeReader(texts, head_lines(question.hunks))
    for code in question.code:
        reader.mark_sent(code)
    return reader
