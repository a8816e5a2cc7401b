"""Base class of checks on Python tests, and the run that executes them."""

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
    module = _parsed(source)
    instances = [check(source, module) for check in selected]
    walk(module, instances)
    for case in module.tests:
        for check in instances:
            check.check_test(case)
    for check in instances:
        yield from check.results


def _parsed(source: SourceFile) -> TestModule:
    try:
        return TestModule(source.path, source.text)
    except (ValueError, RecursionError, MemoryError) as cause:
        raise SyntaxError(str(cause) or type(cause).__name__) from cause
