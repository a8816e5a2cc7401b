"""The values that changed functions returned while tests run: the head perhaps returns others."""

from __future__ import annotations

import enum
import types
from typing import Any

_PLAIN = (bool, int, float, complex, str, bytes, type(None))
_CODE = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, enum.Enum)
_MOST_ITEMS = 20
_MOST_VALUES = 20_000


class MadeValues:
    """Containers and objects, by their identity, each with the functions that returned it.

    It references them for as long as a test runs, so that no other value gets the identity; those of imports,
    for as long as all tests do.

    Attributes:
        making: for each function, True while its results are noted.
    """

    def __init__(self, count: int) -> None:
        self.making = [True] * count
        self._left = [_MOST_VALUES] * count
        self._kept: dict[int, tuple[object, set[int]]] = {}
        self._of_test: dict[int, tuple[object, set[int]]] = {}
        self._is_in_test = False

    def begin_test(self) -> None:
        self._is_in_test = True
        self._of_test.clear()

    def note(self, index: int, value: Any) -> Any:
        """Note the result of a function, and return it."""
        if not self.making[index]:
            return value
        self._left[index] -= 1
        self.making[index] = self._left[index] > 0
        self._add(index, value)
        if type(value) in (list, tuple):
            for item in value[:_MOST_ITEMS]:
                self._add(index, item)
        return value

    def _add(self, index: int, value: object) -> None:
        if type(value) in _PLAIN or isinstance(value, _CODE):
            return
        noted = self._of_test if self._is_in_test else self._kept
        noted.setdefault(id(value), (value, set()))[1].add(index)

    def makers(self, identities: dict[int, Any]) -> set[int]:
        """Return the functions that returned one of some values.

        Args:
            identities: the values, by their identity.
        """
        found: set[int] = set()
        for noted in (self._kept, self._of_test):
            for key in noted.keys() & identities.keys():
                found |= noted[key][1]
        return found
