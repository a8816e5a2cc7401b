"""The added lines of all files of a change, read once for all criteria."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property

from wardround.analyses.criterion.added_code import (
    AddedCode,
    ChangedSource,
    Language,
    LiveLine,
    read_added_code,
    used_names,
)
from wardround.analyses.criterion.added_tests import test_cases
from wardround.analyses.criterion.demand import Demand
from wardround.analyses.criterion.switches import reads_switch, switched_off
from wardround.lazy import LazyPattern

PROGRAM = frozenset({Language.PYTHON, Language.SCRIPT})
"""The languages whose functions can be unused."""
_USED_BY_FRAMEWORK = LazyPattern(
    r"\s*(?:export default\b|export (?:async )?function (?:GET|POST|PUT|PATCH|DELETE)\b)"
)
_DEFINITION = LazyPattern(
    r"(\s*)(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:def|function)\s+([A-Za-z_$][\w$]*)|"
    r"(\s*)(?:export\s+)?const\s+([A-Za-z_$][\w$]*)\s*(?::[^=]+)?=\s*(?:async\s*)?\("
)


class AddedChange:
    """The code, the tests and the names that a change adds.

    Attributes:
        codes: all files.
        implementation: the files that do something, without tests.
        tests: the added test cases.
    """

    def __init__(self, sources: Sequence[ChangedSource]) -> None:
        counts = {source.path: used_names([source]) for source in sources}
        self.codes = [_read(source, counts) for source in sources]
        tests = [code for code in self.codes if code.source.is_test]
        self.implementation = [code for code in self.codes if not code.source.is_test and _has_effect(code)]
        self.tests = [test for code in tests for test in test_cases(code)]
        repeated = {name for names in counts.values() for name, lines in names.items() if lines > 1}
        tested = {name for code in tests for name in counts[code.source.path]}
        self._used = repeated | tested

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of all live code that is not a test."""
        return frozenset().union(*(code.stems_with_path for code in self.implementation))

    @cached_property
    def inert(self) -> str:
        """Everything that does nothing: comments, documents, messages, tests without implementation."""
        logs = [line.code for code in self.codes for line in code.lines if line.is_log]
        return "\n".join([*(code.inert for code in self.codes), *logs])

    @cached_property
    def _switches(self) -> frozenset[str]:
        return switched_off(self.implementation)

    def switched_on(self, demand: Demand) -> list[AddedCode]:
        """The files of the implementation that read no disabled switch; switches that the criterion names do
        not count.
        """
        switches = frozenset(name for name in self._switches if name not in demand.text)
        return [code for code in self.implementation if not reads_switch(code, switches)]

    def is_reached(self, line: LiveLine, code: AddedCode) -> bool:
        """Return False inside of a new function that neither the change nor a framework uses."""
        definition = _definition_around(line, code)
        if definition is None or _USED_BY_FRAMEWORK.match(definition.string):
            return True
        is_method = bool(definition[1] or definition[3])
        return is_method or self._is_used(definition[2] or definition[4], code)

    def _is_used(self, name: str, code: AddedCode) -> bool:
        """Return True if a function exists already, is a component, or is in another added line."""
        if name in code.source.symbols or any(name in removed for removed in code.source.removed):
            return True
        is_component = name[:1].isupper() and code.source.path.endswith("x")
        return is_component or name.lower() in self._used


def _read(source: ChangedSource, counts: Mapping[str, Mapping[str, int]]) -> AddedCode:
    """Read a file with the names that the other files use."""
    others = (names for path, names in counts.items() if path != source.path)
    return read_added_code(source, frozenset(name for names in others for name in names))


def _has_effect(code: AddedCode) -> bool:
    if not code.effective:
        return False
    return code.language not in PROGRAM or not code.is_stub


def _definition_around(line: LiveLine, code: AddedCode) -> re.Match[str] | None:
    """Return the definition on a line, or the nearest above it with less indentation.

    None if there is none, or it has a decorator, which may use it.
    """
    if _is_decorator(line):
        return None
    indent = len(line.original) - len(line.original.lstrip())
    at = code.effective.index(line)
    for index in range(at, -1, -1):
        definition = _DEFINITION.match(code.effective[index].original)
        if definition is None:
            continue
        depth = len(definition[1] or definition[3] or "")
        if depth < indent or index == at:
            is_decorated = index > 0 and _is_decorator(code.effective[index - 1])
            return None if is_decorated else definition
    return None


def _is_decorator(line: LiveLine) -> bool:
    return line.original.lstrip().startswith("@")
