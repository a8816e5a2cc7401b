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


class Reimport:
    """Runs candidates whose effect is at the import of their file.

    Its methods run in a process that has not imported pytest.
    """

    def __init__(self, request: Request) -> None:
        self._request = request

    def run(self, candidate: int, report: Report) -> None:
        """Report how many tests pass, their number, the id of the next one, and the exception."""
        edit = self._request.edits[candidate]
        file = self._request.file(edit.path)
        with open(file, encoding="utf-8", newline="") as stream:
            module = ModuleText(edit.path, file, stream.read())
        text = module.edited(edit.start, edit.end, edit.replacement)
        try:
            ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        function = module.function_around(edit.start, edit.end)
        tests = [*range(self._request.failing), *self._passing_tests(edit.path, function)]
        replace_text(file, text)
        self._run_tests([self._request.tests[at] for at in tests], report)

    def _passing_tests(self, path: str, function: Any) -> Sequence[int]:
        """Return the tests that ran the function; all for code outside of functions."""
        if function is None:
            return self._request.passing
        return self._request.tests_of_lines(path, function.line, function.last_line)

    def _run_tests(self, tests: list[str], report: Report) -> None:
        from .collection import collect_tests
        from .test_run import TestRunner

        def work(items: dict[str, Any]) -> None:
            runner = TestRunner(items.values())
            for number, test in enumerate(tests):
                end = runner.run(items[test], None) if test in items else None
                if end is None or end.outcome != "passed":
                    report([number, len(tests), test, end.exception if end else "ImportError"])
                    os._exit(0)
                report(number)
            report([len(tests), len(tests), "", ""])
            os._exit(0)

        collect_tests(self._request.root, tests, work)
