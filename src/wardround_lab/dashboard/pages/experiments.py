"""The pages of experiments: the list of runs, runs side by side, a comparison, instances and a sequence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.markup import Cell, Column, Link, Table
from wardround_lab.dashboard.pages.experiment_address import TAB, ExperimentAddress
from wardround_lab.dashboard.pages.experiment_results import comparison, instances, results
from wardround_lab.dashboard.pages.navigation import form, menu, navigation, pager
from wardround_lab.dashboard.pages.sequence import sequence_section
from wardround_lab.dashboard.stores import Stores
from wardround_lab.dashboard.views.experiment_instances import read_sequence, sequences_of
from wardround_lab.dashboard.views.experiment_runs import (
    ShownRun,
    have_other_instances,
    options_in_words,
    shown_runs,
)
from wardround_lab.dashboard.views.experiment_storage import opened_experiments
from wardround_lab.dashboard.views.page_of_rows import page_of_rows
from wardround_lab.experiments.storage.model import Run
from wardround_lab.experiments.storage.sequence_storage import SequenceStorage, StorageMissing

_RUNS = 20
_MINE = "wardround data mine --instances --passing files --out mined OWNER/NAME=CLONE"
_RUN = "wardround lab run hybrid-localization --instances mined/instances.jsonl --clone OWNER/NAME=CLONE"
_VIEWS = {"results": "Results", "comparison": "Comparison", "instances": "Instances"}
_SIDE_BY_SIDE = (
    Column("Run"),
    Column("Begun", "time"),
    Column("Instances", "number"),
    Column("Trials"),
    Column("Options"),
    Column("Side by side"),
)
_COLUMNS = (
    Column("Run"),
    Column("Begun", "time"),
    Column("Instances", "number"),
    Column("Options"),
    Column("Version"),
)


def show_experiments(stores: Stores, query: Mapping[str, str]) -> Markup:
    """Return the page that an address names; a storage that cannot be read is one sentence on it."""
    address = ExperimentAddress.of(query)
    try:
        with opened_experiments(stores) as storage:
            return _page(storage, address)
    except StorageMissing:
        return _empty()
    except WardroundError as cause:
        way_back = [navigation("Back", [Link("All runs", {"tab": TAB})])] if address.runs else []
        return markup.join(*way_back, markup.problem(str(cause)))


def _empty() -> Markup:
    return markup.hint("No experiment has run yet. These commands mine instances and run one.", _MINE, _RUN)


def _page(storage: SequenceStorage, address: ExperimentAddress) -> Markup:
    if not address.ids:
        return _list_page(storage, address)
    if address.instance:
        return _instance_page(storage, address)
    runs = shown_runs(storage, address.ids)
    head = _head(storage, runs, address)
    if not any(run.results for run in runs):
        command = f"wardround lab run --resume {address.ids[0]}"
        return markup.join(head, markup.problem(f"no trial is complete; continue the run with {command}"))
    body = {"comparison": comparison, "instances": instances}.get(address.view, results)
    return markup.join(head, body(runs, address))


def _list_page(storage: SequenceStorage, address: ExperimentAddress) -> Markup:
    runs = storage.runs()
    if not runs:
        return _empty()
    page = page_of_rows(runs, address.page, _RUNS)
    rows = [_run_cells(run, address) for run in page.rows]
    return markup.join(
        markup.table(Table("Runs of experiments, the newest first", _COLUMNS, rows)),
        pager(page, lambda number: address.query(page=number)),
    )


def _run_cells(run: Run, address: ExperimentAddress) -> tuple[Cell, ...]:
    return (
        Link(run.id, address.query(runs=run.id, page=1)),
        run.created,
        len(run.instances),
        options_in_words(run),
        run.version,
    )


def _head(storage: SequenceStorage, runs: Sequence[ShownRun], address: ExperimentAddress) -> Markup:
    """Return the links of all pages of some runs, and what holds for each of these pages."""
    others = [run.id for run in storage.runs() if run.id not in address.ids]
    views = [
        text if address.view == view else Link(text, address.query(view=view, page=1))
        for view, text in _VIEWS.items()
    ]
    return markup.join(
        navigation("Pages of the runs", [Link("All runs", {"tab": TAB}), *views]),
        markup.section("Runs", _facts_table(runs, address))
        if len(runs) > 1
        else markup.section(runs[0].run.id, _run_facts(runs[0])),
        _further_run(address, others) if others else Markup(),
        markup.note("The runs have other instances; a comparison uses those in both.")
        if have_other_instances(runs)
        else Markup(),
    )


def _further_run(address: ExperimentAddress, others: Sequence[str]) -> Markup:
    options = [(address.runs, "no further run"), *((address.with_further(other), other) for other in others)]
    field = menu("runs", "Side by side with", address.runs, options)
    return form("Another run side by side", [field], address.query(page=1), is_wide=True)


def _facts_table(runs: Sequence[ShownRun], address: ExperimentAddress) -> Markup:
    rows = [
        (
            run.run.id,
            run.run.created,
            len(run.run.instances),
            _trials(run),
            options_in_words(run.run),
            Link("leave out", address.without(run.run.id)),
        )
        for run in runs
    ]
    notes = dict.fromkeys(f"{run.run.id}: {note}" for run in runs for note in run.run.notes)
    return markup.join(markup.table(Table("", _SIDE_BY_SIDE, rows)), *map(markup.note, notes))


def _trials(run: ShownRun) -> str:
    total = run.completed + run.incomplete
    return f"{run.completed} of {total} begun are complete" if run.incomplete else f"{total} complete"


def _run_facts(run: ShownRun) -> Markup:
    pairs: list[tuple[str, Cell]] = [
        ("Begun", markup.minutes(run.run.created)),
        ("Instances", len(run.run.instances)),
        ("Trials", _trials(run)),
        ("Options", options_in_words(run.run) or "defaults"),
        ("Version", run.run.version),
    ]
    return markup.join(markup.facts(pairs), *map(markup.note, run.run.notes))


def _instance_page(storage: SequenceStorage, address: ExperimentAddress) -> Markup:
    """Return the sequences of an instance as a choice, and the one that is open."""
    back = Link("Instances", address.query(view="instances", instance="", sequence=""))
    way_back = navigation("Back", [Link("All runs", {"tab": TAB}), back])
    choices = sequences_of(storage, address.ids, address.instance)
    if not choices:
        return markup.join(way_back, markup.problem(f"no run has the instance {address.instance}"))
    opened = next((choice for choice in choices if choice.id == address.sequence), choices[0])
    has_runs = len(address.ids) > 1
    names = [
        (choice.id, f"{choice.run}: {choice.configuration}" if has_runs else choice.configuration)
        for choice in choices
    ]
    return markup.join(
        way_back,
        markup.section(
            f"Instance {address.instance}",
            form(
                "Sequence",
                [menu("sequence", "Configuration", opened.id, names)],
                address.query(),
                is_wide=True,
            ),
            sequence_section(opened, read_sequence(storage, opened, address.instance)),
        ),
    )
