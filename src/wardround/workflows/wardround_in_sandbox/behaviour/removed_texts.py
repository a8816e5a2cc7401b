"""Strings of code that the change removes, such as the keys of a table: as arguments, the base created
them.
"""

from __future__ import annotations

import types
from collections.abc import Collection, Iterator, Mapping


class RemovedTexts:
    """The string literals that only the base has, by the identity of the constants in its code."""

    def __init__(self, texts: Collection[str]) -> None:
        self._texts = frozenset(texts)
        self._constants: dict[int, str] = {}
        self._of_file: dict[str, str] = {}

    def note(self, code: types.CodeType) -> None:
        """Add the constants of a file."""
        for constant in _constants(code):
            if constant in self._texts:
                self._constants[id(constant)] = constant

    def are_in(self, memo: Mapping[int, object], test: str) -> bool:
        """Return True if a pickled value has one of them that the file of the test does not mention.

        Args:
            memo: memo of the pickler, by identity.
        """
        found = self._constants.keys() & memo.keys()
        return any(
            self._constants[name] not in self._read_tree_file(test.partition("::")[0]) for name in found
        )

    def _read_tree_file(self, path: str) -> str:
        if path not in self._of_file:
            try:
                with open(path, encoding="utf-8", errors="replace") as file:
                    self._of_file[path] = file.read()
            except OSError:
                self._of_file[path] = ""
        return self._of_file[path]


def _constants(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (types.CodeType, tuple, frozenset)):
        for constant in value.co_consts if isinstance(value, types.CodeType) else value:
            yield from _constants(constant)
