"""Runs of tools over files that are not in the cache: side by side, in a private snapshot, with a timeout."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec.structs import replace

from wardround.analysis.units import Side
from wardround.change.snapshot import Snapshot, alias
from wardround.errors import PLUGIN_FAULTS, ToolFailed
from wardround.findings import RawResult
from wardround.tools.columns import in_code_points
from wardround.tools.process import Processes, bare_environment
from wardround.tools.tool import Columns, Invocation, Scope, Tool

_FILES_PER_RUN = 1000
_PROJECT_FILES_PER_RUN = 10_000
_ARGUMENT_BYTES = 1_000_000
_TRIED_IN_VAIN = 2
"""How often the files a tool fails over are halved when it fails over each half."""


class Job(msgspec.Struct):
    """A tool and the files of it that are not in the cache."""

    tool: Tool
    specialists: dict[str, str]
    program: Path
    environment: Path | None
    files: tuple[str, ...]
    keys: dict[str, bytes]
    seconds: float = 0.0
    results: dict[str, list[RawResult]] = msgspec.field(default_factory=dict)
    passed_over: dict[str, str] = msgspec.field(default_factory=dict)
    trouble: ToolFailed | None = None

    def room(self, side: Side) -> str:
        """Where in the snapshot it works: each specialist's tools see what is theirs to review, and no more.

        A file that one of them may read as its settings is then never the one another has under review.
        """
        return f"{side.name}-{next(iter(self.specialists.values()))}"


def _halves(job: Job) -> list[Job]:
    """A job's files in two jobs; none if it has one file."""
    middle = len(job.files) // 2
    halves = (job.files[:middle], job.files[middle:]) if middle else ()
    return [replace(job, files=files, trouble=None) for files in halves]


def chunks(paths: Sequence[str], scope: Scope) -> Iterable[list[str]]:
    """Files for one run each: not too many, and no longer than an argument list may be."""
    limit = _FILES_PER_RUN if scope is Scope.FILE else _PROJECT_FILES_PER_RUN
    chunk: list[str] = []
    size = 0
    for path in paths:
        if chunk and (len(chunk) == limit or size > _ARGUMENT_BYTES):
            yield chunk
            chunk, size = [], 0
        chunk.append(path)
        size += len(path) * 4 + 16
    if chunk:
        yield chunk


