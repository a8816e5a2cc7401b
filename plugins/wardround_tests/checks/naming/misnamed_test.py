"""TE480."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.base import ChangeCheck
from wardround.checks.cases import ChangeCase
from wardround.findings import Plane, Severity, Span
from wardround_tests.file_kinds import CODE, is_test


def _python(source: str, place: tuple[str, int, int] | None = None) -> ChangeCase:
    return ChangeCase({"tests/test_plan.py": (None, source)}, place)


def _place(line: int, column: int = 5) -> tuple[str, int, int]:
    return "tests/test_plan.py", line, column


class MisnamedTest(ChangeCheck):
    """A test is named after something that its body plainly does not try or expect.

    It says ``expired`` and makes a token that lasts an hour, or names one error and expects another: the test
    was copied and only half of it changed, so what the name promises is tested nowhere. Make it do what it
    says, or call it what it does.
    """

    ID = "TE480"
    NAME = "misnamed-test"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    DEFECT_CLASS = "misleading-test-name"
    TRIED_ON = (
        "5,617 files of tests of 24 projects: 3 hits, 1 of them right, a status that the name says and "
        "no line expects; names with when or if are passed over since"
    )
    PATHS = CODE
    WORDS = ("def test", "it(", "test(", "it.", "test.")
    VALID: ClassVar[Sequence[ChangeCase]] = [
        _python("def test_expired_pass(gate):\n    assert not gate.lets(stamp(ttl=timedelta(hours=-1)))\n"),
        _python("def test_expired_pass(gate, expired_stamp):\n    assert gate.lets(more(ttl=3600), 1)\n"),
        _python(
            "def test_raises_value_error_for_a_day():\n    with pytest.raises(ValueError):\n        day(9)\n"
        ),
        _python("def test_refuses_negative_amounts():\n    assert pay(-3) is None\n"),
        _python(
            "def test_gone_plan_does_not_return_500(web):\n    assert web.get('/x').status_code == 404\n"
        ),
        ChangeCase(
            {"a.test.ts": (None, "it('returns 404', async () => {\n  expect(res.status).toBe(404);\n});\n")}
        ),
    ]
    INVALID: ClassVar[Sequence[ChangeCase]] = [
        _python(
            "def test_expired_pass(gate):\n    assert not gate.lets(stamp('b', ttl=timedelta(hours=1)))\n",
            _place(1),
        ),
        _python(
            "def test_raises_value_error_for_a_day():\n    with pytest.raises(KeyError):\n        day(9)\n",
            _place(1),
        ),
        _python("def test_refuses_negative_amounts():\n    assert pay(3) is None\n", _place(1)),
        _python(
            "def test_lost_pass_is_unauthorized(web):\n    assert web.get('/x').status_code == 200\n",
            _place(1),
        ),
        ChangeCase(
            {"a.test.ts": (None, "it('returns 404', async () => {\n  expect(res.status).toBe(410);\n});\n")},
            ("a.test.ts", 1, 5),
        ),
        _python("def test_open_returns_false():\n    assert open_day(3) is True\n", _place(1)),
    ]

    def run(self) -> None:
        for file in self.change.files:
            if file.text is None or file.text == file.base_text or not is_test(file.path):
                continue
            from wardround.semantics.docdrift.test_names import (
                unmet_claims,  # not needed where no test changed
            )

            for one in unmet_claims(file.text):
                test = one.test
                last = test.line + test.body.rstrip().count("\n") + 1
                if any(map(file.is_added, range(test.line, last + 1))):
                    span = Span(test.line, test.column, test.line, test.column + len(test.title))
                    self.report(file.path, span, f'the name of the test says "{one.said}", but {one.why}')
