from __future__ import annotations

import calendar
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.messages import echo_err
from wardround.cli.process import Interrupted
from wardround.cli.run import emit_line, progress_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.training_tasks import AnyTask
    from wardround_lab.corpora.git_history import HistoryLimits
    from wardround_lab.corpora.miner import MiningSource, RecordLocation
    from wardround_lab.experiments.instances.repository_mining import InstanceOptions

DOC_DRIFT = "doc-drift"


@click.command("mine")
@click.argument("repositories", nargs=-1, required=True, metavar="REPO...")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FOLDER",
              help="Output folder of NAME.jsonl and its record; the same command resumes there.")  # fmt: skip
@click.option(
    "--task", "tasks", multiple=True, metavar="NAME", help="Mine the queries of this task. Repeatable."
)
@click.option("--kind", "kinds", multiple=True,
              type=click.Choice(["bug-fix", "clean", "commits", DOC_DRIFT, "inducing"]),
              help="Mine commits of this kind; doc-drift selects its tasks. Repeatable.")  # fmt: skip
@click.option("--instances", is_flag=True,
              help="Mine tasks with the tests that judge them; runs tests in the sandbox.")  # fmt: skip
@click.option("--each", type=click.IntRange(min=1), metavar="N", help="Instances: N of each repository.")
@click.option("--files", type=click.IntRange(min=1), default=2, show_default=True, metavar="N",
              help="Instances: the answer changes at most N source files.")  # fmt: skip
@click.option("--lines", type=click.IntRange(min=1), default=10, show_default=True, metavar="N",
              help="Instances: the answer changes at most N source lines.")  # fmt: skip
@click.option("--suite-seconds", type=click.FloatRange(min=1), default=30.0, show_default=True, metavar="S",
              help="Instances: reject those with a run of tests of more CPU seconds.")  # fmt: skip
@click.option("--python", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="FOLDER",
              help="Instances: run tests in this virtual environment instead of building some.")  # fmt: skip
@click.option("--passing", type=click.Choice(["suite", "files"]), default="suite", show_default=True,
              help="Instances: tests that must go on passing, all or of the changed files.")  # fmt: skip
@click.option("--head", default="HEAD", show_default=True, metavar="REV", help="Revision to start from.")
@click.option("--since", metavar="DATE", help="Skip older commits: YYYY-MM-DD or seconds since 1970.")
@click.option("--until", metavar="DATE", help="Skip commits of this day and later.")
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Mine the newest N commits.")
@click.option("--exclude", multiple=True, metavar="GLOB", help="Exclude these files. Repeatable.")
@click.option("--kept", type=click.Path(path_type=Path), metavar="FILE",
              help="List of held-out repositories (default: kept-for-measuring.txt if present).")  # fmt: skip
def command(repositories: tuple[str, ...], **options: Any) -> int:
    """Mine the history of each REPO: a clone or bare mirror, or owner/name=PATH.

    Items with secrets, generated or vendored files and unreadable items are excluded; the record counts them.
    """
    from wardround import host
    from wardround_lab.corpora.holdout import HoldoutRepositories
    from wardround_lab.corpora.miner import Miner
    from wardround_lab.corpora.secret_scan import SecretScan

    if options["instances"]:
        return _mine_instances(repositories, options)
    sources = _sources(options["tasks"], options["kinds"])
    retained = HoldoutRepositories.read(options["kept"])
    scan = SecretScan(host.load().specialists)
    locations = [_parse_location(text) for text in repositories]
    try:
        with progress_line() as progress:
            mining = Miner(options["out"], _limits(options), retained.__contains__, scan, progress)
            corpora = mining.mine(sources, locations)
    except Interrupted:
        echo_err("wardround: interrupted; the same command goes on behind the last finished repository")
        raise
    for corpus in corpora:
        emit_line(f"{corpus.name}: {corpus.items} items of {len(corpus.repositories)} repositories")
        for repository in corpus.repositories:
            dropped = "".join(f", {count} left out: {reason}" for reason, count in repository.dropped.items())
            emit_line(
                f"  {repository.name}: {repository.items} items of {repository.commits} commits, "
                f"licence {repository.licence}{dropped}"
            )
            if repository.damage:
                echo_err(f"{repository.name}: {repository.damage}")
    return 0


