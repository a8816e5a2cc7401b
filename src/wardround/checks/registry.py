"""Checks by an index, each imported for the first file it can report on."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from wardround.checks.keyword_index import KeywordIndex, KeywordMatcher, keyword_index
from wardround.checks.lazy import Item, LazySequence
from wardround.checks.prefilter import PrefilterInput, load_prefilter

CheckEntry = tuple[str, str, tuple[str, ...], tuple[str, ...], str]
"""A check's id, where it is (``module:name`` in the table's package), the kinds of files it is for, words of
which one stands in every text it can say something about, and a look (``module:name``) that every such file
passes. No kinds, no words and no look leave nothing out. Of a check of the whole change the kinds are parts
of paths, in lower case."""


class BeforeAfter(Protocol):
    """A file of a change: its path, and its text on either side if it has one there."""

    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def base_text(self) -> str | None: ...


class CheckRegistry(LazySequence[Item]):
    """Checks by a table, each imported for the first file it may say something about.

    ``CheckRegistry("acme.checks.table:TABLE")`` names modules of ``acme.checks``; as a sequence it holds all.
    ``wardround.checks.index`` writes such a table.
    """

    def __init__(self, place: str) -> None:
        super().__init__(place)
        self._imported: dict[str, Item] = {}

    @cached_property
    def _rows(self) -> Sequence[CheckEntry]:
        module, _, name = self._place.partition(":")
        rows: Sequence[CheckEntry] = getattr(importlib.import_module(module), name)
        return rows

    @cached_property
    def _items(self) -> Sequence[Item]:
        return [self._load(row) for row in self._rows]

    @cached_property
    def _of_word(self) -> dict[str, list[int]]:
        """The rows a word speaks for."""
        found: dict[str, list[int]] = {}
        for number, row in enumerate(self._rows):
            for word in row[3]:
                found.setdefault(word, []).append(number)
        return found

    @cached_property
    def _words(self) -> KeywordMatcher:
        return KeywordMatcher(self._of_word)

    @cached_property
    def _of_any_text(self) -> list[int]:
        return [number for number, row in enumerate(self._rows) if not row[3]]

    def _load(self, row: CheckEntry) -> Item:
        found = self._imported.get(row[0])
        if found is None:
            module, _, name = row[1].partition(":")
            package = self._place.partition(":")[0].rpartition(".")[0]
            found = self._imported[row[0]] = getattr(importlib.import_module(f"{package}.{module}"), name)
        return found

    def __len__(self) -> int:
        return len(self._rows)

    def candidates(
        self, kind: str, source: PrefilterInput, said: KeywordIndex | None = None
    ) -> Iterator[Item]:
        """Those that may say something about a file of a kind, in order.

        Args:
            said: what the file says as the words of the table have it, if that is not its text.
        """
        spoken_for = set(self._of_any_text)
        for word in self._words.matches(said or source.keywords):
            spoken_for.update(self._of_word[word])
        for number in sorted(spoken_for):
            row = self._rows[number]
            if (not row[2] or kind in row[2]) and (not row[4] or source.passes_prefilter(row[4])):
                yield self._load(row)

    def candidates_for_change(self, files: Sequence[BeforeAfter]) -> Iterator[Item]:
        """Those that may say something about a change as a whole, in order."""
        left = dict(enumerate(self._rows))
        for file in files:
            for number in self._about_file(file, left):
                del left[number]
            if not left:
                break
        yield from (self._load(row) for number, row in enumerate(self._rows) if number not in left)

    def _about_file(self, file: BeforeAfter, rows: Mapping[int, CheckEntry]) -> Sequence[int]:
        """The numbers of rows that a file is enough for; it is read only where their words decide."""
        path = file.path.lower()
        numbers = [number for number, row in rows.items() if _has_one(path, row[2])]
        failed = {
            look for look in {rows[n][4] for n in numbers if rows[n][4]} if not load_prefilter(look)(file)
        }
        numbers = [number for number in numbers if rows[number][4] not in failed]
        asking = {number: rows[number][3] for number in numbers if rows[number][3]}
        if asking:
            said = keyword_index(file.text or "")
            asking = {number: words for number, words in asking.items() if not said.contains_any(words)}
        base = file.base_text or "" if asking else ""
        return [n for n in numbers if n not in asking or any(word in base for word in asking[n])]

    def subset(self, ids: Collection[str]) -> CheckRegistry[Item]:
        """Those of the table that have one of some ids."""
        found: CheckRegistry[Item] = CheckRegistry(self._place)
        found._imported = self._imported
        found._rows = [row for row in self._rows if row[0] in ids]
        return found

    def get(self, code: str) -> Item | None:
        """The one with an id, if there is one."""
        return next((self._load(row) for row in self._rows if row[0] == code), None)


def _has_one(path: str, parts: tuple[str, ...]) -> bool:
    return not parts or any(part in path for part in parts)


def candidate_checks(
    checks: Sequence[Item], kind: str, source: PrefilterInput, said: KeywordIndex | None = None
) -> Iterable[Item]:
    """Return the checks that may report on a file; see ``CheckRegistry.candidates``."""
    return checks.candidates(kind, source, said) if isinstance(checks, CheckRegistry) else checks
