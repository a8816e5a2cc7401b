"""Runs of tools over files that are not in the cache: in parallel, in a private snapshot, with a timeout."""

from __future__ import annotations

import os
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from wardround.change.snapshot import Snapshot, alias_ending
from wardround.errors import PLUGIN_EXCEPTIONS, ToolFailed
from wardround.execution.model import replace_path
from wardround.execution.review_side import ReviewSide
from wardround.findings import PARSE_FAILURE_PREFIX, RawFinding
from wardround.tools.column_units import convert_positions
from wardround.tools.configuration import require_inside
from wardround.tools.process import Processes, minimal_env
from wardround.tools.proof import Proofs
from wardround.tools.tool import Invocation, Tool, ToolScope

_FILES_PER_RUN = 1000
_PROJECT_FILES_PER_RUN = 10_000
_ARGUMENT_BYTES = 1_000_000
_MAX_FUTILE_HALVINGS = 2
"""The number of times that the files of a failed tool are halved when it fails over each half."""


def sorted_results(results: Sequence[RawFinding]) -> list[RawFinding]:
    """Return the results for one file sorted by position, without duplicates.

    A tool that works in parallel prints them in another order, or twice, in each run.
    """
    return sorted(dict.fromkeys(results), key=lambda result: (result.span, result.code, result.message))


class ToolJob(msgspec.Struct):
    """A tool and its files that are not in the cache.

    Attributes:
        requested: the codes for all of the files.
        folder: the folder in which the program starts.
    """

    tool: Tool
    specialists: dict[str, str]
    program: Path
    environment: Path | None
    files: tuple[str, ...]
    keys: dict[str, bytes]
    requested: tuple[str, ...] = ()
    folder: str = ""
    seconds: float = 0.0
    results: dict[str, list[RawFinding]] = msgspec.field(default_factory=dict)
    skipped: dict[str, str] = msgspec.field(default_factory=dict)
    error: ToolFailed | None = None

    def sandbox_name(self, side: ReviewSide) -> str:
        """Return the room of the snapshot it runs in: the tools of each specialist see its files only.

        A file that one tool may read as its settings is then never reviewed by another.
        """
        return f"{side.name}-{next(iter(self.specialists.values()))}"


def _halves(job: ToolJob) -> list[ToolJob]:
    """Split a job into two with half of its files each; none if it has one file."""
    middle = len(job.files) // 2
    halves = (job.files[:middle], job.files[middle:]) if middle else ()
    return [replace(job, files=files, error=None) for files in halves]


def timeout_for(tool: Tool, sizes: Sequence[int]) -> float:
    """The seconds a tool may take over files of these sizes in bytes, where the user does not set them."""
    return tool.timeout_s * max(1.0, len(sizes) / tool.files_in_time, sum(sizes) / tool.bytes_in_time)


