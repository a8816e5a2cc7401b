"""``wardround test``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.run import emit, open_change, progress_line, require_one
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.cli.options import ChangeSpec
    from wardround.workflows.test.recorded_runs import Recording
    from wardround.workflows.test.tree import TreeUnderTest

_MOST_RANKED = 1000


@click.command("test")
@click.option("--staged", is_flag=True, help="Plan for the staged change (default).")
@click.option("--base", metavar="REF", help="Plan for the change from the merge base with REF ...")
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
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option(
    "--repo", type=click.Path(path_type=Path), metavar="DIR", help="Repository (default: current directory)."
)
def command(
    staged: bool, base: str | None, head: str | None, targets: tuple[str, ...], contexts: Path | None,
    dry_run: bool, form: str, repo: Path | None,
) -> None:  # fmt: skip
    """Choose the Python tests that a change can affect, each with its reason.

    A test is left out only if a recorded run bounds the functions that it depends on, and none of them
    changed. Without recorded runs every test is chosen, those that probably cover the change first.
    """
    from wardround.cli.options import ChangeSpec

    require_one({"--staged": staged, "--base": base is not None}, "name the change in one way")
    if head is not None and base is None:
        raise click.UsageError("--head needs --base; name the commit it is compared with")
    if not dry_run:
        raise click.UsageError("tests are not run yet; add --dry-run for the plan")
    spec = ChangeSpec(staged=base is None, base=base, head=head, repo=repo)
    if contexts is not None:
        _store(contexts, repo)
    emit(_planned(spec, targets, form))


def _planned(spec: ChangeSpec, targets: Sequence[str], form: str) -> str:
    from wardround.change.repository import INDEX
    from wardround.workflows.test.plan_report import PlanReport, as_json, as_text
    from wardround.workflows.test.projects import detect_projects
    from wardround.workflows.test.selection import Target, plan_tests

    with open_change(spec) as (_, change, repository):
        assert repository is not None
        head = _tree(repository, INDEX if spec.staged else change.head)
        base = None if change.base == repository.empty_tree else _tree(repository, change.base)
        recordings = _recordings(repository)
        ranked = () if recordings else _ranked(spec)
        plan = plan_tests(recordings, head, Target.of(targets), base=base, ranked=ranked)
        projects = detect_projects(tuple(head.blobs), head.text)
    report = PlanReport(projects, plan)
    return as_json(report) if form == "json" else as_text(report)


def _recordings(repository: Repository) -> tuple[Recording, ...]:
    from wardround.workflows.test.run_store import RunStore

    store = RunStore.open(repository.git_dir)
    try:
        return store.load()
    finally:
        store.close()


def _ranked(spec: ChangeSpec) -> list[str]:
    """Return the ids of the tests that probably cover the change, the best first."""
    from wardround.cli.related.tests import of_change

    with progress_line() as progress:
        return [one.case.id for one in of_change(spec, _MOST_RANKED, progress).tests]


def _store(file: Path, repo: Path | None) -> None:
    """Store the runs in a data file of coverage.py.

    Raises:
        UsageError: it is not such a file, or the files of the work tree are not those that are staged.
    """
    import sqlite3

    from wardround.change.repository import INDEX, Repository
    from wardround.context.line_coverage.model import CoverageUnreadable
    from wardround.workflows.test.recording import read_recording
    from wardround.workflows.test.run_store import RunStore

    with Repository(repo) as repository:
        modified = repository.differs_from_worktree(INDEX) & {*repository.tracked(INDEX)}
        if modified:
            raise UsageError(
                f"{min(modified)} is not as staged, so {file} may be of another version; stage it"
            )
        try:
            recording = read_recording(
                file.read_bytes(), _tree(repository, INDEX), str(repository.root), is_complete=False
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


def _tree(repository: Repository, side: str) -> TreeUnderTest:
    from wardround.cli.related.corpus import text_of
    from wardround.workflows.test.tree import TreeUnderTest

    blobs = dict(repository.blobs_of(side))
    return TreeUnderTest(blobs, lambda path: text_of(repository, blobs[path]) if path in blobs else None)
