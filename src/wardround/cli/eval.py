from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wardround.cli import eval_judge, eval_questions, eval_rates
from wardround.cli.change_options import only_option, skip_option
from wardround.cli.messages import echo_err
from wardround.cli.process import Interrupted
from wardround.cli.run import emit, progress_line
from wardround.errors import UsageError

if TYPE_CHECKING:
    from wardround_lab.evaluation.batch import CaseOutcome, Settings
    from wardround_lab.evaluation.cases import Case, CaseFile
    from wardround_lab.evaluation.reports import MeasuredSet
    from wardround_lab.evaluation.resume_log import ResumeLog

INCONCLUSIVE = 4


@click.group("eval")
def command() -> None:
    """Measure the quality of reviews."""


command.add_command(eval_judge.command)
command.add_command(eval_questions.command)
command.add_command(eval_rates.command)


_profile = click.option("--profile", type=click.Choice(["commit", "ci"]), default="commit", show_default=True)
_jobs = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    metavar="N",
    help="Parallel processes (default: all cores).",
)


@command.command("cases")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FILE...")
@_profile
@only_option
@skip_option
@click.option("--all-rules", is_flag=True, help="Enable the rules that are off by default.")
@click.option("--rule-level", type=click.Choice(["info", "warn", "error"]), default="info",
              help="Lowest severity that counts.")  # fmt: skip
@click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Use the first N cases of each file.")
@_jobs
@click.option("--set-key", default="set", show_default=True, metavar="KEY",
              help="Key of meta that names the set of a case (default: the file name).")  # fmt: skip
@click.option("--format", "formats", multiple=True, metavar="FORMAT",
              help="Repeatable: text, json or html; add =FILE to write it there.")  # fmt: skip
@click.option("--results", type=click.Path(path_type=Path), metavar="FILE",
              help="Record the outcome of each case; a second run resumes there.")  # fmt: skip
def cases(files: tuple[Path, ...], **options: Any) -> int:
    """Review the cases of FILE, each a change with known defects, and compute precision and recall.

    A line of FILE is a JSON object with id, diff, expected (locations: file, line, category; empty for a
    clean change) and, if known, before, after, language and meta. No configuration applies.
    """
    from wardround.tools.tool import Profile
    from wardround_lab.evaluation.batch import Settings
    from wardround_lab.evaluation.cases import read_cases

    outputs = [_output(text) for text in options["formats"] or ("text",)]
    found = [read_cases(path, options["limit"]) for path in files]
    for file in found:
        for key, count in file.ignored.items():
            echo_err(f"{file.path}: key {key!r} of {count} cases is not known and was ignored")
    settings = Settings(
        profile=Profile(options["profile"]),
        only=options["only"],
        skip=options["skip"],
        jobs=options["jobs"] or os.cpu_count() or 1,
        all_rules=options["all_rules"],
        set_key=options["set_key"],
    )
    status, measured = _measure(found, settings, options["results"], options["rule_level"])
    for form, path in outputs:
        _write(form, path, measured)
    return status


def _output(text: str) -> tuple[str, Path | None]:
    from wardround_lab.evaluation.reports import FORMATS

    form, _, path = text.partition("=")
    if form not in FORMATS:
        raise UsageError(f"--format {form}: unknown format; choose from {', '.join(FORMATS)}")
    if path and not Path(path).parent.is_dir():
        raise UsageError(f"--format {text}: the folder {Path(path).parent} does not exist; create it first")
    return form, Path(path) if path else None


