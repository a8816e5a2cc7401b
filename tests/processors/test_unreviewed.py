"""An unreviewed file is listed once, without secrets, unless a finding already states the reason."""

from __future__ import annotations

import pytest

from tests.processors.factory import finding, inputs, review
from wardround.findings import MERGE_CONFLICT, SYNTAX_ERROR, Unreviewed
from wardround.processors.unreviewed import ReportUnreviewed

UNPARSED = Unreviewed("a.py", "python", "ruff", "it does not parse: line 3")
CRASHED = Unreviewed("a.py", "python", "ty", "it crashed at 0xdeadbeef")


@pytest.mark.parametrize("defect_class", [SYNTAX_ERROR, MERGE_CONFLICT])
def test_a_file_with_a_finding_about_its_syntax_is_not_listed_for_it(defect_class: str) -> None:
    given = inputs(unreviewed=(UNPARSED, CRASHED))
    done = ReportUnreviewed().apply(review(finding(defect_class=defect_class)), given)
    assert [item.tool for item in done.unreviewed] == ["ty"]


def test_test_data_that_is_broken_on_purpose_is_not_listed() -> None:
    done = ReportUnreviewed().apply(review(unparsed_data=frozenset({"a.py"})), inputs(unreviewed=(UNPARSED,)))
    assert done.unreviewed == ()


def test_reasons_are_masked_and_do_not_differ_between_runs() -> None:
    given = inputs(unreviewed=(CRASHED, CRASHED))
    done = ReportUnreviewed().apply(review(mask_text=lambda text: text.replace("crashed", "***")), given)
    assert [item.reason for item in done.unreviewed] == ["it *** at 0x..."]
