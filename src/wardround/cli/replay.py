from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround.cli.change_options import repo_option
from wardround.cli.run import emit_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.records.record import ReviewRecord
    from wardround.records.rerun import Drift

_DIFFERS = 1


@click.command("replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--rerun", is_flag=True, help="Also review the recorded commits again and report what drifted.")
@click.option("--run", is_flag=True, help="With --rerun: run the change again, too, as the record states.")
@repo_option
def command(file: Path, rerun: bool, run: bool, repo: Path | None) -> int:
    """Derive the signals and the verdict in FILE again from its evidence, and compare them bit by bit.

    Nothing else is read: no repository, no tool, no model, no network. --rerun also runs tools and models on
    the recorded commits; the results of running the change come from the record, unless --run is given.
    The other lines of the record have to follow from the first. Signatures are not checked; use wardround
    verify for that.

    Exit status: 0 everything agrees, 1 something differs, 2 usage error.
    """
    from wardround.records.reading import parse_record, record_content
    from wardround.records.replay import replay_evidence
    from wardround.records.verify import content_problem
    from wardround.reports.language_model import recorded_lines

    if run and not rerun:
        raise click.UsageError("--run needs --rerun; nothing else runs the change")
    data = record_content(file)
    record = parse_record(data, str(file))
    replay = replay_evidence(record)
    if replay.note:
        emit_line(f"note: {replay.note}")
    if not replay.agrees:
        emit_line(f"{file}: the verdict does not follow from the evidence")
        for difference in replay.differences:
            emit_line(f"  {difference.part}: recorded {difference.recorded}, derived {difference.derived}")
        return _DIFFERS
    if problem := content_problem(data):
        emit_line(f"{file}: the record was changed: {problem}")
        return _DIFFERS
    emit_line(f"{file}: {record.verdict.name} ({record.verdict.tier}) follows from the evidence")
    for line in recorded_lines(record.evidence):
        emit_line(line)
    return _report(_rerun(record, repo, runs_again=run)) if rerun else 0


def _report(drifts: tuple[Drift, ...]) -> int:
    for drift in drifts:
        emit_line(f"  {drift.kind}: {drift.text}")
    if not drifts:
        emit_line("the same review today agrees with the record")
        return 0
    points = "1 point" if len(drifts) == 1 else f"{len(drifts)} points"
    emit_line(f"the same review today differs in {points}")
    return _DIFFERS


def _rerun(record: ReviewRecord, repo: Path | None, *, runs_again: bool) -> tuple[Drift, ...]:
    """Review the recorded commits again.

    Raises:
        UsageError: the record is not of commits.
        GitError: the repository lacks one of them.
    """
    from msgspec.structs import replace

    from wardround import host
    from wardround.change.change_source import GitChangeSource
    from wardround.change.repository import Repository
    from wardround.change.revisions import is_object_id
    from wardround.config.request import ReviewRequest
    from wardround.execution.fork_executor import ForkExecutor
    from wardround.execution.resources import Resources
    from wardround.policy.conclude import conclude
    from wardround.records.record import components_of
    from wardround.records.rerun import compare_rerun
    from wardround.records.trial import require_within_limits
    from wardround.review import run_review
    from wardround.session import ReviewSession
    from wardround.tools.tool import Profile

    document, recorded = record.context.document, record.request
    if not all(map(is_object_id, (document.base, document.target, document.head))):
        raise UsageError(
            "--rerun: the record is not of commits; only committed changes can be reviewed again"
        )
    request = ReviewRequest(
        profile=Profile(record.evidence.profile), only=recorded.only, skip=recorded.skip,
        config_from="head" if recorded.trusted_side == "head" else "base", use_models=recorded.models,
        use_baseline=recorded.baseline, target_branch=record.evidence.target_branch,
        fail_level=record.evidence.fail_level, run=recorded.run, sandbox=recorded.sandbox or None,
        reuses_answers=False,
    )  # fmt: skip
    loaded = host.load()
    with Repository(repo) as repository:
        names = (document.base, document.target, document.head)
        base, target, head = (
            name if name == repository.empty_tree else repository.commit(name) for name in names
        )
        change = replace(repository.range(base, head), target=target)
        source = GitChangeSource(repository, change)
        runner = None if runs_again else lambda *arguments: document.ran
        resources = Resources(executor=ForkExecutor())
        with ReviewSession(source, loaded, request, resources, runner=runner) as session:
            done = run_review(session)
    context, evidence = done.conclusion.context, done.conclusion.evidence
    require_within_limits(lambda: conclude(context, evidence, record.policies))
    conclusion = conclude(context, evidence, record.policies)
    return compare_rerun(record, conclusion, components_of(done.config, loaded))
