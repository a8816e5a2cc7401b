"""The functions whose code mentions names, directly or through names that module-level statements bind."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Set

import msgspec

from wardround.workflows.test.python_code.outline import Outline, OutlinedFunction, OutlinedStatement
from wardround.workflows.test.python_code.outline_changes import call_name

MOST_NAMES = 400
"""Names beyond it bound nothing: the tests that use them are most of all tests."""
_EXPORTS = "__all__"


class Mentions(msgspec.Struct, frozen=True):
    """The code that mentions some names.

    Attributes:
        functions: path -> the qualified names of functions, each with the first name that it mentions.
        modules: files with a module-level statement that mentions a name, with that name.
        files: files in which such a statement uses the name for its effect.
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


def mentions(
    values: Iterable[str],
    files: Iterable[CodeFile],
    calls: Iterable[str] = (),
    strict: Set[str] = frozenset(),
) -> Mentions:
    """Find the code that mentions names.

    A name that a module-level statement binds from one of them is followed too, as is a function whose result
    outlives the test that calls it.

    Args:
        values: names that have another value, so that all code that mentions them is affected.
        calls: functions that are called when files are imported; only the names of their results are
            affected, as a test that calls them itself has executed them.
        strict: paths in which a statement that mentions a name affects the file, unless it binds a plain
            value.
    """
    search = _Search(list(files), strict)
    search.follow({*values} - {"", _EXPORTS}, {*calls} - {"", _EXPORTS})
    return Mentions(search.functions, search.modules, search.files, search.is_bounded)


class _Names:
    """Names to follow, by kind."""

    def __init__(self, values: Set[str], calls: Set[str]) -> None:
        self.values = values
        self.calls = calls
        self.pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(values | calls)))})(?!\w)")

    def in_text(self, text: str) -> bool:
        return any(name in text for name in (*self.values, *self.calls))

    def by_line(self, text: str) -> dict[int, frozenset[str]]:
        """Return the names that each line mentions, for the lines that mention any."""
        lines = enumerate(text.split("\n"), 1)
        return {number: found for number, line in lines if (found := frozenset(self.pattern.findall(line)))}


class _Search:
    def __init__(self, files: list[CodeFile], strict: Set[str]) -> None:
        self._files = files
        self._strict = strict
        self.functions: dict[str, dict[str, str]] = {}
        self.modules: dict[str, str] = {}
        self.files: dict[str, str] = {}
        self.is_bounded = True
        self._values: set[str] = set()
        self._calls: set[str] = set()

    def follow(self, values: Set[str], calls: Set[str]) -> None:
        known_values: set[str] = set()
        known_calls: set[str] = set()
        while (values or calls) and self.is_bounded:
            known_values |= values
            known_calls |= calls
            self.is_bounded = len(known_values) + len(known_calls) <= MOST_NAMES
            self._values, self._calls = set(), set()
            self._visit(_Names(values, calls - values))
            values = self._values - known_values - {_EXPORTS}
            calls = self._calls - known_calls - known_values - {_EXPORTS}

    def _visit(self, names: _Names) -> None:
        for file in self._files:
            if names.in_text(file.text):
                lines = names.by_line(file.text)
                for function in file.outline().functions:
                    self._visit_function(file, function, lines, names)
                for statement in file.outline().statements:
                    self._visit_statement(file, statement, lines, names)

    def _visit_function(
        self, file: CodeFile, function: OutlinedFunction, lines: Mapping[int, Set[str]], names: _Names
    ) -> None:
        own = call_name(function.name)
        found = self._mentioned_in(function, lines)
        if not found:
            return
        if function.name in file.outside:
            self._calls.add(own)
            self._values.update(function.changes)
        values = sorted(found & names.values)
        if values:
            self.functions.setdefault(file.path, {}).setdefault(function.name, values[0])
            if function.is_once or function.is_fixture:
                self._values.add(own)

    @staticmethod
    def _mentioned_in(function: OutlinedFunction, lines: Mapping[int, Set[str]]) -> set[str]:
        """Return the names that a function mentions; its own name only where it is used, not defined."""
        found = {name for at, mentioned in lines.items() if _is_in(at, function) for name in mentioned}
        own = call_name(function.name)
        if own not in found:
            return found
        is_used = any(own in mentioned for at, mentioned in lines.items() if _is_below(at, function))
        return found if is_used else found - {own}

    def _visit_statement(
        self, file: CodeFile, item: OutlinedStatement, lines: Mapping[int, Set[str]], names: _Names
    ) -> None:
        if item.is_import:
            if any(map(names.pattern.fullmatch, item.uses)):
                is_value = not names.values.isdisjoint(item.uses)
                (self._values if is_value else self._calls).update(item.names)
            return
        found = {name for at in range(item.line, item.end_line + 1) for name in lines.get(at, ())}
        found -= set(item.names)
        if found:
            self._reach(file, item, min(found))

    def _reach(self, file: CodeFile, item: OutlinedStatement, name: str) -> None:
        self._values.update(item.names)
        self.modules.setdefault(file.path, name)
        if not item.is_bounded or (file.path in self._strict and not _is_followed(item, file)):
            self.files.setdefault(file.path, name)
        affected = [item.decorates] if item.decorates else []
        if item.owner:  # methods use attributes and bases of their class without naming it
            affected += [
                each.name for each in file.outline().functions if each.name.startswith(f"{item.owner}.")
            ]
        for function in affected:
            self.functions.setdefault(file.path, {}).setdefault(function, name)


def _is_followed(statement: OutlinedStatement, file: CodeFile) -> bool:
    """Return True if a statement only affects the names that it binds, or its owner."""
    if statement.decorates:
        return any(
            function.name == statement.decorates and function.is_plain
            for function in file.outline().functions
        )
    return statement.is_value or bool(statement.owner and not statement.is_registering)


def _is_in(line: int, function: OutlinedFunction) -> bool:
    spans = zip(function.starts, function.ranges, strict=True)
    return any(start <= line <= end for start, (_, end) in spans)


def _is_below(line: int, function: OutlinedFunction) -> bool:
    """Return True for a line of a function after that of its name."""
    spans = zip(function.starts, function.ranges, strict=True)
    return any(start < line <= end for start, (_, end) in spans)
