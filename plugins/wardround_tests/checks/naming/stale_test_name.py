"""TE208: test names that no longer match the test."""

from __future__ import annotations

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import change
from wardround.findings import Plane, Severity, Span
from wardround_tests.file_kinds import CODE, is_test


class StaleTestName(ChangeCheck):
    """A test is named after the behaviour it tested before this change.

    Anyone who reads the list of tests, or the name of a failing one, expects the old behaviour. Rename the
    test in the same commit.
    """

    ID = "TE208"
    NAME = "stale-test-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    PATHS = CODE
    WORDS = ("def test", "it(", "test(", "it.", "test.")
    VALID = [
        change(
            {
                "tests/test_plan.py": (
                    """
                    def test_overload_is_refused():
                        tours = plan(9)
                        assert len(tours) == 2
                    """,
                    """
                    def test_overload_is_refused():
                        with pytest.raises(Exceeded):
                            plan(9)
                    """,
                ),
            },
        ),
        change(
            {
                "tests/test_plan.py": (
                    """
                    def test_total():
                        assert total() == 3
                    """,
                    """
                    def test_total():
                        assert total() == 4
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "tests/test_plan.py": (
                    """
                    def test_overload_is_split():
                        tours = plan(9)
                        assert len(tours) == 2
                    """,
                    """
                    def «test_overload_is_split»():
                        with pytest.raises(Exceeded):
                            plan(9)
                    """,
                ),
            },
        ),
        change(
            {
                "tests/test_plan.py": (
                    """
                    def test_overload_raises():
                        with pytest.raises(Exceeded):
                            plan(9)
                    """,
                    """
                    def «test_overload_raises»():
                        tours = plan(9)
                        assert len(tours) == 2
                    """,
                ),
            },
        ),
    ]

    def run(self) -> None:
        for file in self.change.files:
            if file.text is None or file.base_text is None or file.text == file.base_text:
                continue
            if not is_test(file.path):
                continue
            from wardround.semantics.docdrift.stale_test_names import (
                stale_titles,  # not needed where no test changed
            )

            for one in stale_titles(file.base_text, file.text):
                test = one.test
                span = Span(test.line, test.column, test.line, test.column + len(test.title))
                self.report(
                    file.path, span, f'test name contains "{one.said}", but {one.why}; rename the test'
                )
