"""The functions whose code mentions names, directly or through names that module-level statements bind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set

import msgspec

from wardround.workflows.test.outline import Outline, OutlinedFunction, OutlinedStatement
from wardround.workflows.test.outline_changes import call_name

MOST_NAMES = 400
"""Names beyond it bound nothing: the tests that use them are most of all tests."""
_EXPORTS = "__all__"


class Mentions(msgspec.Struct, frozen=True):
    """The code that mentions some names.

    Attributes:
        functions: path -> the qualified names of functions, each with the first name that it mentions.
        modules: files with a module-level statement that mentions a name, with that name.
        files: those in which such a statement uses the name for its effect.
        is_bounded: False if there are too many names to follow.
    """

    functions: Mapping[str, Mapping[str, str]]
    modules: Mapping[str, str]
    files: Mapping[str, str]
    is_bounded: bool = True


class CodeFile(msgspec.Struct, frozen=True):
    """A Python file of the tree under test.

    Attributes:
        outside: the qualified names of its functions that ran outside of every test.
    """

    path: str
    text: str
    outline: Callable[[], Outline]
    outside: frozenset[str] = frozenset()


def mentions(names: Iterable[str], files: Iterable[CodeFile]) -> Mentions:
    """Find the code that mentions names.

    A name that a module-level statement binds from one of them is followed too, as is a function whose result
    outlives the test that calls it.
    """
    search = _Search(list(files))
    search.follow({name for name in names if name and name != _EXPORTS})
    return Mentions(search.functions, search.modules, search.files, search.is_bounded)


class _Search:
    def __init__(self, files: list[CodeFile]) -> None:
        self._files = files
        self.functions: dict[str, dict[str, str]] = {}
        self.modules: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.is_bounded = True

    def follow(self, names: Set[str]) -> None:
        known: set[str] = set()
        while names and self.is_bounded:
            known |= names
            self.is_bounded = len(known) <= MOST_NAMES
            names = self._reached(names) - known

    def _reached(self, names: Set[str]) -> set[str]:
        pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(names)))})(?!\w)")
        found: set[str] = set()
        for file in self._files:
            if any(name in file.text for name in names):
                found |= self._in_file(file, pattern)
        return found - {_EXPORTS}

    def _in_file(self, file: CodeFile, pattern: re.Pattern[str]) -> set[str]:
        lines: dict[int, str] = {}
        for number, line in enumerate(file.text.split("\n"), 1):
            if match := pattern.search(line):
                lines[number] = match[0]
        found: set[str] = set()
        outlined = file.outline()
        for one in outlined.functions:
            found |= self._in_function(file, one, lines)
        for statement in outlined.statements:
            if statement.is_import:
                found |= {*statement.names} if any(map(pattern.fullmatch, statement.uses)) else set()
            else:
                found |= self._in_statement(file, statement, lines)
        return found

    def _in_function(self, file: CodeFile, one: OutlinedFunction, lines: Mapping[int, str]) -> set[str]:
        spans = zip(one.starts, one.ranges, strict=True)
        number = next((at for start, (_, end) in spans for at in lines if start <= at <= end), None)
        if number is None or one.name in self.functions.get(file.path, {}):
            return set()
        own = call_name(one.name)
        if lines[number] == own and number in one.starts:  # the definition itself is no use
            number = next((at for at in lines if at != number and _is_in(at, one)), None)
            if number is None:
                return set()
        self.functions.setdefault(file.path, {})[one.name] = lines[number]
        outlives = one.is_once or one.is_fixture or one.name in file.outside
        return {own} if outlives else set()

    def _in_statement(self, file: CodeFile, one: OutlinedStatement, lines: Mapping[int, str]) -> set[str]:
        number = next((at for at in lines if one.line <= at <= one.end_line), None)
        if number is None or one.names == (lines[number],):
            return set()
        self.modules.setdefault(file.path, lines[number])
        if not one.is_bounded:
            self.files.setdefault(file.path, lines[number])
        if one.owner:
            self._add_methods(file, one.owner, lines[number])
        return set(one.names)

    def _add_methods(self, file: CodeFile, owner: str, name: str) -> None:
        """Add the methods of a class, which use its bases and its attributes without naming the class."""
        for function in file.outline().functions:
            if function.name.startswith(f"{owner}."):
                self.functions.setdefault(file.path, {}).setdefault(function.name, name)


def _is_in(line: int, function: OutlinedFunction) -> bool:
    return any(start <= line <= end for start, (_, end) in zip(function.starts, function.ranges, strict=True))
