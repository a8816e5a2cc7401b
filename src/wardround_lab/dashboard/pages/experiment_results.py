"""The parts of a page of runs: results, a comparison, and the instances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from wardround.errors import WardroundError
from wardround.inference.metadata import Interval
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.intervals import interval_chart
from wardround_lab.dashboard.markup import Cell, Column, Field, Link, Table, render
from wardround_lab.dashboard.pages.experiment_address import ExperimentAddress
from wardround_lab.dashboard.pages.navigation import form, menu, pager
from wardround_lab.dashboard.views.experiment_comparison import Comparison, compare
from wardround_lab.dashboard.views.experiment_instances import InstanceRow, instance_page
from wardround_lab.dashboard.views.experiment_runs import (
    RewardRow,
    RewardTable,
    ShownRun,
    reward_names,
    reward_table,
    side_by_side,
)
from wardround_lab.experiments.comparison.plots import relative_difference
from wardround_lab.experiments.comparison.run_table import number_in_words, reward_interval

_UNITS = (("instance", "instances"), ("repository", "repositories"))
_ARROWS = {True: " ↑", False: " ↓", None: ""}
_DIFFERENCES = (
    Column("Reward"), Column("A", "number"), Column("B", "number"), Column("A - B", "number"),
    Column("p", "number"), Column("Pairs", "number"), Column("Verdict"),
)  # fmt: skip
_TEST = (
    "p is of a paired permutation test, adjusted for the number of rewards by Holm's method. "
    "A difference that is not shown can still be there: read the interval."
)


def results(runs: Sequence[ShownRun], address: ExperimentAddress) -> Markup:
    """Return the means of all rewards, and a chart of one of them."""
    table = reward_table(runs)
    names = [(name, name) for name in table.rewards]
    reward = _reward(runs, address)
    return markup.section(
        "Results",
        _scroll_box("Results", markup.table(_table_of_rewards(table, has_runs=len(runs) > 1))),
        form("Reward", [menu("reward", "Chart of", reward, names)], address.query(page=1)),
        _reward_chart(runs, reward),
    )


def _table_of_rewards(table: RewardTable, *, has_runs: bool) -> Table:
    columns = (
        *([Column("Run")] if has_runs else []),
        *(Column(name) for name in table.names),
        Column("Instances", "number"),
        *(Column(_title(name, table.directions), "number") for name in table.rewards),
    )
    rows = [_reward_cells(row, has_run=has_runs) for row in table.rows]
    caption = "Means with intervals of 95% by bootstrap over instances; ↑ more is better, ↓ less is better"
    return Table(caption, columns, rows)


def _title(reward: str, directions: Mapping[str, bool]) -> str:
    return f"{reward}{_ARROWS[directions.get(reward)]}"


def _reward_cells(row: RewardRow, *, has_run: bool) -> tuple[Cell, ...]:
    cells: tuple[Cell, ...] = (*row.values, row.instances, *map(_mean, row.rewards))
    return (row.run, *cells) if has_run else cells


def _scroll_box(label: str, content: Markup) -> Markup:
    """Return a table that can be wider than the page, and is then scrolled."""
    return render("scroll.html", label=label, content=content)


def _mean(interval: Interval | None) -> Cell:
    """Return a mean with its interval below, so that many rewards fit next to each other."""
    if interval is None:
        return "-"
    ends = f"[{number_in_words(interval.low)}, {number_in_words(interval.high)}]"
    return render("mean.html", value=number_in_words(interval.value), ends=ends)


def _reward(runs: Sequence[ShownRun], address: ExperimentAddress) -> str:
    names = reward_names(runs)
    return address.reward if address.reward in names else names[0]


def _reward_chart(runs: Sequence[ShownRun], reward: str) -> Markup:
    intervals = [(found.name, reward_interval(found, reward)) for found in side_by_side(runs)]
    rows = [(name, interval) for name, interval in intervals if interval is not None]
    return interval_chart(f"{reward}, mean with interval of 95%", rows)


def comparison(runs: Sequence[ShownRun], address: ExperimentAddress) -> Markup:
    """Return the differences of two configurations."""
    names = [found.name for found in side_by_side(runs)]
    if len(names) == 1:
        return markup.problem("there is one configuration only; put another run side by side")
    first = address.first or names[0]
    second = address.second or names[len(runs[0].results) if len(runs) > 1 else 1]
    options = [(name, name) for name in names]
    fields = [
        menu("first", "A", first, options),
        menu("second", "B", second, options),
        menu("unit", "Resample", address.unit, _UNITS),
    ]
    return markup.section(
        "Comparison of two configurations",
        form("Configurations", fields, address.query(), is_wide=True),
        _differences(runs, first, second, by_repository=address.unit == "repository"),
    )


def _differences(runs: Sequence[ShownRun], first: str, second: str, *, by_repository: bool) -> Markup:
    try:
        found = compare(runs, first, second, by_repository=by_repository)
    except WardroundError as cause:
        return markup.problem(str(cause))
    chart = [(difference.reward, relative_difference(difference)) for difference in found.differences]
    title = "A less B as a share of the larger mean, with interval of 95%"
    return markup.join(
        markup.table(_table_of_differences(found)),
        markup.note(_TEST),
        interval_chart(title, chart, "+", has_zero=True),
    )


def _table_of_differences(found: Comparison) -> Table:
    rows = [
        (row.reward, row.first, row.second, row.difference, row.p, row.pairs, row.verdict)
        for row in found.rows
    ]
    return Table("Differences on the common instances", _DIFFERENCES, rows)


def instances(runs: Sequence[ShownRun], address: ExperimentAddress) -> Markup:
    """Return a page of the instances."""
    reward = _reward(runs, address)
    page = instance_page(runs, reward, address.text, address.page)
    fields = [
        menu("reward", "Reward", reward, [(name, name) for name in reward_names(runs)]),
        Field("text", "Id or repository has", address.text, type="search"),
    ]
    columns = (
        Column("Instance", "code"),
        Column("Repository", "code"),
        *(Column(found.name, "number") for found in side_by_side(runs)),
    )
    caption = f"{reward} by configuration, the instances at which it differs most first"
    rows = [_instance_cells(row, address) for row in page.rows]
    return markup.section(
        "Instances",
        form("Instances", fields, address.query(page=1)),
        _scroll_box("Instances", markup.table(Table(caption, columns, rows)))
        if rows
        else markup.note("No instance contains this text."),
        pager(page, lambda number: address.query(page=number)),
    )


def _instance_cells(row: InstanceRow, address: ExperimentAddress) -> tuple[Cell, ...]:
    link = Link(row.instance, address.query(instance=row.instance))
    return (link, row.repository, *row.cells())
