"""The pages of test runs: the list with a chart, and one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from wardround.context.run_evidence import TestOutcome
from wardround.context.run_summary import count_of
from wardround.errors import UsageError
from wardround_lab.dashboard import charts, markup
from wardround_lab.dashboard.markup import Cell, Column, Link, Table
from wardround_lab.dashboard.pages.navigation import navigation, pager
from wardround_lab.dashboard.pages.run_address import TAB, RunAddress
from wardround_lab.dashboard.pages.run_sections import run_sections
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.recorded_run import RecordedRun
from wardround_lab.dashboard.views.run_history import RunHistory, run_history

_COMMANDS = (
    "wardround test --base origin/main",
    "wardround test --base origin/main --mutate --format json=artifacts/wardround/tests-$(date +%s).json",
    "wardround behaviour --base origin/main --format json > artifacts/wardround/behaviour-$(date +%s).json",
    "wardround review --base origin/main --run --record review.intoto.jsonl",
)
_EMPTY = (
    "No run is stored yet. The first command keeps its last run only, in artifacts/wardround; the next two "
    "keep a file of each run there; the last one adds its run to the record store."
)
_COLUMNS = (
    Column("Time", "time"), Column("Run"), Column("Change", "code"), Column("Result", "tag"), Column("Tests"),
    Column("Changed lines run"), Column("Changed results"), Column("Edits not noticed"),
)  # fmt: skip
_CHARTED = 30
_SHORT = 10
_FEWEST = 2
_SERIES = (
    ("passed", 2, (TestOutcome.PASSED,)),
    ("failed", 4, (TestOutcome.FAILED, TestOutcome.ERROR)),
    ("flaky", 3, (TestOutcome.FLAKY,)),
    ("skipped or not run", 6, (TestOutcome.SKIPPED, TestOutcome.NOT_RUN)),
)
"""Name, colour and outcomes of a series of the chart."""


def show_runs(stores: Stores, query: Mapping[str, str]) -> Markup:
    """Return the page that an address names; what cannot be read is one sentence on it."""
    address = RunAddress.of(query)
    history = run_history(stores)
    if not address.run:
        return _list_page(history, address)
    back = navigation("Back", [Link("All runs", {"tab": TAB})])
    try:
        run = history.run(address.run)
    except UsageError as cause:
        return markup.join(back, markup.problem(str(cause)))
    return markup.join(back, run_sections(run, address, stores.repository))


def _list_page(history: RunHistory, address: RunAddress) -> Markup:
    problems = markup.join(*map(markup.problem, history.problems))
    if not history.runs:
        return markup.join(problems, markup.hint(_EMPTY, *_COMMANDS))
    page = history.page(address.page)
    rows = [_cells(run, address) for run in page.rows]
    left = f"{history.left} older files are not read." if history.left else ""
    return markup.join(
        problems,
        _chart(history.runs),
        markup.table(Table("Runs of tests and comparisons of behaviour, the newest first", _COLUMNS, rows)),
        pager(page, lambda number: address.query(page=number)),
        markup.note(left) if left else Markup(),
    )


def _chart(runs: Sequence[RecordedRun]) -> Markup:
    """Return the tests of the last runs, the oldest first; nothing for less than two of them."""
    tested = [run for run in runs if run.counts][:_CHARTED][::-1]
    if len(tested) < _FEWEST:
        return Markup()
    series = [
        charts.Series(
            name, [sum(run.counts.get(outcome, 0) for outcome in outcomes) for run in tested], colour
        )
        for name, colour, outcomes in _SERIES
    ]
    categories = [markup.minutes(run.created)[5:] for run in tested]
    return charts.stacked_bars("Tests of the last runs", categories, series)


def _cells(run: RecordedRun, address: RunAddress) -> tuple[Cell, ...]:
    return (
        run.created,
        Link(run.origin, address.query(run=run.key, page=1)),
        change_of(run),
        run.result,
        ", ".join(f"{number} {outcome.value.replace('-', ' ')}" for outcome, number in run.counts.items()),
        "" if run.coverage is None else f"{run.coverage[0]} of {run.coverage[1]}",
        "" if run.differences is None else count_of(run.differences, "function"),
        "" if run.unnoticed is None else f"{run.unnoticed[0]} of {run.unnoticed[1]}",
    )


def change_of(run: RecordedRun) -> str:
    """Return base and head in few characters."""
    return f"{run.base[:_SHORT]}..{run.head[:_SHORT]}" if run.base or run.head else ""
