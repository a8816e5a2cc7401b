"""The tests of one candidate in a process that imports the edited text of its file."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence
from typing import Any

from .forks import Report
from .module_loading import replace_text
from .module_text import ModuleText
from .request import Request
from .time_limit import TimeLimit

_IMPORT_S = 3.0
"""CPU time for the collection."""


class Reimport:
    """Runs candidates whose effect is at the import of their file.

    Its methods run in a process that has not imported pytest.
    """

    def __init__(self, request: Request) -> None:
        self._request = request

    def run(self, candidate: int, is_rest: bool, report: Report) -> None:
        """Report how many tests pass, the next one and the exception; nothing if the edit does not compile.

        Args:
            is_rest: run the passing tests of the function instead of the failing ones.
        """
        edit = self._request.edits[candidate]
        file = self._request.file(edit.path)
        with open(file, encoding="utf-8", newline="") as stream:
            module = ModuleText(edit.path, file, stream.read())
        text = module.text_with(edit.start, edit.end, edit.replacement)
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        tests: Sequence[int] = range(self._request.failing)
        if is_rest:
            tests = self._passing_tests(edit.path, module.function_around(edit.start, edit.end))
        replace_text(file, text)
        self._run_tests(tests, report)

    def _passing_tests(self, path: str, function: Any) -> Sequence[int]:
        """Return the tests that ran the function; all for code outside of functions."""
        if function is None:
            return self._request.passing
        return self._request.tests_of_lines(path, function.line, function.last_line)

    def _run_tests(self, places: Sequence[int], report: Report) -> None:
        from .collection import collect_tests
        from .test_run import TestRunner

        tests = [self._request.tests[at] for at in places]

        def work(items: dict[str, Any]) -> None:
            runner = TestRunner(items.values())
            for number, test in enumerate(tests):
                end = runner.run(items[test], None) if test in items else None
                if end is None or end.outcome != "passed":
                    report([number, test, end.exception if end else "ImportError"])
                    os._exit(0)
                report(number)
            report([len(tests), "", ""])
            os._exit(0)

        TimeLimit().begin(_IMPORT_S + sum(self._request.limits[at] for at in places))
        collect_tests(self._request.root, tests, work)
