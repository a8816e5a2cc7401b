"""The runs of tests and comparisons of behaviour over time, from reports and from records."""

from __future__ import annotations

import msgspec

from wardround.errors import UsageError
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.page_of_rows import RowPage, page_of_rows
from wardround_lab.dashboard.views.recorded_run import RecordedRun
from wardround_lab.dashboard.views.run_files import run_files
from wardround_lab.dashboard.views.run_records import run_records

PAGE = 25


class RunHistory(msgspec.Struct, frozen=True):
    """All runs, the newest first.

    Attributes:
        problems: one sentence for each store or file that cannot be read.
        left: the number of older reports that were not read.
    """

    runs: tuple[RecordedRun, ...]
    problems: tuple[str, ...]
    left: int

    def page(self, number: int) -> RowPage[RecordedRun]:
        """Return a page of the runs."""
        return page_of_rows(self.runs, number, PAGE)

    def run(self, key: str) -> RecordedRun:
        """Return a run.

        Raises:
            UsageError: it is not there any more.
        """
        for run in self.runs:
            if run.key == key:
                return run
        raise UsageError(f"the run {key!r} does not exist any more; open another one")


def run_history(stores: Stores) -> RunHistory:
    """Return the runs in the folder of reports and in the record store; a broken one is a problem."""
    files = run_files(stores.runs)
    problems = list(files.problems)
    recorded: tuple[RecordedRun, ...] = ()
    try:
        recorded = run_records(stores.records)
    except UsageError as cause:
        problems.append(f"{cause}")
    runs = sorted((*files.runs, *recorded), key=lambda run: run.created, reverse=True)
    return RunHistory(tuple(runs), tuple(problems), files.left)
