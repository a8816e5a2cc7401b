from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.messages import echo_err
from wardround.cli.run import emit_line

if TYPE_CHECKING:
    from wardround.processors.baseline_file import Baseline
    from wardround.review_result import ReviewResult
    from wardround.setup_plan.model import Step
    from wardround.setup_plan.surroundings import Surroundings


@click.group("baseline")
def command() -> None:
    """Manage accepted findings, such as those that existed before wardround was adopted."""


@command.command("write")
@repo_option
def write(repo: Path | None) -> None:
    """Accept every finding in the staged state of the repository."""
    from wardround.findings import Status
    from wardround.processors.baseline_file import baseline_of

    root, name, review = _review_everything(repo)
    open_findings = [f for f in review.findings if f.status is not Status.SUPPRESSED]
    baseline = baseline_of([(f, review.contents[f.fingerprint]) for f in open_findings])
    _save(root, name, baseline)
    emit_line(f"{name}: {len(baseline.findings)} findings accepted; {_to_be_staged(name)}")
    for line in _uncovered_lines(review):
        echo_err(line)


@command.command("show")
@repo_option
def show(repo: Path | None) -> None:
    """List the accepted findings."""
    _, _, baseline = _read_baseline(repo)
    for entry in baseline.findings:
        emit_line(f"{entry.fingerprint}  {entry.rule}  {entry.file}")
    emit_line(f"{len(baseline.findings)} findings accepted")


@command.command("prune")
@repo_option
def prune(repo: Path | None) -> None:
    """Remove entries whose finding no longer exists; accept nothing new."""
    from wardround.findings import ENTIRE_CHANGE
    from wardround.processors.baseline_file import Baseline

    root, name, baseline = _read_baseline(repo)
    _, _, review = _review_everything(repo)
    present = {f.fingerprint for f in review.findings}
    unknown = {gap.file for gap in review.unreviewed}
    retained = tuple(
        entry
        for entry in baseline.findings
        if entry.fingerprint in present or entry.file in unknown or ENTIRE_CHANGE in unknown
    )
    _save(root, name, Baseline(retained))
    dropped = len(baseline.findings) - len(retained)
    emit_line(f"{name}: {dropped} dropped, {len(retained)} kept; {_to_be_staged(name)}")
    for line in _uncovered_lines(review):
        echo_err(line)


def baseline_step(root: Path, surroundings: Surroundings) -> Step:
    """Return the file that accepts the findings of the staged state, or that there is one."""
    from wardround.findings import Status
    from wardround.processors.baseline_file import baseline_of, dump
    from wardround.setup_plan.model import FileChange, Present

    _, name, review = _review_everything(root)
    if surroundings.first_of(name):
        return Present(name, "accepted findings")
    accepted = [finding for finding in review.findings if finding.status is not Status.SUPPRESSED]
    content = dump(baseline_of([(finding, review.contents[finding.fingerprint]) for finding in accepted]))
    return FileChange(name, None, content, f"{name}: new, accepts {len(accepted)} findings that exist")


def _uncovered_lines(review: ReviewResult) -> Iterator[str]:
    """Yield what was not reviewed, so that its findings are neither accepted nor dropped."""
    missing = Counter((gap.tool, gap.reason) for gap in review.unreviewed)
    for (tool, reason), files in sorted(missing.items()):
        counted = f"{files} file{'' if files == 1 else 's'}"
        yield f"wardround: not covered: what {tool} would find in {counted}: {reason}"


def _review_everything(repo: Path | None) -> tuple[Path, str, ReviewResult]:
    """Review all staged files as added, without a baseline."""
    from wardround import host
    from wardround.change.change_source import GitChangeSource
    from wardround.change.repository import INDEX, Repository
    from wardround.config.request import ReviewRequest
    from wardround.execution.fork_executor import ForkExecutor
    from wardround.execution.resources import Resources
    from wardround.review import review_once

    with Repository(repo) as repository:
        change = repository.staged_since(repository.empty_tree)
        assert change.head == INDEX
        loaded = host.load()
        origin = GitChangeSource(repository, change)
        request = ReviewRequest(use_baseline=False)
        done = review_once(origin, loaded, request, Resources(executor=ForkExecutor()))
    return repository.root, done.config.root.baseline, done


def _read_baseline(repo: Path | None) -> tuple[Path, str, Baseline]:
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
