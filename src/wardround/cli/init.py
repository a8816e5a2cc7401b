"""``wardround init``: sets up a repository, after showing the changes."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.messages import echo_err
from wardround.cli.run import emit_line
from wardround.text.escaping import one_line

if TYPE_CHECKING:
    from wardround.change.repository import Repository
    from wardround.setup_plan.model import FileChange, Plan
    from wardround.setup_plan.wardround_source import WardroundSource

_NOT_WRITTEN = 1
_PLAIN = re.compile(r"[\w./~][\w./~:@+%-]*")
"""Text that needs no quotes in YAML and in a shell."""
_BASELINE_HINT = (
    "next: findings that exist never block a commit; wardround init --baseline also accepts them for "
    "reviews of all files"
)


@click.command("init")
@repo_option
@click.option("--apply", "is_applied", is_flag=True, help="Write the files (default: show the changes).")
@click.option("--baseline", "with_baseline", is_flag=True, help="Also accept the findings that exist.")
@click.option("--source", metavar="ADDRESS",
              help="Repository of wardround for hooks and CI (default: that of this one).")  # fmt: skip
@click.option("--rev", metavar="REVISION", help="Its commit or tag (default: that of this installation).")
def command(
    repo: Path | None, is_applied: bool, with_baseline: bool, source: str | None, rev: str | None
) -> int:
    """Show what sets up a repository: the git hook, the review in CI and the configuration.

    The files are those at the top of the repository. Existing files are only extended, and those that
    cannot be extended safely are named with what to add. Nothing is written without --apply or, on a
    terminal, a yes.

    Exit status: 0 shown, written or nothing to do, 1 a file changed meanwhile and was not written, 2 usage
    error.
    """
    from wardround.change.repository import Repository
    from wardround.errors import UsageError
    from wardround.setup_plan.application import finish_earlier
    from wardround.setup_plan.planning import source_notes

    with Repository(repo) as repository:
        if repository.bare:
            raise UsageError(f"{repository.root} has no work tree; run wardround init in a clone")
        if is_applied:
            finish_earlier(repository)
        origin = _source(source, rev)
        plan = _plan(repository, origin, with_baseline=with_baseline)
        for line in (*_plan_lines(plan), *(source_notes(origin) if plan.changes else ())):
            emit_line(line)
        if not plan.changes or not (is_applied or _is_confirmed()):
            return 0
        return _apply(repository, plan)


def _source(address: str | None, revision: str | None) -> WardroundSource:
    from wardround.errors import UsageError
    from wardround.setup_plan.wardround_source import (
        WardroundSource,
        installed_source,
        without_credentials,
    )

    source = installed_source() if address is None else WardroundSource(without_credentials(address))
    source = source if revision is None else WardroundSource(source.address, revision)
    for name, value in (("--source", source.address), ("--rev", source.revision)):
        if value and not _PLAIN.fullmatch(value):
            raise UsageError(f"{name} {value!r} is not an address or revision without spaces and quotes")
    return source


def _plan(repository: Repository, source: WardroundSource, *, with_baseline: bool) -> Plan:
    from wardround.setup_plan.model import Plan
    from wardround.setup_plan.planning import plan_setup
    from wardround.setup_plan.surroundings import Surroundings

    surroundings = Surroundings(repository)
    plan = plan_setup(surroundings, source)
    if not with_baseline:
        return plan
    from wardround.cli.baseline import baseline_step

    return Plan((*plan.steps, baseline_step(repository.root, surroundings)))


def _plan_lines(plan: Plan) -> Iterator[str]:
    """Yield the changes as a diff, then what is there and what remains."""
    for change in plan.changes:
        yield from [change.summary] if change.summary else map(one_line, change.diff())
    for step in plan.present:
        yield f"{step.path}: has {step.what}"
    for advice in plan.advice:
        yield f"{advice.path}: not changed: {advice.text}"
    if not plan.changes:
        yield "nothing to do" if not plan.advice else "nothing else to do"


def _is_confirmed() -> bool:
    """Return True if a person on a terminal agrees."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stdout.isatty()):
        emit_line("nothing was written; wardround init --apply writes these files")
        return False
    return click.confirm("Write these files?", default=False)


def _apply(repository: Repository, plan: Plan) -> int:
    from wardround.setup_plan.application import apply_plan

    refused = apply_plan(repository, plan)
    written = [change for change in plan.changes if change.path not in refused]
    for change in written:
        emit_line(f"wrote {change.path}")
    for path in refused:
        echo_err(f"wardround: {one_line(path)} changed meanwhile and was not written; run it again")
    for line in _next_lines(written):
        emit_line(line)
    return _NOT_WRITTEN if refused else 0


def _next_lines(written: list[FileChange]) -> Iterator[str]:
    """Yield what to do next."""
    from wardround.setup_plan.hook_entries import PRE_COMMIT

    paths = [change.path for change in written]
    if paths:
        yield f"next: git add {' '.join(paths)} and commit"
    if PRE_COMMIT in paths:
        yield "next: pre-commit install -t pre-commit -t pre-merge-commit -t pre-push (or the same with prek)"
    if any(path.endswith(("lefthook.yml", "lefthook.yaml")) for path in paths):
        yield "next: lefthook install"
    if not any(change.summary for change in written):
        yield _BASELINE_HINT