class Crew:
    """The workers that run tools, never more at once than there are places.

    Args:
        places: how many tools may run at once.
        timeout_s: for one run, in place of the tool's own.
        snapshot: makes the private folder, when the first tool must run.
        config_for: the configuration files, text by name, that count for a tool at a path.
        progress: told what is being waited for.
    """

    def __init__(
        self,
        processes: Processes,
        snapshot: Callable[[], Snapshot],
        places: int,
        timeout_s: float | None,
        config_for: Callable[[Tool, str], Mapping[str, str]],
        progress: Callable[[str], None],
    ) -> None:
        self._processes = processes
        self._snapshot = snapshot
        self._places = places
        self._timeout_s = timeout_s
        self._config_for = config_for
        self._progress = progress

    def start(self, side: Side, jobs: Sequence[Job]) -> list[threading.Thread]:
        """Put files into the snapshot and start the workers."""
        if not jobs:
            return []
        try:
            snapshot = self._snapshot()
            self._fill(side, snapshot, jobs)
        except OSError as cause:
            for job in jobs:
                job.trouble = ToolFailed(f"the snapshot cannot be written: {cause.strerror or cause}")
            return []
        # The slowest first, so that none is left running alone at the end.
        waiting = sorted(jobs, key=lambda job: -job.tool.typical_s)
        lock = threading.Lock()
        threads = [
            threading.Thread(target=self.work, args=(side, snapshot, waiting, lock), daemon=True)
            for _ in range(min(self._places, len(jobs)))
        ]
        for thread in threads:
            thread.start()
        return threads

    def _fill(self, side: Side, snapshot: Snapshot, jobs: Sequence[Job]) -> None:
        for job in jobs:  # what is written first stays: no file under review takes the place of settings
            folders = {path.rpartition("/")[0]: path for path in job.files}
            for path in folders.values():
                for name, text in self._config_for(job.tool, path).items():
                    if name.startswith("../"):
                        snapshot.write_above(job.room(side), name[3:], text)
                    else:
                        snapshot.write(job.room(side), name, text.encode("utf-8", "surrogateescape"))
        for room, path in dict.fromkeys((job.room(side), path) for job in jobs for path in job.files):
            content = side.read(path)
            if content is not None:
                snapshot.write(room, path, content)
        linked: dict[str, set[str]] = defaultdict(set)
        for job in jobs:
            linked[job.room(side)].update(job.tool.project_files)
        for room, names in linked.items():
            if names:
                side.link(snapshot, room, tuple(sorted(names)))

    def work(self, side: Side, snapshot: Snapshot, waiting: list[Job], lock: threading.Lock) -> None:
        while True:
            with lock:
                if not waiting:
                    return
                job = waiting.pop(0)
            started = time.monotonic()
            self._do(side, snapshot, job)
            if job.trouble is not None and job.tool.scope is Scope.FILE:
                self._save_what_can_be(side, snapshot, job)
            job.seconds = time.monotonic() - started

    def _do(self, side: Side, snapshot: Snapshot, job: Job) -> None:
        try:
            job.results = self._run(side, snapshot, job)
        except ToolFailed as trouble:
            job.trouble = trouble
        except PLUGIN_FAULTS as cause:
            job.trouble = ToolFailed(f"its output could not be read: {type(cause).__name__}: {cause}")

    def _save_what_can_be(self, side: Side, snapshot: Snapshot, job: Job) -> None:
        """Find the files a tool stumbles over, so that they alone are unreviewed.

        What failed is tried again by halves, for as long as the tool may take once. It is not tried for long
        where nothing passes: then it fails whatever it is given.
        """
        failing, passed, in_vain = [job], list[Job](), 0
        stop = time.monotonic() + (self._timeout_s or job.tool.timeout_s)
        while in_vain < _TRIED_IN_VAIN and time.monotonic() < stop:
            halves = [half for piece in failing for half in _halves(piece)]
            if not halves:
                break
            for half in halves:
                self._do(side, snapshot, half)
            alone = [piece for piece in failing if len(piece.files) == 1]
            failing = alone + [half for half in halves if half.trouble is not None]
            in_vain = in_vain + 1 if len(failing) == len(alone) + len(halves) else 0
            passed += [half for half in halves if half.trouble is None]
        if not passed:
            return
        job.trouble = None
        for piece in passed:
            job.results |= piece.results
            job.passed_over |= piece.passed_over
        for piece in failing:
            job.passed_over |= dict.fromkeys(piece.files, str(piece.trouble))

    def _run(self, side: Side, snapshot: Snapshot, job: Job) -> dict[str, list[RawResult]]:
        tool = job.tool
        names = {alias(path): path for path in job.files}
        root = snapshot.side(job.room(side))
        run = Invocation(job.program, root, tuple(names), job.environment, snapshot.home)
        lost = [name for name in names if not (root / name).is_file()]
        if lost:
            raise ToolFailed(f"{names[lost[0]]} was not in the snapshot")
        try:
            printed = self._processes.printed_by(
                tool.command(run),
                cwd=root,
                timeout_s=self._timeout_s or tool.timeout_s,
                clean=tool.clean,
                env=bare_environment(job.program, snapshot.home, tool.variables),
            )
        except ToolFailed as trouble:  # it may name the snapshot, which is another in each run
            text = str(trouble).replace(f"{root}/", "").replace(str(snapshot.folder), "snapshot")
            raise ToolFailed(text) from trouble
        try:
            skipped = tool.passed_over(printed.err, run) if tool.passed_over is not None else {}
            spoken = tool.parse(printed.out, run) if len(skipped) < len(names) else []
        except (msgspec.MsgspecError, UnicodeDecodeError, ValueError) as cause:
            raise ToolFailed(f"its output could not be read: {cause}") from cause
        job.passed_over = {names[name]: reason for name, reason in skipped.items()}
        found: dict[str, list[RawResult]] = {path: [] for path in job.files if path not in job.passed_over}
        for result in spoken:
            path = names[result.file]
            found[path].append(_with_path(result, path, result.file))
        if tool.columns is not Columns.CODE_POINTS:
            for path, results in found.items():
                found[path] = in_code_points(results, side.read(path) or b"", tool.columns)
        return found

    def wait(self, threads: Sequence[threading.Thread], jobs: Sequence[Job]) -> None:
        started = time.monotonic()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                if time.monotonic() - started > 1.0:
                    busy = sorted({job.tool.name for job in jobs if not job.seconds})
                    self._progress(f"waiting for {', '.join(busy)}")


def _with_path(result: RawResult, path: str, name: str) -> RawResult:
    if path == name:
        return result
    fix = result.fix
    if fix is not None:
        fix = replace(fix, edits=tuple(replace(edit, file=path) for edit in fix.edits))
    return replace(result, file=path, fix=fix)
