"""The sections of one run: facts, tests, changed lines, changed results, and edits that no test noticed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from wardround.context.run_evidence import BehaviourRun
from wardround.context.run_summary import count_of
from wardround.workflows.test.reports.report import TestReport
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.markup import Cell, Column, Link, Table, render
from wardround_lab.dashboard.pages.navigation import navigation, pager
from wardround_lab.dashboard.pages.run_address import RunAddress
from wardround_lab.dashboard.pages.sequence import FoldedEntry
from wardround_lab.dashboard.views.changed_lines import ChangedFile, ChangedLines, changed_lines
from wardround_lab.dashboard.views.recorded_run import RecordedRun
from wardround_lab.dashboard.views.result_differences import result_differences
from wardround_lab.dashboard.views.run_tests import TestRow, page_of_tests
from wardround_lab.dashboard.views.shown_text import shown_text

_TESTS = (
    Column("Outcome", "tag"), Column("Test", "code"), Column("Chosen because"), Column("Seconds", "number"),
    Column("Before the change", "tag"),
)  # fmt: skip
_FILES = (Column("File", "code"), Column("Run", "number"), Column("Executable", "number"))
_COMPARED = (
    Column("Function", "code"), Column("Inputs", "number"), Column("Differ", "number"),
    Column("Reason if none is shown"),
)  # fmt: skip
_NOT_COMPARED = (Column("Function", "code"), Column("Reason"))
_EDITS = (Column("Line", "code"), Column("Code", "code"), Column("Edit", "code"))
_OPEN = 3
"""Failures whose end is shown from the start."""
_MOST = 200
"""Rows of a table without pages."""


def run_sections(run: RecordedRun, address: RunAddress, root: Path) -> Markup:
    """Return the sections of a run that it has results for.

    Args:
        root: a folder of the repository that probably has the tested commit.
    """
    return markup.join(
        markup.section(run.origin, markup.facts(_facts(run)), *map(markup.note, _notes(run))),
        *_behaviour(run),
        *_changed_lines(run, root),
        *_edits(run),
        *_tests(run, address),
    )


def _facts(run: RecordedRun) -> Iterator[tuple[str, Cell]]:
    yield "Time", markup.minutes(run.created)
    yield "Result", markup.tag(run.result)
    if run.base or run.head:
        yield "Change", f"{run.base or 'no commit'} to {run.head}"
    for name, part in (("Tests", run.evidence.tests), ("Behaviour", run.evidence.behaviour)):
        if part is not None:
            conditions = part.conditions
            reason = f": {conditions.detail}" if conditions.detail else ""
            yield name, f"{conditions.state.value}{reason}"
            yield f"Isolation of {name.lower()}", conditions.isolation or "nothing was started"
    if run.report is not None:
        yield from _report_facts(run.report)


def _report_facts(report: TestReport) -> Iterator[tuple[str, Cell]]:
    yield "Elapsed", f"{sum(project.wall_s for project in report.runs):.1f} s"
    yield "Processor time", f"{sum(project.cpu_s for project in report.runs):.1f} s"
    yield "Tests left out by the plan", report.omitted
    for project in report.runs:
        yield f"Command in {project.root or '.'}", shlex.join(project.command) or "none"


def _notes(run: RecordedRun) -> Iterator[str]:
    if run.report is None:
        return
    yield from run.report.notes
    for order in run.report.order:
        yield f"{order.id} fails after {', '.join(order.after)}, and passes alone."
    for project in run.report.runs:
        if project.detail:
            yield f"{project.root or '.'}: {project.detail}"


def _tests(run: RecordedRun, address: RunAddress) -> Iterator[Markup]:
    if run.evidence.tests is None:
        return
    page = page_of_tests(run, address.outcome, address.page)
    rows = [_test_cells(row) for row in page.rows]
    columns = _TESTS if run.report is None else _TESTS[:-1]
    yield markup.section(
        "Tests",
        navigation("Outcomes", _outcome_links(run, address)),
        _failures(page.rows),
        markup.table(Table("Tests, failures first", columns, rows)) if rows else markup.note("No test ran."),
        pager(page, lambda number: address.query(page=number)),
    )


def _outcome_links(run: RecordedRun, address: RunAddress) -> Iterator[Link | str]:
    choices = {"": f"All {sum(run.counts.values())}"}
    choices |= {outcome.value: f"{number} {outcome.value}" for outcome, number in run.counts.items()}
    for outcome, text in choices.items():
        is_shown = outcome == address.outcome
        yield text if is_shown else Link(text, address.query(outcome=outcome, page=1))


def _test_cells(row: TestRow) -> tuple[Cell, ...]:
    seconds = "" if row.seconds is None else f"{row.seconds:.2f}"
    reason = f"{row.reason} ({row.detail})" if row.detail else row.reason
    return row.outcome.value, row.id, reason, seconds, row.base


def _failures(rows: Sequence[TestRow]) -> Markup:
    """Return the ends of the failures, with the changed lines in their tracebacks."""
    failed = [row for row in rows if row.excerpt]
    entries = [
        FoldedEntry(f"{row.outcome.value}: {row.id}", markup.join(*_failure(row)), is_open=number < _OPEN)
        for number, row in enumerate(failed)
    ]
    return render("entries.html", entries=entries)


def _failure(row: TestRow) -> Iterator[Markup]:
    if row.places:
        yield markup.note(f"Changed lines in its traceback: {', '.join(row.places)}")
    yield markup.code(shown_text(row.excerpt))


def _changed_lines(run: RecordedRun, root: Path) -> Iterator[Markup]:
    found = changed_lines(run, root)
    if not found.files:
        return
    rows = [(file.path, file.covered, file.total) for file in found.files[:_MOST]]
    yield markup.section(
        "Changed lines",
        markup.table(Table("Executable changed lines that tests ran", _FILES, rows)),
        *(_code(file) for file in found.files if file.lines),
        *map(markup.note, _line_notes(run, found)),
    )


def _line_notes(run: RecordedRun, found: ChangedLines) -> Iterator[str]:
    if found.note:
        yield found.note
    if found.left:
        yield f"{found.left:,} more lines are in the report."
    delta = run.evidence.tests.delta if run.evidence.tests is not None else ()
    for file in delta[:_MOST]:
        yield f"{file.path}: {_share(file.base)} lines run before the change, {_share(file.head)} now."


def _code(file: ChangedFile) -> Markup:
    uncovered = sum(not line.is_partial for line in file.lines)
    caption = f"{count_of(uncovered, 'changed line')} that no test ran"
    return render("code_lines.html", file=file, caption=caption)


def _share(counts: tuple[int, int] | None) -> str:
    return "no" if counts is None else f"{counts[0]} of {counts[1]}"


def _behaviour(run: RecordedRun) -> Iterator[Markup]:
    behaviour = run.evidence.behaviour
    if behaviour is None:
        return
    found = [
        render("result_difference.html", difference=difference)
        for difference in result_differences(run)[:_MOST]
    ]
    none = [] if found else [markup.note("No result of a compared function changed.")]
    yield markup.section(
        "Results that changed", *found, *none, *_comparisons(behaviour), *_not_comparisons(behaviour)
    )


def _comparisons(behaviour: BehaviourRun) -> Iterator[Markup]:
    rows = [
        (f"{found.path}::{found.function}", found.inputs, found.differing, found.reason)
        for found in behaviour.compared[:_MOST]
    ]
    if rows:
        yield markup.table(Table("Compared functions", _COMPARED, rows))


def _not_comparisons(behaviour: BehaviourRun) -> Iterator[Markup]:
    rows = [(f"{left.path}::{left.function}", left.reason) for left in behaviour.not_compared[:_MOST]]
    if rows:
        yield markup.table(Table("Functions that were not compared", _NOT_COMPARED, rows))


def _edits(run: RecordedRun) -> Iterator[Markup]:
    tests = run.evidence.tests
    if tests is None or not (tests.mutations or tests.mutation_problem):
        return
    if tests.mutation_problem:
        yield markup.section("Small edits", markup.note(tests.mutation_problem))
        return
    rows = [(f"{edit.path}:{edit.line}", edit.before, edit.after) for edit in tests.unnoticed[:_MOST]]
    noticed = tests.mutations - len(tests.unnoticed)
    counted = f"Tests noticed {noticed} of {tests.mutations} small edits of the changed lines."
    parts = [markup.table(Table("Edits after which all tests pass", _EDITS, rows))] if rows else []
    yield markup.section("Small edits", markup.note(counted), *parts)
