from __future__ import annotations

from wardround.checks.base import ChangeCheck
from wardround.findings import Plane, Severity, Span
from wardround.rules.cases import change
from wardround_tests.file_kinds import CODE, is_test


class MisnamedTest(ChangeCheck):
    """A test's name contradicts its body.

    The name contains ``expired`` while the body creates a token that is valid for an hour, or it names one
    error and the body expects another: the test was copied and only partly adapted, so the named behaviour is
    untested. Adapt the body to the name, or rename the test.
    """

    ID = "TE480"
    NAME = "misnamed-test"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "misleading-test-name"
    PATHS = CODE
    WORDS = ("def test", "it(", "test(", "it.", "test.")
    VALID = [
        change(
            {
                "tests/test_plan.py": (
                    None,
                    """
                    def test_expired_pass(gate):
                        assert not gate.lets(stamp(ttl=timedelta(hours=-1)))
                    """,
                ),
            },
        ),
        change(
            {
                "tests/test_plan.py": (
                    None,
                    """
                    def test_expired_pass(gate, expired_stamp):
                        assert gate.lets(more(ttl=3600), 1)
                    """,
                ),
            },
        ),
    ]
    INVALID = [
        change(
            {
                "tests/test_plan.py": (
                    None,
                    """
                    def «test_expired_pass»(gate):
                        assert not gate.lets(stamp('b', ttl=timedelta(hours=1)))
                    """,
                ),
            },
        ),
        change(
            {
                "tests/test_plan.py": (
                    None,
                    """
                    def «test_raises_value_error_for_a_day»():
                        with pytest.raises(KeyError):
                            day(9)
                    """,
                ),
            },
        ),
    ]

    def run(self) -> None:
        for file in self.change.files:
            if file.text is None or file.text == file.base_text or not is_test(file.path):
                continue
            from wardround.semantics.docdrift.test_names import (
                unmet_claims,  # not needed where no test changed
            )

            for claim in unmet_claims(file.text):
                test = claim.test
                last = test.line + test.body.rstrip().count("\n") + 1
                if any(map(file.is_added, range(test.line, last + 1))):
                    span = Span(test.line, test.column, test.line, test.column + len(test.title))
                    self.report(
                        file.path,
                        span,
                        f'test name contains "{claim.said}", but {claim.why}; rename or adapt the test',
                    )