def _mine_instances(repositories: tuple[str, ...], options: dict[str, Any]) -> int:
    from wardround import host
    from wardround_lab.corpora.holdout import HoldoutRepositories
    from wardround_lab.corpora.secret_scan import SecretScan
    from wardround_lab.experiments.instances.instance_miner import NAME, InstanceMiner

    if options["tasks"] or options["kinds"]:
        raise click.UsageError("--instances runs tests for hours; mine tasks and kinds with another command")
    retained = HoldoutRepositories.read(options["kept"])
    scan = SecretScan(host.load().specialists)
    locations = [_parse_location(text) for text in repositories]
    try:
        with progress_line() as progress:
            miner = InstanceMiner(
                options["out"], _limits(options), _instance_options(options), retained.__contains__, scan,
                os.environ, progress,
            )  # fmt: skip
            record = miner.mine(locations)
    except Interrupted:
        echo_err("wardround: interrupted; the same command goes on behind the last finished candidate")
        raise
    for repository in record.repositories:
        for line in repository.lines():
            emit_line(line)
    emit_line(f"{options['out'] / NAME}: {record.instances} instances")
    return 0


def _instance_options(options: dict[str, Any]) -> InstanceOptions:
    from wardround_lab.experiments.instances.candidates import CandidateLimits
    from wardround_lab.experiments.instances.repository_mining import InstanceOptions

    return InstanceOptions(
        each=options["each"] or 0,
        answer=CandidateLimits(options["files"], options["lines"]),
        suite_s=options["suite_seconds"],
        python=str(options["python"].absolute()) if options["python"] else "",
        whole_suite=options["passing"] == "suite",
    )


def _sources(tasks: tuple[str, ...], kinds: tuple[str, ...]) -> list[MiningSource]:
    from wardround import host
    from wardround_lab.corpora.miner import MiningSource

    known = {task.name: task for task in host.load_tasks()}
    named = [*tasks, *(_doc_drift_tasks(known) if DOC_DRIFT in kinds else ())]
    for name in named:
        if name not in known:
            there = ", ".join(known) or "none: no installed plugin contributes one"
            raise UsageError(f"--task {name}: unknown task; choose from {there}")
    sources = [MiningSource(name, known[name]) for name in dict.fromkeys(named)]
    sources += [MiningSource(kind) for kind in dict.fromkeys(kinds) if kind != DOC_DRIFT]
    if not sources:
        raise click.UsageError("nothing to mine; give --task NAME, --kind KIND or --instances")
    return sources


def _doc_drift_tasks(known: Mapping[str, AnyTask]) -> list[str]:
    """Return the names of the tasks that learn from documentation which no longer fits.

    Raises:
        UsageError: there is none.
    """
    names = [task.name for task in known.values() if task.kind == DOC_DRIFT]
    if not names:
        raise UsageError(f"--kind {DOC_DRIFT}: no installed plugin contributes such a task")
    return names


def _parse_location(text: str) -> RecordLocation:
    from wardround_lab.corpora.miner import RecordLocation

    name, equals, path = text.partition("=")
    if equals and not Path(text).exists():
        if not name:
            raise UsageError(f"{text}: write owner/name=PATH")
        return RecordLocation(Path(path), name)
    return RecordLocation(Path(text))


def _limits(options: dict[str, Any]) -> HistoryLimits:
    from wardround_lab.corpora.git_history import HistoryLimits

    return HistoryLimits(
        head=options["head"],
        since=seconds_of("--since", options["since"]),
        until=seconds_of("--until", options["until"]),
        commits=options["limit"] or 0,
        exclude=options["exclude"],
    )


def seconds_of(option: str, text: str | None) -> int | None:
    """Parse a day (UTC) or seconds since 1970.

    Raises:
        UsageError: the text is neither.
    """
    if text is None:
        return None
    if text.isdecimal():
        return int(text)
    try:
        return calendar.timegm(time.strptime(text, "%Y-%m-%d"))
    except ValueError as cause:
        raise UsageError(f"{option} {text}: write a day as YYYY-MM-DD, or seconds since 1970") from cause