def _measure(
    found: list[CaseFile], settings: Settings, results: Path | None, level: str
) -> tuple[int, MeasuredSet]:
    """Review the cases; after an interruption, report the completed ones."""
    from wardround import __version__
    from wardround_lab.evaluation.reports import MeasuredSet
    from wardround_lab.evaluation.scoring import score

    outcomes: list[CaseOutcome] = []
    started = time.monotonic()
    status = 0
    try:
        with progress_line() as progress:
            _review(found, settings, results, progress, outcomes)
    except Interrupted as signalled:
        if not outcomes:
            raise
        status = 128 + signalled.number
    expected = sum(len(file.cases) for file in found)
    if status:
        hint = "" if results is None else "; the same command goes on from there"
        echo_err(f"wardround: interrupted after {len(outcomes)} of {expected} cases{hint}")
    options = {
        "profile": settings.profile.value, "only": ", ".join(settings.only), "skip": ", ".join(settings.skip),
        "all-rules": str(settings.all_rules).lower(), "rule-level": level,
    }  # fmt: skip
    return status, MeasuredSet(
        score=score(outcomes, level),
        source=", ".join(str(file.path) for file in found),
        settings=options,
        version=__version__,
        seconds=time.monotonic() - started,
        interrupted=expected if status else 0,
    )


def _review(
    found: list[CaseFile],
    settings: Settings,
    results: Path | None,
    progress: Callable[[str], None],
    outcomes: list[CaseOutcome],
) -> None:
    from wardround_lab.evaluation.resume_log import ResumeLog

    with ResumeLog.open(results, settings) as retained:
        for file in found:
            reviewed: list[CaseOutcome] = []
            try:
                _review_file(file, settings, retained, progress, reviewed)
            finally:
                order = {case.place: number for number, case in enumerate(file.cases)}
                outcomes += sorted(reviewed, key=lambda outcome: order[outcome.place])


def _review_file(
    item: CaseFile,
    settings: Settings,
    kept: ResumeLog,
    progress: Callable[[str], None],
    reviewed: list[CaseOutcome],
) -> None:
    """Append the outcome of each case of a file to a list."""
    from wardround_lab.evaluation import workers

    known = kept.known_outcomes(item.cases)
    if known:
        echo_err(f"{item.path}: {len(known)} of {len(item.cases)} cases were reviewed before")
    reviewed += known.values()

    def keep(case: Case, outcome: CaseOutcome) -> None:
        kept.append(case, outcome)
        reviewed.append(outcome)

    todo = item.cases.at(n for n, case in enumerate(item.cases) if case.place not in known)
    workers.review(todo, settings, item.path.stem, keep, progress)


def _write(form: str, path: Path | None, measured: MeasuredSet) -> None:
    from wardround_lab.evaluation.reports import render

    text = render(form, measured)
    if path is None:
        emit(text)
        return
    try:
        path.write_bytes(text.encode("utf-8", "backslashreplace"))
    except OSError as cause:
        raise UsageError(f"--format {form}={path}: {cause.strerror}; give another file") from cause


@command.command("regression")
@click.argument("folder", required=False, type=click.Path(path_type=Path), metavar="[FOLDER]")
@click.option("--profile", type=click.Choice(["commit", "ci"]), help="Use only cases of this profile.")
@_jobs
@click.option("--update", is_flag=True, help="Write the current findings into the cases, for review.")
def regression(folder: Path | None, profile: str | None, jobs: int | None, update: bool) -> int:
    """Review cases with exactly known findings, and print missing and unexpected ones.

    FOLDER holds *.jsonl files (default: evals/reviewer_regression of the repository). Exit status: 0 all as
    expected, 1 a difference, 4 a tool is missing or failed.
    """
    from wardround import host
    from wardround.tools.tool import Profile
    from wardround_lab.evaluation import regression as regressions
    from wardround_lab.evaluation.batch import Settings

    files = regressions.case_files(folder or regressions.default_folder(Path.cwd()))
    profiles = tuple(Profile) if profile is None else (Profile(profile),)
    settings = Settings(jobs=jobs or os.cpu_count() or 1)
    with progress_line() as progress:
        found = regressions.compare_cases(files, host.load(), settings, profiles, progress)
    emit(regressions.render(found))
    if update:
        for path in regressions.update(files, found):
            echo_err(
                f"{path}: its expected findings were rewritten; read the difference before you commit it"
            )
    if any(diff.wrong for diff in found):
        return 1
    return INCONCLUSIVE if any(diff.inconclusive for diff in found) else 0
