from __future__ import annotations

import datetime
import sys
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import click

from wardround.cli.judgement_folder import folder_option
from wardround.cli.messages import echo_err
from wardround.cli.run import emit, progress_line, require_one
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround.host import PluginHost
    from wardround_lab.evaluation.judging.hits import Hit, HitFile
    from wardround_lab.evaluation.judging.screen import Screen

_PROMPT = "verdict and reason (? lists them; n neighbours, d diff, s skip, q quit): "


@click.command("judge")
@click.argument("repositories", nargs=-1, type=click.Path(path_type=Path, exists=True, file_okay=False),
                metavar="[REPO]...")  # fmt: skip
@click.option("--reader", metavar="NAME", help="The name of the reader; needed to record verdicts.")
@click.option("--results", type=click.Path(path_type=Path), metavar="FILE",
              help="Record the findings of each commit; a second run resumes there.")  # fmt: skip
@folder_option
@click.option("--commits", type=click.IntRange(min=1), default=40, show_default=True, metavar="N",
              help="Review the newest N commits of each REPO.")  # fmt: skip
@click.option("--per-rule", type=click.IntRange(min=1), default=40, show_default=True, metavar="N",
              help="Read at most N findings of a rule.")  # fmt: skip
@click.option("--per-repository", type=click.IntRange(min=1), default=60, show_default=True, metavar="N",
              help="Read at most N findings of a repository.")  # fmt: skip
@click.option("--second-every", type=click.IntRange(min=1), default=5, show_default=True, metavar="N",
              help="One finding of N is for a second reader too.")  # fmt: skip
@click.option("--seed", type=int, default=1, show_default=True, help="Another seed draws another sample.")
@click.option("--scan-only", is_flag=True, help="Review the commits, and judge nothing.")
@click.option("--out", type=click.Path(path_type=Path), metavar="FILE",
              help="Write the findings as JSON lines for another reader; they contain code.")  # fmt: skip
@click.option("--size", type=click.IntRange(min=1), metavar="N",
              help="Write the next N findings that no batch in the folder of --out has; its file is "
              "READER-NUMBER.jsonl.")  # fmt: skip
@click.option("--import", "imported", type=click.Path(path_type=Path), metavar="FILE",
              help="Record the verdicts of JSON lines with id, verdict and reason.")  # fmt: skip
def command(repositories: tuple[Path, ...], **options: Any) -> int:
    """Judge findings on real commits: worth raising, true but noise, wrong, or unclear.

    The newest commits of each REPO are reviewed with default and preview rules. The findings are shown one by
    one, those of rare rules first, without severity and without the verdicts of others.
    """
    ways = {"--scan-only": options["scan_only"], "--out": options["out"], "--import": options["imported"]}
    require_one({name: bool(value) for name, value in ways.items()}, "do one thing at a time")
    if not options["scan_only"] and not options["reader"]:
        raise click.UsageError("--reader is missing: name the reader, so that two readings differ")
    file = _review_repositories(repositories, options)
    if options["scan_only"]:
        echo_err(f"{file.path}: {len(file.commits)} commits, {len(file.hits())} findings")
        return 0
    if options["imported"]:
        return _import(file, options)
    if options["size"]:
        return _write_batch(file, options)
    due = _due(file, options)
    return _write(due, file, options) if options["out"] else _ask(due, file, options)


def _review_repositories(repositories: tuple[Path, ...], options: dict[str, Any]) -> HitFile:
    from wardround import host
    from wardround.change.repository import Repository
    from wardround.change.repository_name import repository_name
    from wardround.storage.paths import cache_dir
    from wardround_lab.evaluation.judging.hits import HitFile, Source, scan

    file = HitFile(options["results"] or cache_dir() / "judging.jsonl")
    sources = []
    for folder in repositories:
        with Repository(folder) as repository:
            sources.append(Source(repository_name(repository), folder.resolve()))
    with progress_line() as progress:
        scan(sources, options["commits"], file, host.load(), progress)
    if not file.commits:
        raise UsageError(f"{file.path} has no reviewed commits; name at least one REPO")
    failed = [commit for commit in file.commits if commit.trouble]
    if failed:
        echo_err(f"{len(failed)} commits could not be reviewed, the last: {failed[-1].trouble}")
    return file


