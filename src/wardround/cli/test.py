from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.run import emit, emit_line, open_change, progress_line, require_base, require_one
from wardround.cli.sandbox_option import sandbox_option
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.diff import Change
    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec
    from wardround.workflows.test.reports.artifacts import Artifacts
    from wardround.workflows.test.reports.plan_report import PlanReport
    from wardround.workflows.test.reports.report import TestReport
    from wardround.workflows.test.runs.running import RunOptions

_MOST_RANKED = 1000
_FORMATS = ("text", "json", "junit")
_FAILED, _INCONCLUSIVE = 1, 4


@click.command("test")
@click.option("--staged", is_flag=True, help="Test the staged change (default).")
@click.option("--base", metavar="REF", help="Test the change from the merge base with REF ...")
@click.option("--head", metavar="REF", help="... to this commit (default HEAD).")
@click.option(
    "--target", "targets", multiple=True, metavar="changed|all|TEST",
    help="Tests of the change (default), all, or an id, a file or a folder; repeatable.",
)  # fmt: skip
@click.option(
    "--contexts", type=click.Path(path_type=Path), metavar="FILE",
    help="Store the runs in FILE first: data of pytest --cov=. --cov-context=test for the staged files.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Print the plan with the reason for each test; run nothing.")
@click.option(
    "--budget", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS",
    help="Elapsed time for all tests; those not reached are listed (default: as configured, else 600).",
)  # fmt: skip
@sandbox_option
@click.option(
    "--compare-base", is_flag=True, help="Run the tests at the base, too, and compare the coverage."
)
@click.option(
    "--find-order", is_flag=True,
    help="Find the earlier tests after which a test fails that passes alone.",
)  # fmt: skip
@click.option(
    "--mutate", type=click.FloatRange(min=0, min_open=True), metavar="[SECONDS]", is_flag=False,
    flag_value=60.0, help="Try small edits of the changed lines (60 s), and list those that no test notices.",
)  # fmt: skip
@click.option("--no-record", is_flag=True, help="Do not record the functions that each test runs.")
@click.option(
    "--format", "forms", multiple=True, metavar="text|json|junit[=FILE]", default=("text",),
    show_default=True, help="Output; repeatable, one without a file goes to standard output.",
)  # fmt: skip
@repo_option
def command(
    staged: bool, base: str | None, head: str | None, targets: tuple[str, ...], contexts: Path | None,
    dry_run: bool, budget: float | None, sandbox: str | None, compare_base: bool, find_order: bool,
    mutate: float | None, no_record: bool, forms: tuple[str, ...], repo: Path | None,
) -> int:  # fmt: skip
    """Run the tests that a change can affect, in a sandbox, each with the reason.

    A test is skipped only if a recorded run bounds the functions that it depends on, and none of them
    changed. Without recorded runs every test is chosen, those that probably cover the change first.

    Exit status: 0 all tests passed, 1 a test failed, 4 a test could not be run.
    """
    from wardround.cli.options import ChangeSpec

    require_one({"--staged": staged, "--base": base is not None}, "name the change in one way")
    require_base(head, base)
    outputs = [_output(form) for form in forms]
    spec = ChangeSpec(staged=base is None, base=base, head=head, repo=repo)
    if contexts is not None:
        _store(contexts, repo)
    if dry_run:
        _print_plan(spec, targets, outputs)
        return 0
    from wardround.workflows.test.plans.selection import Target
    from wardround.workflows.test.runs.running import RunOptions

    target = Target.of(targets)
    return _run(
        spec, outputs, RunOptions(target, budget, sandbox, not no_record, compare_base, find_order, mutate)
    )


def _output(form: str) -> tuple[str, Path | None]:
    name, _, path = form.partition("=")
    if name not in _FORMATS:
        raise click.UsageError(f"--format {name}: unknown format; choose from {', '.join(_FORMATS)}")
    return name, Path(path) if path else None


def _print_plan(spec: ChangeSpec, targets: Sequence[str], outputs: Sequence[tuple[str, Path | None]]) -> None:
    from wardround.workflows.test.reports.plan_report import as_json, as_text

    if len(outputs) != 1 or outputs[0][0] == "junit" or outputs[0][1] is not None:
        raise click.UsageError("--dry-run prints the plan: use --format text or --format json")
    report = _plan_report(spec, targets)
    emit(as_json(report) if outputs[0][0] == "json" else as_text(report))


def _plan_report(spec: ChangeSpec, targets: Sequence[str]) -> PlanReport:
    from wardround.workflows.test.plans.planning import plan_change
    from wardround.workflows.test.plans.selection import Target
    from wardround.workflows.test.reports.plan_report import PlanReport

    with open_change(spec) as (_, change, repository):
        assert repository is not None
        planned = plan_change(repository, change, Target.of(targets), lambda: _ranked_tests(spec))
    return PlanReport(planned.projects, planned.plan)


