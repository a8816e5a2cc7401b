"""Reports of runs in a folder: of ``wardround test``, ``wardround behaviour`` and ``wardround review``."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wardround.context.run_evidence import BehaviourRun, RunEvidence
from wardround.text.escaping import one_line
from wardround.workflows.test.reports.artifacts import REPORT
from wardround.workflows.test.reports.evidence import evidence_of
from wardround.workflows.test.reports.report import SCHEMA, TestReport
from wardround_lab.dashboard.views.recorded_run import RecordedRun, utc_time

MOST = 200
"""Files that are read, the newest ones."""
_LARGEST = 64 * 2**20
_KIND = "wardround.test-report/"


class RunFiles(msgspec.Struct, frozen=True):
    """The runs in a folder.

    Attributes:
        problems: one sentence for each file that cannot be read.
        left: the number of older files that were not read.
    """

    runs: tuple[RecordedRun, ...] = ()
    problems: tuple[str, ...] = ()
    left: int = 0


class _Unreadable(Exception):
    """A file is not the report that its name and form promise; the message is the reason."""


class _Form(msgspec.Struct, frozen=True):
    """The parts that tell the kinds of reports apart."""

    schema: str = ""
    conditions: msgspec.Raw = msgspec.Raw()
    run: msgspec.Raw = msgspec.Raw()


class _ReviewContext(msgspec.Struct, frozen=True):
    base: str = ""
    head: str = ""


class _Review(msgspec.Struct, frozen=True):
    """A report of ``wardround review --run --format json``."""

    run: dict[str, Any]
    context: _ReviewContext = _ReviewContext()


class _ReportFile(msgspec.Struct, frozen=True):
    """A file that may be a report."""

    path: Path
    name: str
    modified_ns: int
    size: int

    def content(self) -> bytes:
        """Return its bytes.

        Raises:
            _Unreadable: it is too large, or cannot be read.
        """
        if self.size > _LARGEST:
            raise _Unreadable(f"it is larger than {_LARGEST >> 20} MiB; remove it")
        try:
            return self.path.read_bytes()
        except OSError as cause:
            raise _Unreadable(f"{cause.strerror}; change its permissions or remove it") from cause

    def run(self, evidence: RunEvidence, base: str = "", head: str = "") -> RecordedRun:
        """Return the run that it reports."""
        created = utc_time(self.modified_ns / 1e9)
        return RecordedRun(
            key=f"file/{self.name}",
            origin=self.name,
            created=created,
            evidence=evidence,
            base=base,
            head=head,
        )


def run_files(folder: Path) -> RunFiles:
    """Return the runs of the newest reports in a folder and in the folders in it, the newest first.

    Other files, links and folders are ignored; a missing folder has no runs.
    """
    found = sorted(_json_files(folder), key=lambda file: (-file.modified_ns, file.name))
    runs, problems = list[RecordedRun](), list[str]()
    for file in found[:MOST]:
        try:
            runs += _runs_in(file)
        except _Unreadable as cause:
            problems.append(f"{one_line(file.name)}: {cause}")
    return RunFiles(tuple(_without_copy(runs)), tuple(problems), max(0, len(found) - MOST))


def _without_copy(runs: Sequence[RecordedRun]) -> Iterator[RecordedRun]:
    """Leave out the report that the next run replaces, if a file of another name has it too."""
    others = [run.report for run in runs if run.origin != REPORT]
    for run in runs:
        if run.origin != REPORT or run.report not in others:
            yield run


def _json_files(folder: Path, prefix: str = "") -> Iterator[_ReportFile]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False) and not prefix:
            yield from _json_files(folder / entry.name, f"{entry.name}/")
        elif entry.is_file(follow_symlinks=False) and entry.name.endswith(".json"):
            state = entry.stat(follow_symlinks=False)
            yield _ReportFile(Path(entry.path), prefix + entry.name, state.st_mtime_ns, state.st_size)


def _runs_in(file: _ReportFile) -> Iterator[RecordedRun]:
    """Yield the run of a report; none of a file of another kind, or of one that is still empty."""
    content = file.content()
    if not content.strip():
        return
    try:
        run = _run_of(content, file)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as cause:
        raise _Unreadable(f"it is not a report of this version ({cause}); run the command again") from cause
    if run is not None:
        yield run


def _run_of(content: bytes, file: _ReportFile) -> RecordedRun | None:
    try:
        form = msgspec.json.decode(content, type=_Form)
    except msgspec.ValidationError:
        return None  # JSON of another kind
    if form.schema.startswith(_KIND):
        return _test_run(content, form.schema, file)
    if form.conditions:
        return file.run(RunEvidence(behaviour=msgspec.json.decode(content, type=BehaviourRun)))
    return _reviewed_run(content, file) if form.run and form.schema else None


def _test_run(content: bytes, schema: str, file: _ReportFile) -> RecordedRun:
    if schema != SCHEMA:
        raise _Unreadable(f"it has the schema {one_line(schema)}, not {SCHEMA}; upgrade wardround")
    report = msgspec.json.decode(content, type=TestReport)
    run = file.run(RunEvidence(tests=evidence_of(report)), report.base, report.head)
    return msgspec.structs.replace(run, report=report)


def _reviewed_run(content: bytes, file: _ReportFile) -> RecordedRun:
    review = msgspec.json.decode(content, type=_Review)
    parts = {name: part for name, part in review.run.items() if name != "counts"}
    return file.run(msgspec.convert(parts, RunEvidence), review.context.base, review.context.head)
