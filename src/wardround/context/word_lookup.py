"""The positions of names in the reviewed tree by a word search, without a code graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from wardround.change.change_source import ChangeSource
from wardround.context.symbol_neighbours import Place, SymbolNeighbours
from wardround.context.tree_lookup import MOST_USES, NamedPlaces, nearest, nearest_definitions
from wardround.retrieval.definitions import Definition, enclosing, functions
from wardround.storage.regex_cache import bounded_pattern

_MOST_FILES = 40
"""Number of files that contain a name, above which it is too common to identify one definition."""
_MOST_READ = 12
_MOST_NAMES = 8
"""The names that are searched; each takes a run of git."""
_LONGEST_FILE = 400_000
_BINDING = r"(?:(?:\w+ +){{0,3}}|\s+(?:this|self)\.){name}\s*(?::[^=]*)?:?=(?!=)"
"""The beginning of an assignment that is visible elsewhere: ``const name =`` or ``  self.name =``."""


class WordLookup:
    """Finds names as words, in files with the same suffixes as the files in which the names occur.

    Args:
        read: path -> the content at the head; None if there is none, or if it must not be read.
    """

    def __init__(self, source: ChangeSource, read: Callable[[str], str | None]) -> None:
        self._source = source
        self._read = read

    def tests_of(self, symbols: Sequence[SymbolNeighbours]) -> dict[SymbolNeighbours, tuple[Place, ...]]:
        """Return none: a word does not tell which code reaches it."""
        return {}

    def find(self, names: Sequence[str], near: Collection[str]) -> Mapping[str, NamedPlaces]:
        patterns = sorted({f"*{PurePosixPath(path).suffix or PurePosixPath(path).name}" for path in near})
        found = (
            {name: self._find_by_words(name, near, patterns) for name in names[:_MOST_NAMES]}
            if patterns
            else {}
        )
        return {name: locations for name, locations in found.items() if locations.definitions}

    def _find_by_words(self, name: str, near: Collection[str], patterns: Sequence[str]) -> NamedPlaces:
        paths = self._source.files_with_word([name], patterns)
        if len(paths) > _MOST_FILES:
            return NamedPlaces()
        first = nearest((Place(path, 1, "") for path in paths), near, _MOST_READ)
        definitions: list[Place] = []
        uses: list[Place] = []
        for file in first:
            text = self._read(file.path) or ""
            for location, is_definition in _occurrences(file.path, text[:_LONGEST_FILE], name):
                (definitions if is_definition else uses).append(location)
        return NamedPlaces(nearest_definitions(definitions, near), nearest(uses, near, MOST_USES))


def _occurrences(path: str, text: str, name: str) -> Iterator[tuple[Place, bool]]:
    """Yield the lines with a name, each with True if it defines the name."""
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    binding = bounded_pattern(_BINDING.format(name=re.escape(name)))
    defined = functions(path, text)
    first_lines = {definition.line for definition in defined if _last_name(definition) == name}
    for number, line in enumerate(text.split("\n"), 1):
        if word.search(line):
            around = enclosing(defined, number)
            symbol = "" if around is None else around.name
            yield (
                Place(path, number, symbol),
                number in first_lines or binding.match(line) is not None,
            )


def _last_name(definition: Definition) -> str:
    return definition.name.rpartition(".")[2]