def _run(spec: ChangeSpec, outputs: Sequence[tuple[str, Path | None]], options: RunOptions) -> int:
    has_text = ("text", None) in outputs
    if has_text:
        emit_line(_subject(spec))  # what follows loads for a while
    with progress_line() as progress, open_change(spec) as (_, change, repository):
        from wardround.workflows.test.reports.artifacts import Artifacts
        from wardround.workflows.test.reports.report_text import as_json

        assert repository is not None
        artifacts = Artifacts(repository.root)
        report = _test_report(spec, change, repository, options, artifacts, progress, has_text)
        artifacts.write_report(as_json(report))
        progress("")
        for name, path in outputs:
            _write(report, name, path, artifacts)
    if has_text:
        emit_line(f"report: {artifacts.name}")
    return _status(report)


def _subject(spec: ChangeSpec) -> str:
    if spec.base is None:
        return "tests of the staged change"
    return f"tests of the change from {spec.base} to {spec.head or 'HEAD'}"


def _test_report(
    spec: ChangeSpec, change: Change, repository: Repository, options: RunOptions, artifacts: Artifacts,
    progress: Callable[[str], None], has_text: bool,
) -> TestReport:  # fmt: skip
    """Plan, print the number of tests, and run them."""
    from wardround.workflows.test.plans.planning import plan_change
    from wardround.workflows.test.reports.report_text import plan_line
    from wardround.workflows.test.runs.running import run_planned

    progress("planning the tests")
    planned = plan_change(repository, change, options.target, lambda: _ranked_tests(spec))
    progress("")
    if has_text:
        emit_line(plan_line(planned.plan))
    return run_planned(
        repository, change, planned, options, artifacts.folder, environ=os.environ, progress=progress
    )


def _write(report: TestReport, name: str, path: Path | None, artifacts: Artifacts) -> None:
    from wardround.workflows.test.reports.junit import as_junit
    from wardround.workflows.test.reports.report_text import as_json, as_text

    rendered = {"text": as_text, "json": as_json, "junit": as_junit}[name](report)
    if path is None:
        emit(rendered)
    else:
        artifacts.write(path, rendered)


def _status(report: TestReport) -> int:
    """Return the exit status: a failure counts before what could not be run."""
    from wardround.context.run_evidence import RunState, TestOutcome

    if report.with_outcome(TestOutcome.FAILED, TestOutcome.ERROR):
        return _FAILED
    return 0 if report.state is RunState.COMPLETE else _INCONCLUSIVE


def _ranked_tests(spec: ChangeSpec) -> list[str]:
    """Return the ids of the tests that probably cover the change, the best first."""
    from wardround.cli.related.tests import of_change

    with progress_line() as progress:
        return [test.case.id for test in of_change(spec, _MOST_RANKED, progress).tests]


def _is_as_staged(repository: Repository, path: str, blob: str) -> bool:
    """Return True if a file that git lists as modified, as after ``touch``, has the staged content."""
    try:
        return (repository.root / path).read_bytes() == repository.blobs.get(blob)
    except OSError:
        return False


def _store(file: Path, repo: Path | None) -> None:
    """Store the runs in a data file of coverage.py.

    Raises:
        UsageError: it is not a recording, or the work tree differs from the staged files.
    """
    import sqlite3

    from wardround.change.repository import INDEX, Repository
    from wardround.context.line_coverage.model import CoverageUnreadable
    from wardround.workflows.test.plans.planning import tree_of
    from wardround.workflows.test.recordings.recording import read_recording
    from wardround.workflows.test.recordings.run_store import RunStore

    with Repository(repo) as repository:
        staged = dict(repository.blobs_of(INDEX))
        listed = repository.differs_from_worktree(INDEX) & staged.keys()
        modified = [path for path in listed if not _is_as_staged(repository, path, staged[path])]
        if modified:
            raise UsageError(
                f"{min(modified)} is not as staged, so {file} may be of another version; stage it"
            )
        try:
            recording = read_recording(
                file.read_bytes(), tree_of(repository, INDEX), str(repository.root), is_complete=False
            )
        except (OSError, CoverageUnreadable) as cause:
            raise UsageError(f"{file}: {cause}; write it with pytest --cov=. --cov-context=test") from cause
        store = RunStore.open(repository.git_dir)
        try:
            store.add(recording)
        except sqlite3.Error as cause:
            raise UsageError(f"the runs in {file} cannot be stored: {cause}") from cause
        finally:
            store.close()
