"""The tests of a change in reports: one line for people, and plain values for programs."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from tests.planes.evidence_factory import COVERED, LOST, REACHED, document
from wardround.analyses.change_tests import ChangedSourceTests
from wardround.context.change_tests import ChangeTests, CoverageState, CoveredFile
from wardround.reports.change_tests import change_tests_dict

UNREACHED = replace(REACHED, name="Cart.total", tests=())
STALE = replace(COVERED.files[0], state=CoverageState.STALE, reason="app.py has no line 9")
MISSED = replace(COVERED, lines=(CoveredFile("app.py", 2, ((3, 4), (7, 7))),))


@pytest.mark.parametrize(
    ("tests", "line"),
    [
        (ChangeTests(), ""),
        (ChangeTests((REACHED,)), "found for 1 of 1 changed functions"),
        (
            ChangeTests((REACHED, UNREACHED, UNREACHED)),
            "found for 1 of 3 changed functions, none of Cart.total and 1 more",
        ),
        (
            ChangeTests((REACHED,), lost=(LOST,), coverage=MISSED),
            "found for 1 of 1 changed functions; tests that assert less than before: 1; "
            "2 of 5 changed lines ran (coverage.xml)",
        ),
        (ChangeTests(problem="no graph"), "not searched: no graph"),
        (
            ChangeTests(coverage=replace(COVERED, files=(STALE,), lines=())),
            "coverage.xml is stale: app.py has no line 9",
        ),
    ],
)
def test_the_line_for_people(tests: ChangeTests, line: str) -> None:
    lines = ChangedSourceTests().lines(tests, document())
    assert "".join(shown.text for shown in lines) == line


def test_a_part_without_content_has_no_key() -> None:
    assert change_tests_dict(ChangeTests()) == {}
    assert list(change_tests_dict(ChangeTests((REACHED,), lost=(LOST,)))) == ["functions", "lost"]


def test_the_values_for_programs() -> None:
    found = change_tests_dict(ChangeTests((REACHED,), lost=(LOST,), coverage=MISSED))
    assert found["functions"][0]["tests"] == [
        {"file": "test_app.py", "line": 3, "test": "test_f", "distance": 1, "resolved": True}
    ]
    assert found["lost"] == [
        {"file": "test_app.py", "line": 3, "test": "test_f", "how": "skipped", "functions": ["app.py::f"]}
    ]
    assert found["coverage"] == {
        "files": [
            {"file": "coverage.xml", "format": "cobertura", "state": "fresh", "reason": "", "required": True}
        ],
        "changed_lines": 5,
        "changed_lines_covered": 2,
        "lines": [{"file": "app.py", "executed": 2, "missed": [[3, 4], [7, 7]]}],
        "unmeasured": [],
    }
