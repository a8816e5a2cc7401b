"""What every check of Python tests is, and the run that serves them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from wardround_python.check import PythonCheck, walk

from wardround.checks.base import Check
from wardround.checks.registry import candidate_checks
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding
from wardround_tests.models.python_tests import TestCase, TestModule


class PythonTestCheck(PythonCheck):
    """A check on Python test modules.

    Define ``look_at`` for what is wrong with one test, ``visit_<Node>`` for what can be wrong anywhere.
    """

    CASE_PATH = "test_case.py"
    IN_TESTS = True
    PLANE: ClassVar[Plane] = Plane.TESTS
    module: TestModule

    def __init__(self, source: SourceFile, module: TestModule | None = None) -> None:
        super().__init__(source, module or TestModule(source.path, source.text))

    def look_at(self, case: TestCase) -> None:
        """Report what is wrong with one test; by default nothing is looked at."""


def run_test_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run the checks over one test file: parsed once, walked once.

    Raises:
        SyntaxError: the text is not Python.
    """
    if not source.path.endswith(".py"):
        return
    asked = candidate_checks(checks, "", source)
    wanted = [c for c in asked if issubclass(c, PythonTestCheck) and c.applies(source)]
    if not wanted:
        return
    try:
        module = TestModule(source.path, source.text)
    except (ValueError, RecursionError, MemoryError) as cause:
        raise SyntaxError(str(cause) or type(cause).__name__) from cause
    made = [check(source, module) for check in wanted]
    walk(module, made)
    for case in module.tests:
        for check in made:
            check.look_at(case)
    for check in made:
        yield from check.results
