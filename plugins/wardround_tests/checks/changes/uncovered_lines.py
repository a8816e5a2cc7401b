from __future__ import annotations

from wardround.checks.base import ChangeCheck
from wardround.context.change_tests import CoveredFile
from wardround.findings import Severity
from wardround.rules.cases import change
from wardround.rules.maturity import Maturity
from wardround_tests.changes.line_diff import span_of_line
from wardround_tests.file_kinds import CODE, is_production

_LISTED = 3
"""Maximum number of ranges that a message names."""


class UncoveredLines(ChangeCheck):
    """Changed lines did not run in the tests, as a coverage file of the same tree shows.

    An error in them stays unnoticed until somebody uses the code. Add a test that runs them, or remove them.
    Without a coverage file of the reviewed tree nothing is reported.
    """

    ID = "TE205"
    INFERS_COVERAGE = True
    NAME = "uncovered-lines"
    MATURITY = Maturity.PREVIEW
    SEVERITY = Severity.INFO
    PATHS = CODE
    VALID = [
        change(
            {
                "shop.py": (
                    """
                    def price(x):
                        return x
                    """,
                    """
                    def price(x):
                        return x * 2
                    """,
                ),
            },
            others={
                "lcov.info": """
                TN:
                SF:shop.py
                DA:1,1
                DA:2,1
                end_of_record
                """,
            },
        ),
        change(
            {
                "shop.py": (
                    """
                    def price(x):
                        return x
                    """,
                    """
                    def price(x):
                        return x * 2
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "shop.py": (
                    """
                    def price(x):
                        return x
                    """,
                    """
                    def price(x):
                        if x < 0:
                            «return 0»
                        return x
                    """,
                ),
            },
            others={
                "lcov.info": """
                TN:
                SF:shop.py
                DA:1,1
                DA:2,1
                DA:3,0
                DA:4,1
                end_of_record
                """,
            },
        ),
    ]

    def run(self) -> None:
        coverage = self.change.coverage()
        for covered in coverage.lines if coverage is not None else ():
            if covered.missed and is_production(covered.path):
                self._report(covered)

    def _report(self, covered: CoveredFile) -> None:
        file = self.change.file(covered.path)
        if file is None or file.text is None:
            return
        ranges = [f"{first}" if first == last else f"{first} to {last}" for first, last in covered.missed]
        more = f" and {len(ranges) - _LISTED} more" if len(ranges) > _LISTED else ""
        self.report(
            covered.path,
            span_of_line(file, covered.missed[0][0]),
            f"no test runs the changed lines {', '.join(ranges[:_LISTED])}{more}; add a test of them",
        )
