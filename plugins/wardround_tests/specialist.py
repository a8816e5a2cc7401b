"""The tests specialist: its files, tools and checks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from wardround_python.syntax import host_adapter

from wardround.checks.base import ChangeCheck, Check
from wardround.checks.line_ends import run_by_lines
from wardround.checks.registry import CheckRegistry
from wardround.checks.source import SourceFile
from wardround.findings import Plane, RawFinding, Span
from wardround.lazy import LazySequence
from wardround.rules.declarative import declarative_rules
from wardround.rules.model import Rule
from wardround.specialists import CaseOutline, Specialist, StatementOf
from wardround.tools.tool import Tool
from wardround_tests.file_kinds import PATTERNS

_SET_UP = frozenset({"order-dependent-tests", "network-in-test", "resource-leak"})
"""Defects of a test file that the setup of a module it imports rules out."""


class TestsSpecialist(Specialist):
    """Reviews test files."""

    __test__ = False

    name = "tests"
    planes = frozenset({Plane.TESTS})
    further_planes = frozenset({Plane.INTENT, Plane.CONTRACT, Plane.SEMANTIC, Plane.SECURITY})
    change_planes = frozenset({Plane.TESTS})
    patterns = PATTERNS
    comment_signs = ("#", "//", "/*")
    tools = LazySequence[Tool]("wardround_tests.tools:TOOLS")
    borrowed_tools = LazySequence[Tool]("wardround_tests.tools:BORROWED")
    checks = CheckRegistry[type[Check]]("wardround_tests.checks")
    change_checks = CheckRegistry[type[ChangeCheck]]("wardround_tests.checks", "change")

    def run_checks(self, checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
        from wardround_tests.check import run_test_checks  # the parser's part: not needed for the tools

        return run_by_lines(partial(run_test_checks, checks), source)

    def adds_test(self, path: str, text: str, added: Collection[int], words: frozenset[str]) -> bool:
        from wardround_tests.analysis.added_tests import adds_test  # only for changes with tests

        return adds_test(path, text, added, words)

    def is_in_test(self, path: str, text: str, line: int) -> bool:
        from wardround_tests.analysis.test_bodies import is_in_test  # rare

        return is_in_test(path, text, line)

    def tests_in(self, path: str, text: str) -> Mapping[str, CaseOutline] | None:
        from wardround_tests.models.test_files import outlines_of  # only for changes with tests

        return outlines_of(path, text)

    def rules(self) -> Sequence[Rule]:
        return declarative_rules("tests", "ast-grep")

    def refutes(
        self, path: str, text: str, defect_class: str, span: Span, read: Callable[[str], str | None]
    ) -> bool:
        if defect_class in _SET_UP:
            from wardround_tests.analysis.imported_setup import is_set_up  # rare

            return is_set_up(path, text, defect_class, span, read)
        if defect_class == "suboptimal-assert" and not path.endswith(".py"):
            from wardround_tests.analysis.compared_dates import compares_no_numbers  # loads the parser

            return compares_no_numbers(path, text, span)
        if defect_class != "only-mock-calls-asserted":
            return False
        from wardround_tests.analysis.calls_without_arguments import asserts_all_of_the_call  # rare

        return asserts_all_of_the_call(path, text, span, read)

    def statement_locator(self, text: str) -> StatementOf:
        return host_adapter.statements(text)
