"""The public functions that lead to private ones, by the names in their code."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from wardround.languages.python.module import is_test_path
from wardround.workflows.behaviour.definitions import Definition, Definitions, definitions
from wardround.workflows.test.python_code.tree import TreeUnderTest

_MOST_STEPS = 4
_MOST_CALLERS = 4
_MOST_FILES = 6
_MOST_SEARCHED = 2000
FunctionKey = tuple[str, str]
"""The qualified name of a function, and its role in a property."""
PlacedKey = tuple[str, FunctionKey]
"""A path, and the key of a function in this file."""
OtherFiles = Callable[[frozenset[str]], Mapping[str, Definitions]]
"""Takes names; returns the files of the base that mention one of them, by path."""


def no_other_files(names: frozenset[str]) -> Mapping[str, Definitions]:
    """Find no file, where the repository is not to be searched."""
    return {}


def files_of(tree: TreeUnderTest) -> OtherFiles:
    """Return the search of a tree; it reads no tests, and a tree with too many files not at all."""
    paths = [blob for blob in sorted(tree.blobs) if blob.endswith(".py") and not is_test_path(blob)]

    def mentioning(names: frozenset[str]) -> Mapping[str, Definitions]:
        if len(paths) > _MOST_SEARCHED:
            return {}
        found = [path for path in paths if any(name in tree.text(path) for name in names)]
        return {path: definitions(tree.text(path)) for path in found[:_MOST_FILES]}

    return mentioning


def public_callers(item: Definition, path: str, own: Definitions, others: OtherFiles) -> list[PlacedKey]:
    """Return the nearest public functions that lead to a private one: of its file, or else of other files."""
    search = _Search({path: own})
    if found := search.callers(item, path):
        return found
    distinctive = frozenset(name for name in search.names if len(name) > len("_ab"))
    if not distinctive:
        return []
    return _Search({**others(distinctive), path: own}).callers(item, path)


def leads_to(caller: Definition, called: Definition) -> bool:
    """Return True if the code of a function mentions another one."""
    return called_name(called) in caller.mentions


def called_name(definition: Definition) -> str:
    """Return the name by which code calls a function: of a special method, its class."""
    *around, name = definition.name.split(".")
    return around[-1] if around and name.startswith("__") and name.endswith("__") else name


class _Search:
    """Follows names from a function to its callers, one step after another.

    Attributes:
        names: all that were followed.
    """

    def __init__(self, files: Mapping[str, Definitions]) -> None:
        self._files = files
        self.names: set[str] = set()

    def callers(self, item: Definition, path: str) -> list[PlacedKey]:
        found: list[PlacedKey] = []
        reached, seen = {called_name(item)}, {(path, (item.name, item.role))}
        for _ in range(_MOST_STEPS):
            reached |= set(self._bound_to(reached))
            self.names |= reached
            new = [key for key in self._keys_mentioning(reached) if key not in seen]
            seen.update(new)
            found += [key for key in new if not self._definition(key).is_private]
            reached = {called_name(self._definition(key)) for key in new if self._is_inner(key)}
            if len(found) >= _MOST_CALLERS or not reached:
                break
        return found[:_MOST_CALLERS]

    def _bound_to(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the names whose value mentions one of others, as dispatch tables do."""
        expected = frozenset(names)
        for file in self._files.values():
            yield from (name for name, values in file.bound.items() if not expected.isdisjoint(values))

    def _keys_mentioning(self, names: set[str]) -> Iterator[PlacedKey]:
        for path, file in self._files.items():
            for key, other in file.functions.items():
                if names & other.mentions:
                    yield path, key

    def _definition(self, key: PlacedKey) -> Definition:
        return self._files[key[0]].functions[key[1]]

    def _is_inner(self, key: PlacedKey) -> bool:
        """Return True if a function is private, or makes an object whose use shows its effect."""
        item = self._definition(key)
        return item.is_private or item.own_name in ("__init__", "__new__", "__post_init__")
