"""The functions in memory that were made from the code of some files, and the exchange of their code."""

from __future__ import annotations

import gc
import os
import types
from collections.abc import Iterator


class LiveFunctions:
    """The functions of some files, found once."""

    def __init__(self, files: set[str]) -> None:
        """Find the functions.

        Args:
            files: absolute paths.
        """
        self._codes: dict[tuple[str, str, int], dict[int, types.CodeType]] = {}
        self._functions: dict[int, list[types.FunctionType]] = {}
        known: dict[str, str] = {}
        for function in gc.get_objects():
            if type(function) is types.FunctionType:
                code = function.__code__
                name = code.co_filename
                file = known.get(name) or known.setdefault(name, os.path.realpath(name))
                if file in files:
                    key = (file, code.co_name, code.co_firstlineno)
                    self._codes.setdefault(key, {})[id(code)] = code
                    self._functions.setdefault(id(code), []).append(function)

    def codes_of(self, file: str, name: str, lines: tuple[int, ...]) -> list[types.CodeType]:
        """Return the codes of a function; several if its module was loaded more than once."""
        found: dict[int, types.CodeType] = {}
        for line in lines:
            found.update(self._codes.get((file, name, line), {}))
        return list(found.values())

    def exchange(self, old: types.CodeType, new: types.CodeType) -> CodeExchange | None:
        """Return the exchange of a code and of those in it; None if a function in memory cannot have it."""
        pairs: list[tuple[types.FunctionType, types.CodeType]] = []
        for before, after in _pairs(old, new):
            for function in self._functions.get(id(before), ()):
                if after is None or before.co_freevars != after.co_freevars:
                    return None
                pairs.append((function, after))
        return CodeExchange(pairs)


class CodeExchange:
    """Functions with other code while the context lasts."""

    def __init__(self, pairs: list[tuple[types.FunctionType, types.CodeType]]) -> None:
        self._pairs = [(function, function.__code__, code) for function, code in pairs]

    def __enter__(self) -> None:
        for function, _, new in self._pairs:
            function.__code__ = new

    def __exit__(self, *error: object) -> None:
        for function, old, _ in self._pairs:
            function.__code__ = old


def _pairs(
    old: types.CodeType, new: types.CodeType
) -> Iterator[tuple[types.CodeType, types.CodeType | None]]:
    """Yield a code and those in it with their counterparts, by name and occurrence."""
    yield old, new
    after = _inner(new)
    for key, code in _inner(old).items():
        counterpart = after.get(key)
        if counterpart is None:
            yield from ((inner, None) for inner in _all_of(code))
        else:
            yield from _pairs(code, counterpart)


def _inner(code: types.CodeType) -> dict[tuple[str, int], types.CodeType]:
    found: dict[tuple[str, int], types.CodeType] = {}
    counts: dict[str, int] = {}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            at = counts[constant.co_name] = counts.get(constant.co_name, 0) + 1
            found[constant.co_name, at] = constant
    return found


def _all_of(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in _inner(code).values():
        yield from _all_of(inner)
