"""Checks by their index, each imported for the first file it can report on."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from typing import Protocol

from wardround.checks.index import CheckEntry, CheckScope, check_index
from wardround.checks.prefilter import PrefilterInput, load_prefilter
from wardround.lazy import Item, LazySequence
from wardround.text.keyword_index import KeywordIndex, KeywordMatcher, keyword_index


class BeforeAfter(Protocol):
    """A file of a change: its path, and its source before and after if it exists there."""

    @property
    def path(self) -> str: ...
    @property
    def text(self) -> str | None: ...
    @property
    def base_text(self) -> str | None: ...


class CheckRegistry(LazySequence[Item]):
    """The checks of a package, each imported for the first file it can report on.

    ``CheckRegistry("acme.checks")`` has the file checks that modules of ``acme.checks`` and its subpackages
    define, ``CheckRegistry("acme.checks", "change")`` the change checks; as a sequence all of them, by id.
    """

    def __init__(self, package: str, scope: CheckScope = "file") -> None:
        super().__init__(package)
        self._scope = scope
        self._imported: dict[str, Item] = {}

    @cached_property
    def _entries(self) -> Sequence[CheckEntry]:
        return [entry for entry in check_index(self._place) if entry.scope == self._scope]

    @cached_property
    def _items(self) -> Sequence[Item]:
        return [self._load(entry) for entry in self._entries]

    @cached_property
    def _numbers_by_word(self) -> dict[str, list[int]]:
        """The numbers of the entries that have a word."""
        found: dict[str, list[int]] = {}
        for number, entry in enumerate(self._entries):
            for word in entry.words:
                found.setdefault(word, []).append(number)
        return found

    @cached_property
    def _words(self) -> KeywordMatcher:
        return KeywordMatcher(self._numbers_by_word)

    @cached_property
    def _any_text_entries(self) -> list[int]:
        return [number for number, entry in enumerate(self._entries) if not entry.words]

    def _load(self, entry: CheckEntry) -> Item:
        found = self._imported.get(entry.id)
        if found is None:
            module, _, name = entry.target.partition(":")
            found = getattr(importlib.import_module(f"{self._place}.{module}"), name)
            self._imported[entry.id] = found
        return found

    def __len__(self) -> int:
        return len(self._entries)

    def candidates(
        self, kind: str, source: PrefilterInput, keywords: KeywordIndex | None = None
    ) -> Iterator[Item]:
        """Yield the checks that can report on a file of a kind, by id.

        Args:
            keywords: the text to search for words of the entries, if it is not the file's.
        """
        numbers = set(self._any_text_entries)
        for word in self._words.matches(keywords or source.keywords):
            numbers.update(self._numbers_by_word[word])
        for number in sorted(numbers):
            entry = self._entries[number]
            is_for_kind = not entry.kinds or kind in entry.kinds
            if is_for_kind and (not entry.prefilter or source.passes_prefilter(entry.prefilter)):
                yield self._load(entry)

    def candidates_for_change(self, files: Sequence[BeforeAfter]) -> Iterator[Item]:
        """Yield the checks that can report on a change, by id."""
        left = dict(enumerate(self._entries))
        for file in files:
            for number in _matching_entries(file, left):
                del left[number]
            if not left:
                break
        yield from (self._load(entry) for number, entry in enumerate(self._entries) if number not in left)

    def subset(self, ids: Collection[str]) -> CheckRegistry[Item]:
        """Return the checks that have one of some ids."""
        found: CheckRegistry[Item] = CheckRegistry(self._place, self._scope)
        found._imported = self._imported
        found._entries = [entry for entry in self._entries if entry.id in ids]
        return found

    def get(self, code: str) -> Item | None:
        """Return the check with an id, or None."""
        return next((self._load(entry) for entry in self._entries if entry.id == code), None)


def _matching_entries(file: BeforeAfter, entries: Mapping[int, CheckEntry]) -> Sequence[int]:
    """Return the indexes of the entries that match a file; its source is only read if words are needed."""
    path = file.path.lower()
    candidates = {number: entry for number, entry in entries.items() if _has_path_part(path, entry.kinds)}
    for number in _entries_without_words(
        file, {n: entry.words for n, entry in candidates.items() if entry.words}
    ):
        del candidates[number]
    return _passing_prefilters(file, candidates)


def _passing_prefilters(file: BeforeAfter, entries: Mapping[int, CheckEntry]) -> list[int]:
    """Return the numbers of the entries whose prefilter matches a file; each prefilter runs once."""
    names = {entry.prefilter for entry in entries.values() if entry.prefilter}
    failed = {name for name in names if not load_prefilter(name)(file)}
    return [number for number, entry in entries.items() if entry.prefilter not in failed]


def _entries_without_words(file: BeforeAfter, words_of: Mapping[int, tuple[str, ...]]) -> Set[int]:
    """Return the numbers none of whose words a file contains, before or after the change."""
    if not words_of:
        return frozenset()
    text = file.text or ""
    head = keyword_index(text)
    unmatched = {number for number, words in words_of.items() if not head.contains_any(words)}
    base = file.base_text or "" if unmatched else ""
    if not text.startswith(base):
        unmatched = {n for n in unmatched if not any(word in base for word in words_of[n])}
    return unmatched


def _has_path_part(path: str, parts: tuple[str, ...]) -> bool:
    return not parts or any(part in path for part in parts)


def candidate_checks(
    checks: Sequence[Item], kind: str, source: PrefilterInput, keywords: KeywordIndex | None = None
) -> Iterable[Item]:
    """Return the checks that can report on a file, as far as an index shows."""
    return checks.candidates(kind, source, keywords) if isinstance(checks, CheckRegistry) else checks
