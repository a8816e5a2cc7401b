"""The facts of the files of one tree, as queries need them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from wardround.context.code_graph.manifests import Manifest
from wardround.context.code_graph.model import FileFacts, Symbol
from wardround.context.code_graph.store import GraphStore, Role, StoredFile

_NO_FACTS = FileFacts("")


class TreeFacts:
    """A view of the store that has the files of one tree alone; all orders are by path.

    Args:
        files: path -> its row in the store.
    """

    def __init__(self, store: GraphStore, files: Mapping[str, StoredFile]) -> None:
        self._store = store
        self.files = files
        self._paths = {row.id: path for path, row in files.items()}
        self._facts: dict[str, FileFacts] = {}

    def facts(self, path: str) -> FileFacts:
        """Return the facts of a file; empty ones for a file that the tree does not have."""
        found = self._facts.get(path)
        if found is None:
            row = self.files.get(path)
            found = _NO_FACTS if row is None else self._store.facts(row.id)
            self._facts[path] = found
        return found

    def files_with(self, name: str, role: Role) -> list[str]:
        """Return the paths of the files in which a name has a role."""
        found = (self._paths.get(one) for one in self._store.files_with(name, role))
        return sorted(path for path in found if path is not None)

    def symbols_with_word(self, word: str) -> list[tuple[str, int]]:
        """Return the path and number of each symbol whose text has a search term."""
        return self._located(self._store.rows_with_word(word))

    def symbols_with_shape(self, symbol: Symbol) -> list[tuple[str, int]]:
        """Return the path and number of each symbol that may have similar syntax."""
        return self._located(self._store.rows_with_shape(symbol.shape))

    def _located(self, rows: list[tuple[int, int]]) -> list[tuple[str, int]]:
        return sorted((self._paths[file], number) for file, number in rows if file in self._paths)

    @cached_property
    def manifests(self) -> dict[str, Manifest]:
        """The settings of modules, by path."""
        with_settings = ((path, row.id) for path, row in self.files.items() if row.has_manifest)
        return {path: self._store.manifest(number) for path, number in sorted(with_settings)}

    @cached_property
    def unparsed(self) -> tuple[tuple[str, str], ...]:
        """The files that have no facts, or not all of them, each with the reason."""
        return tuple(sorted((path, row.problem) for path, row in self.files.items() if row.problem))
