"""The facts of the files of one tree, for queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from msgspec.structs import replace

from wardround.context.code_graph.manifests import Manifest
from wardround.context.code_graph.model import FileFacts, Symbol, Use, UseKind, used_name
from wardround.context.code_graph.store import GraphStore, Role, StoredFile
from wardround.text.search_terms import parts

_MOST_SIMILAR = 60
"""Maximum number of symbols compared with one; if more share runs with it, its form is common."""
_NO_FACTS = FileFacts("")


class TreeFacts:
    """A view of the store restricted to the files of one tree; all orders are by path.

    Args:
        files: path -> its row in the store.
    """

    def __init__(self, store: GraphStore, files: Mapping[str, StoredFile]) -> None:
        self._store = store
        self.files = files
        self._paths = {row.id: path for path, row in files.items()}
        self._outlines: dict[str, FileFacts] = {}
        self._uses: dict[str, tuple[Use, ...]] = {}
        self._uses_by_name: dict[str, dict[str, list[Use]]] = {}

    def outline(self, path: str) -> FileFacts:
        """Return the facts of a file without its uses; empty ones for a file that the tree does not have."""
        found = self._outlines.get(path)
        if found is None:
            row = self.files.get(path)
            found = _NO_FACTS if row is None else self._store.outline(row.id)
            self._outlines[path] = found
        return found

    def uses(self, path: str) -> tuple[Use, ...]:
        """Return the uses of a file; none for a file that the tree does not have."""
        found = self._uses.get(path)
        if found is None:
            row = self.files.get(path)
            found = self._uses[path] = () if row is None else self._store.uses(row.id)
        return found

    def uses_named(self, path: str, name: str) -> Sequence[Use]:
        """Return the uses in a file that are about a name, in source order."""
        found = self._uses_by_name.get(path)
        if found is None:
            found = self._uses_by_name[path] = {}
            for use in self.uses(path):
                found.setdefault(use.name if use.kind is not UseKind.LITERAL else used_name(use), []).append(
                    use
                )
        return found.get(name, ())

    def facts(self, path: str) -> FileFacts:
        """Return all facts of a file."""
        return replace(self.outline(path), uses=self.uses(path))

    def files_with(self, name: str, role: Role) -> list[str]:
        """Return the paths of the files in which a name has a role."""
        found = (self._paths.get(file) for file in self._store.files_with(name, role))
        return sorted(path for path in found if path is not None)

    def symbols_with_word(self, word: str) -> list[tuple[str, int]]:
        """Return the path and number of each symbol whose text has a search term, in any order."""
        paths = self._paths
        rows = self._store.rows_with_word(word)
        return [(paths[file], number) for file, number in rows if file in paths]

    def symbols_with_shape(self, symbol: Symbol) -> list[tuple[str, int]]:
        """Return the path and number of the symbols that most likely have similar syntax, at most sixty."""
        rows = self._store.rows_with_shape(symbol.shape)
        found = [(-shared, self._paths[file], number) for file, number, shared in rows if file in self._paths]
        return [(path, number) for _, path, number in sorted(found)[:_MOST_SIMILAR]]

    @cached_property
    def manifests(self) -> dict[str, Manifest]:
        """The settings of modules, by path."""
        with_settings = ((path, row.id) for path, row in self.files.items() if row.has_manifest)
        return {path: self._store.manifest(number) for path, number in sorted(with_settings)}

    @cached_property
    def paths_by_word(self) -> dict[str, dict[str, bool]]:
        """For each word the paths of the files that contain it; True if it is in the name of the file."""
        found: dict[str, dict[str, bool]] = {}
        folders: dict[str, list[str]] = {}
        for path in sorted(self.files):
            folder, _, name = path.rpartition("/")
            if folder not in folders:
                folders[folder] = parts(folder)
            for word in folders[folder]:
                found.setdefault(word, {})[path] = False
            for word in parts(name):
                found.setdefault(word, {})[path] = True
        return found

    @cached_property
    def unparsed(self) -> tuple[tuple[str, str], ...]:
        """The files that have no facts, or not all of them, each with the reason."""
        return tuple(sorted((path, row.problem) for path, row in self.files.items() if row.problem))
