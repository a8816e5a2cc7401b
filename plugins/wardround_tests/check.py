"""Base class of checks on Python tests, and the run that executes them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from wardround_python.check import PythonCheck, create_checks, walk

from wardround.checks.base import Check
from wardround.checks.registry import candidate_checks
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding
from wardround_tests.models.python_tests import TestCase, TestModule


class PythonTestCheck(PythonCheck):
    """A check on Python test modules.

    Define ``check_test`` for defects of one test, and ``visit_<Node>`` for defects anywhere in the module.
    """

    CASE_PATH = "test_case.py"
    IN_TESTS = True
    PLANE: ClassVar[Plane] = Plane.TESTS
    module: TestModule

    def __init__(self, source: SourceFile, module: TestModule | None = None) -> None:
        super().__init__(source, module or TestModule(source.path, source.text))

    def check_test(self, case: TestCase) -> None:
        """Report the defects of one test; none by default."""


def run_test_checks(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run the checks on one test file, which is parsed and walked once.

    Raises:
        SyntaxError: the text is not valid Python.
    """
    if not source.path.endswith(".py"):
        return
    candidates = candidate_checks(checks, "", source)
    selected = [c for c in candidates if issubclass(c, PythonTestCheck) and c.applies(source)]
    if not selected:
        return
    module = _parse_tests(source)
    for check in walk(module, create_checks(selected, source, module)):
        yield from _results(check, module)


def _results(check: PythonTestCheck, module: TestModule) -> Sequence[RawFinding]:
    """Return the results of a check that visited all nodes, with those about single tests."""
    with check.source.isolate(check.ID):
        for case in module.tests:
            check.check_test(case)
        return check.results
    return []


def _parse_tests(source: SourceFile) -> TestModule:
    try:
        return TestModule(source.path, source.text)
    except (ValueError, RecursionError, MemoryError) as cause:
        raise SyntaxError(str(cause) or type(cause).__name__) from cause
