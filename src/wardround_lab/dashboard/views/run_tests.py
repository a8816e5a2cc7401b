"""The tests of a run: the failures first, each with the reason for which it was chosen."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.context.run_evidence import TestOutcome
from wardround_lab.dashboard.views.page_of_rows import RowPage, page_of_rows
from wardround_lab.dashboard.views.recorded_run import RecordedRun

PAGE = 50
_ORDER = (
    TestOutcome.ERROR, TestOutcome.FAILED, TestOutcome.NOT_RUN, TestOutcome.FLAKY, TestOutcome.SKIPPED,
    TestOutcome.PASSED,
)  # fmt: skip


class TestRow(msgspec.Struct, frozen=True):
    """A test.

    Attributes:
        base: its outcome before the change; empty if it was not run there.
        seconds: None if the result does not state it.
        reason: why it was chosen, as a clause.
        detail: one sentence where the outcome needs it.
        excerpt: the end of its failure.
        places: changed lines in its traceback.
    """

    __test__ = False

    id: str
    outcome: TestOutcome
    base: str
    seconds: float | None
    reason: str
    detail: str
    excerpt: str
    places: tuple[str, ...]


def page_of_tests(run: RecordedRun, outcome: str = "", number: int = 1) -> RowPage[TestRow]:
    """Return a page of the tests of a run.

    Args:
        outcome: only tests with this one; empty for all.
    """
    rows = [row for row in _rows(run) if outcome in ("", row.outcome)]
    rows.sort(key=lambda row: _ORDER.index(row.outcome))
    return page_of_rows(rows, number, PAGE)


def _rows(run: RecordedRun) -> Iterator[TestRow]:
    if run.report is not None:
        for test in run.report.tests:
            yield TestRow(
                test.id, test.outcome, "", test.seconds, test.reason, test.detail, test.excerpt, test.places
            )
        return
    for found in run.evidence.tests.tests if run.evidence.tests is not None else ():
        base = found.base or ""
        yield TestRow(found.id, found.outcome, base, None, found.reason, "", found.excerpt, found.places)