def _due(
    file: HitFile, options: dict[str, Any], taken: Mapping[str, Collection[str]] = MappingProxyType({})
) -> list[Hit]:
    """Return the findings that the reader has to judge."""
    from wardround.rules.judgement_files import load_judgements
    from wardround_lab.evaluation.judging.queue import queue
    from wardround_lab.evaluation.judging.sample import Limits, sample

    known = load_judgements(options["folder"])
    limits = Limits(options["per_rule"], options["per_repository"])
    hits = file.hits()
    read = {judgement.key for judgement in known}.union(hit.key for hit in hits if hit.id in taken)
    drawn = sample(hits, read, limits, options["seed"])
    return queue(drawn, known, options["reader"], options["second_every"], taken)


def _write_batch(file: HitFile, options: dict[str, Any]) -> int:
    """Write the next batch of a reader; another reader waits meanwhile."""
    from wardround_lab.evaluation.judging.batches import alternate_rules, lock_folder, readers_by_finding

    out: Path | None = options["out"]
    if out is None or out.stem.rpartition("-")[0] != options["reader"]:
        raise click.UsageError(f"--size needs --out FOLDER/{options['reader']}-NUMBER.jsonl")
    with lock_folder(out.parent):
        if out.exists():
            raise UsageError(f"--out {out}: the batch exists; give the next number")
        due = alternate_rules(_due(file, options, readers_by_finding(out.parent)))
        return _write(due[: options["size"]], file, options)


def _show_screen(hit: Hit, file: HitFile, loaded: PluginHost) -> Screen:
    from wardround.change.repository import Repository
    from wardround_lab.evaluation.judging.screen import screen

    reviewed = file.commit_of(hit)
    with Repository(Path(reviewed.folder)) as repository:
        return screen(hit, reviewed.base, repository, loaded.catalogue.rule(hit.rule), loaded.specialists)


def _write(due: Sequence[Hit], file: HitFile, options: dict[str, Any]) -> int:
    from wardround import host
    from wardround_lab.evaluation.judging.exchange import dump_questions, question

    loaded = host.load()
    content = dump_questions(
        question(
            hit, file.commit_of(hit), loaded.catalogue.rule(hit.rule).name, _show_screen(hit, file, loaded)
        )
        for hit in due
    )
    try:
        options["out"].write_bytes(content)
    except OSError as cause:
        raise UsageError(f"--out {options['out']}: {cause.strerror}; give another file") from cause
    echo_err(f"{options['out']}: {len(due)} findings; they contain code, so commit them to no repository")
    return 0


def _import(file: HitFile, options: dict[str, Any]) -> int:
    from wardround.rules.judgement_files import record_judgement
    from wardround_lab.evaluation.judging.exchange import read_answers

    known = {hit.id: hit for hit in file.hits()}
    answers = read_answers(options["imported"], known, options["reader"], _today())
    for answer in answers:
        record_judgement(options["folder"], answer, None)
    echo_err(f"{options['folder']}: {len(answers)} judgements of {options['reader']} recorded")
    return 0


def _ask(due: list[Hit], file: HitFile, options: dict[str, Any]) -> int:
    """Show the findings one by one, and record each verdict before the next is shown."""
    from wardround import host
    from wardround.rules.judgement_files import record_judgement
    from wardround.rules.judgements import judgement_of
    from wardround_lab.evaluation.judging.screen import parse_answer, render

    recorded, loaded = 0, host.load()
    for number, hit in enumerate(due, 1):
        shown = _show_screen(hit, file, loaded)
        click.clear()
        emit(render(shown, number, len(due)))
        typed = _read_answer(shown)
        if typed == "q":
            break
        answer = parse_answer(typed)
        if answer is not None:
            record_judgement(
                options["folder"], judgement_of(hit.key, *answer, options["reader"], _today()), None
            )
            recorded += 1
    echo_err(f"{recorded} judgements recorded in {options['folder']}; {len(due) - recorded} are left")
    return 0


def _read_answer(shown: Screen) -> str:
    """Return ``s``, ``q`` or an answer; ``q`` at the end of the input."""
    from wardround_lab.evaluation.judging.screen import parse_answer, verdict_help

    more = {"n": "\n".join(shown.neighbours) + "\n", "d": "\n".join(shown.diff) + "\n"}
    while True:
        click.echo(_PROMPT, nl=False, err=True)
        line = sys.stdin.readline()
        text = line.strip() if line else "q"
        if text in ("s", "q") or parse_answer(text) is not None:
            return text
        emit(more.get(text, verdict_help() + "\n"))


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()
