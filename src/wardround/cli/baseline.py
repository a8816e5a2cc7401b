"""``wardround baseline``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.messages import echo_err
from wardround.cli.run import emit_line

if TYPE_CHECKING:
    from wardround.processors.baseline_file import Baseline
    from wardround.review import ReviewResult

_repo = click.option(
    "--repo", type=click.Path(path_type=Path), metavar="DIR", help="Repository (default: current directory)."
)


@click.group("baseline")
def command() -> None:
    """Manage accepted findings, such as those that existed before wardround was adopted."""


@command.command("write")
@_repo
def write(repo: Path | None) -> None:
    """Accept every finding in the staged state of the repository."""
    from wardround.findings import Status
    from wardround.processors.baseline_file import accepted

    root, name, review = _whole(repo)
    open_findings = [f for f in review.findings if f.status is not Status.SUPPRESSED]
    baseline = accepted([(f, review.contents[f.fingerprint]) for f in open_findings])
    _save(root, name, baseline)
    emit_line(f"{name}: {len(baseline.findings)} findings accepted; {_to_be_staged(name)}")
    for line in _not_covered(review):
        echo_err(line)


@command.command("show")
@_repo
def show(repo: Path | None) -> None:
    """List the accepted findings."""
    _, _, baseline = _stored(repo)
    for entry in baseline.findings:
        emit_line(f"{entry.fingerprint}  {entry.rule}  {entry.file}")
    emit_line(f"{len(baseline.findings)} findings accepted")


@command.command("prune")
@_repo
def prune(repo: Path | None) -> None:
    """Remove entries whose finding no longer exists; accept nothing new."""
    from wardround.findings import ENTIRE_CHANGE
    from wardround.processors.baseline_file import Baseline

    root, name, baseline = _stored(repo)
    _, _, review = _whole(repo)
    present = {f.fingerprint for f in review.findings}
    unknown = {one.file for one in review.unreviewed}
    kept = tuple(
        entry
        for entry in baseline.findings
        if entry.fingerprint in present or entry.file in unknown or ENTIRE_CHANGE in unknown
    )
    _save(root, name, Baseline(kept))
    dropped = len(baseline.findings) - len(kept)
    emit_line(f"{name}: {dropped} dropped, {len(kept)} kept; {_to_be_staged(name)}")
    for line in _not_covered(review):
        echo_err(line)


def _not_covered(review: ReviewResult) -> Iterator[str]:
    """Yield what was not reviewed, so that its findings are neither accepted nor dropped."""
    missing = Counter((one.tool, one.reason) for one in review.unreviewed)
    for (tool, reason), files in sorted(missing.items()):
        counted = f"{files} file{'' if files == 1 else 's'}"
        yield f"wardround: not covered: what {tool} would find in {counted}: {reason}"


def _whole(repo: Path | None) -> tuple[Path, str, ReviewResult]:
    """Review all staged files as added, without a baseline."""
    from wardround import host, review
    from wardround.change.change_source import GitChangeSource
    from wardround.change.repository import INDEX, Repository
    from wardround.config.request import ReviewRequest
    from wardround.config.review_config import read_config
    from wardround.execution.fork_executor import ForkExecutor
    from wardround.tools.process import Processes

    with Repository(repo) as repository:
        change = repository.staged_since(repository.empty_tree)
        assert change.head == INDEX
        loaded = host.load()
        origin = GitChangeSource(repository, change)
        request = ReviewRequest(use_baseline=False)
        done = review.run_review(origin, change, loaded, request, Processes(), executor=ForkExecutor())
        settings = read_config(origin, change, loaded, request)
    return repository.root, settings.root.baseline, done


def _stored(repo: Path | None) -> tuple[Path, str, Baseline]:
    """Return the path of the baseline file in the work tree."""
    from wardround import host
    from wardround.change.repository import INDEX, Repository
    from wardround.config import loader
    from wardround.processors import baseline_file

    with Repository(repo) as repository:
        settings = loader.read(repository.tree(INDEX).read, [], host.load().specialists)
        name = settings.root.baseline
        file = repository.root / name
        return repository.root, name, baseline_file.load(file.read_bytes() if file.exists() else None, name)


def _to_be_staged(name: str) -> str:
    return f"git add {name} and commit it: reviews read the staged version"


def _save(root: Path, name: str, baseline: Baseline) -> None:
    from wardround.processors.baseline_file import dump
    from wardround.storage import directories

    directories.replace_file(root / name, dump(baseline), root)