def batch_paths(paths: Sequence[str], tool: Tool) -> Iterable[list[str]]:
    """Split files into runs: not too many files, and no longer than an argument list may be."""
    limit = tool.files_per_run or (_FILES_PER_RUN if tool.scope is ToolScope.FILE else _PROJECT_FILES_PER_RUN)
    batch: list[str] = []
    size = 0
    for path in paths:
        if batch and (len(batch) == limit or size > _ARGUMENT_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(path)
        size += len(path) * 4 + 16
    if batch:
        yield batch


class ToolRunner:
    """The threads that run tools, never more at once than allowed.

    Args:
        max_parallel: how many tools may run at once.
        timeout_s: for one run, overrides that of the tool.
        snapshot: makes the private folder, when the first tool must run.
        config_for: the configuration files, text by name, that apply to a tool at a path.
        progress: called with the names of tools that the review waits for.
    """

    def __init__(
        self,
        processes: Processes,
        snapshot: Callable[[], Snapshot],
        max_parallel: int,
        timeout_s: float | None,
        config_for: Callable[[Tool, str], Mapping[str, str]],
        progress: Callable[[str], None],
    ) -> None:
        self._processes = processes
        self._snapshot = snapshot
        self._max_parallel = max_parallel
        self._timeout_s = timeout_s
        self._config_for = config_for
        self._progress = progress
        self._proofs = Proofs(processes, lambda: snapshot().folder)

    def start(self, side: ReviewSide, jobs: Sequence[ToolJob]) -> list[threading.Thread]:
        """Put files into the snapshot and start the threads."""
        if not jobs:
            return []
        try:
            snapshot = self._snapshot()
            self._fill(side, snapshot, jobs)
        except OSError as cause:
            for job in jobs:
                job.error = ToolFailed(f"the snapshot cannot be written: {cause.strerror or cause}")
            return []
        # The slowest first, so that none runs alone at the end.
        possible = [job for job in jobs if job.error is None]
        pending = sorted(possible, key=lambda job: -job.tool.typical_s)
        lock = threading.Lock()
        threads = [
            threading.Thread(target=self.work, args=(side, snapshot, pending, lock), daemon=True)
            for _ in range(min(self._max_parallel, len(jobs)))
        ]
        for thread in threads:
            thread.start()
        return threads

    def _fill(self, side: ReviewSide, snapshot: Snapshot, jobs: Sequence[ToolJob]) -> None:
        for job in jobs:  # the first version written stays: no file under review replaces settings
            self._write_settings(side, snapshot, job)
        written = ((job.sandbox_name(side), path, job.tool.endings) for job in jobs for path in job.files)
        for room, path, endings in dict.fromkeys(written):
            content = side.read(path)
            if content is not None:
                snapshot.write_as(room, alias_ending(path, endings), content)
        linked: dict[str, set[str]] = defaultdict(set)
        for job in jobs:
            linked[job.sandbox_name(side)].update(job.tool.project_files)
        for room, names in linked.items():
            if names:
                side.link_project(snapshot, room, tuple(sorted(names)))

    def _write_settings(self, side: ReviewSide, snapshot: Snapshot, job: ToolJob) -> None:
        """Write the settings of a tool for each folder with files of its job."""
        room = job.sandbox_name(side)
        folders = {path.rpartition("/")[0]: path for path in job.files}
        for path in folders.values():
            for name, text in self._config_for(job.tool, path).items():
                if name.startswith("../"):
                    snapshot.write_above(room, name[3:], text)
                elif job.error is None:
                    job.error = _objection_to(job.tool, name, text)
                    snapshot.write(room, name, text.encode("utf-8", "surrogateescape"))

    def work(
        self, side: ReviewSide, snapshot: Snapshot, pending: list[ToolJob], lock: threading.Lock
    ) -> None:
        while True:
            with lock:
                if not pending:
                    return
                job = pending.pop(0)
            started = time.monotonic()
            try:
                self._proofs.require(job.tool, job.program)
            except ToolFailed as failure:
                job.error = failure
                continue
            self._run_job(side, snapshot, job)
            if job.error is not None and (job.tool.scope is ToolScope.FILE or job.tool.files_per_run):
                self._bisect_failures(side, snapshot, job)
            job.seconds = time.monotonic() - started

    def _run_job(self, side: ReviewSide, snapshot: Snapshot, job: ToolJob) -> None:
        try:
            job.results = self._run(side, snapshot, job)
        except ToolFailed as failure:
            job.error = failure
        except SyntaxError as cause:  # of a file that must be parsed to find what the tool reviews
            reason = f"{PARSE_FAILURE_PREFIX}: line {cause.lineno or 1}: {cause.msg}"
            job.error = ToolFailed(reason)
        except PLUGIN_EXCEPTIONS as cause:
            job.error = ToolFailed(f"its output could not be read: {type(cause).__name__}: {cause}")

    def _bisect_failures(self, side: ReviewSide, snapshot: Snapshot, job: ToolJob) -> None:
        """Find the files that a tool fails over, so that only they are unreviewed."""
        failing, passed = self._bisect(side, snapshot, job)
        if not passed:
            return
        job.error = None
        for piece in passed:
            job.results |= piece.results
            job.skipped |= piece.skipped
        for piece in failing:
            job.skipped |= dict.fromkeys(piece.files, str(piece.error))

    def _bisect(
        self, side: ReviewSide, snapshot: Snapshot, job: ToolJob
    ) -> tuple[list[ToolJob], list[ToolJob]]:
        """Return the parts of a job that fail, and those that pass.

        Failed runs are repeated by halves, for as long as the tool may take once. They are soon given up if
        no half
        passes: then the tool fails over any file.
        """
        failing, passed, futile = [job], list[ToolJob](), 0
        stop = time.monotonic() + self._seconds_for(snapshot.side(job.sandbox_name(side)), job)
        while futile < _MAX_FUTILE_HALVINGS and time.monotonic() < stop:
            halves = [half for piece in failing for half in _halves(piece)]
            if not halves:
                break
            failing = [piece for piece in failing if len(piece.files) == 1]
            futile += 1
            for half in halves:
                self._run_job(side, snapshot, half)
                if half.error is not None:
                    failing.append(half)
                else:
                    passed.append(half)
                    futile = 0
        return failing, passed

    def _run(self, side: ReviewSide, snapshot: Snapshot, job: ToolJob) -> dict[str, list[RawFinding]]:
        tool = job.tool
        names = {alias_ending(path, tool.endings): path for path in job.files}
        root = snapshot.side(job.sandbox_name(side))
        run = Invocation(
            job.program, root, tuple(names), job.environment, snapshot.home, job.requested, job.folder
        )
        missing = [name for name in names if not (root / name).is_file()]
        if missing:
            raise ToolFailed(f"{names[missing[0]]} was not in the snapshot")
        relative_paths = _folder_remover(root, snapshot.folder)
        try:
            output = self._processes.capture(
                tool.command(run),
                cwd=root / job.folder,
                timeout_s=self._seconds_for(root, job),
                clean=tool.success_codes,
                env=minimal_env(job.program, snapshot.home, tool.variables),
            )
        except ToolFailed as failure:  # it may name the snapshot, which differs in every run
            raise ToolFailed(relative_paths(str(failure))) from failure
        try:
            skipped = tool.skipped_files(output.err, run)
            reported = tool.parse(output.out, run) if len(skipped) < len(names) else []
            unparsed = tool.unparsed_files(output.out, run) if len(skipped) < len(names) else {}
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError) as cause:
            raise ToolFailed(f"its output could not be read: {cause}") from cause
        job.skipped = {names[name]: reason for name, reason in skipped.items()}
        found: dict[str, list[RawFinding]] = {path: [] for path in job.files if path not in job.skipped}
        job.skipped |= {names[name]: reason for name, reason in unparsed.items()}
        for result in reported:
            path = names[result.file]
            finding = replace(replace_path(result, path), message=relative_paths(result.message))
            if tool.holds(finding, side.project):
                found[path].append(finding)
        for path, results in found.items():
            if results:
                found[path] = convert_positions(sorted_results(results), side.read(path) or b"", tool)
        return found

    def _seconds_for(self, root: Path, job: ToolJob) -> float:
        """Return the time in seconds that a tool may take over files in the snapshot."""
        if self._timeout_s:
            return self._timeout_s
        files = (root / alias_ending(path, job.tool.endings) for path in job.files)
        return timeout_for(job.tool, [file.stat().st_size for file in files if file.is_file()])

    def wait(self, threads: Sequence[threading.Thread], jobs: Sequence[ToolJob]) -> None:
        started = time.monotonic()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                if time.monotonic() - started > 1.0:
                    busy = sorted({job.tool.name for job in jobs if not job.seconds})
                    self._progress(f"waiting for {', '.join(busy)}")


def _folder_remover(root: Path, folder: Path) -> Callable[[str], str]:
    """Return a function that turns paths of a private snapshot into those of the repository."""
    named, real = str(folder), os.path.realpath(folder)

    def remove_folders(text: str) -> str:
        if named not in text:
            text = text.replace(real, named)  # a tool that follows links prints their targets
        return text.replace(f"{root}/", "").replace(named, "snapshot")

    return remove_folders


def _objection_to(tool: Tool, path: str, text: str) -> ToolFailed | None:
    try:
        require_inside(tool, path, text)
    except ToolFailed as failure:
        return failure
    return None
