"""TE208."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import ChangeCase
from wardround.findings import Plane, Severity, Span
from wardround_tests.file_kinds import CODE, is_test

_MANY = "    tours = plan(9)\n    assert len(tours) == 2\n"
_REFUSED = "    with pytest.raises(Exceeded):\n        plan(9)\n"
_STATUS = (
    "it('answers with 404', async () => {\n  const response = await get('/x');\n  "
    "expect(response.status).toBe(GAP);\n});\n"
)


def _python(name: str, was: str, now: str, place: tuple[str, int, int] | None = None) -> ChangeCase:
    head = f"def {name}():\n"
    return ChangeCase({"tests/test_plan.py": (head + was, head + now)}, place)


class StaleTestName(ChangeCheck):
    """A test is called what it tested before this change, and tests another thing.

    Whoever reads the list of tests, or a failing one's name, takes the behaviour for what it was. Rename the
    test in the same commit.
    """

    ID = "TE208"
    NAME = "stale-test-name"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    TRIED_ON = (
        "history of 11 repositories, 16,085 commits: 7 hits on numbers in names, of 2 commits, "
        "all right; 4 on tests "
        "that expect an error now, whose names promise nothing, passed over since"
    )
    PATHS = CODE
    WORDS = ("def test", "it(", "test(", "it.", "test.")
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _python("test_overload_is_refused", _MANY, _REFUSED),
        _python("test_total", "    assert total() == 3\n", "    assert total() == 4\n"),
        _python("test_too_many_raise", _REFUSED, _REFUSED.replace("9", "8")),
        ChangeCase(
            {
                "a.test.ts": (
                    _STATUS.replace("GAP", "404"),
                    _STATUS.replace("404", "410").replace("GAP", "410"),
                )
            }
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _python("test_overload_is_split", _MANY, _REFUSED, ("tests/test_plan.py", 1, 5)),
        _python("test_overload_raises", _REFUSED, _MANY, ("tests/test_plan.py", 1, 5)),
        ChangeCase(
            {"a.test.ts": (_STATUS.replace("GAP", "404"), _STATUS.replace("GAP", "410"))}, ("a.test.ts", 1, 5)
        ),
        _python(
            "test_empty_is_true",
            "    assert is_empty([]) is True\n",
            "    assert is_empty([]) is False\n",
            ("tests/test_plan.py", 1, 5),
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
                self.report(file.path, span, f'the name of the test says "{one.said}", but {one.why}')
