"""Findings in test data are excluded where the data is there for them; findings about security are kept."""

from __future__ import annotations

from typing import Any

from tests.processors.factory import added, candidate, inputs, raw
from wardround import host
from wardround.context.test_data import TestData
from wardround.findings import SYNTAX_ERROR, Plane
from wardround.processors.model import ReviewFindings
from wardround.processors.test_data import DropTestDataFindings

DATA = "tests/fixtures/odd.py"
BROKEN = "tests/fixtures/syntax_error.py"


def _apply(path: str, *, is_left_out: bool = False, **values: Any) -> ReviewFindings:
    settings = {".flake8": "[flake8]\nexclude = tests/fixtures\n"} if is_left_out else {}
    given = inputs(added(path), test_data=TestData(settings.get, lambda: host.load().excluded_files))
    item = candidate(result=raw(path=path), file=path, **values)
    return DropTestDataFindings().apply(ReviewFindings(candidates=(item,)), given)


def test_data_that_linters_leave_out_has_no_findings() -> None:
    assert _apply(DATA, is_left_out=True).candidates == ()
    assert len(_apply(DATA).candidates) == 1
    assert len(_apply("src/odd.py", is_left_out=True).candidates) == 1


def test_findings_about_security_are_retained() -> None:
    assert len(_apply(DATA, is_left_out=True, plane=Plane.SECURITY).candidates) == 1


def test_a_syntax_error_in_data_that_is_broken_on_purpose_is_excluded() -> None:
    done = _apply(BROKEN, defect_class=SYNTAX_ERROR)
    assert (done.candidates, done.unparsed_data) == ((), {BROKEN})


def test_a_syntax_error_that_was_there_before_is_excluded() -> None:
    assert len(_apply(DATA, defect_class=SYNTAX_ERROR).candidates) == 1
    done = _apply(DATA, defect_class=SYNTAX_ERROR, was_unparsed=True)
    assert (done.candidates, done.unparsed_data) == ((), {DATA})


def test_other_findings_do_not_mark_a_file_as_unparsed() -> None:
    assert _apply(DATA, is_left_out=True).unparsed_data == frozenset()
