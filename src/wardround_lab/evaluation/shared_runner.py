"""Review many cases on one workbench: every tool runs once over the files of all cases.

Each case has a directory of its own in the private snapshot, which only the tools see: claims of files, the
checks, the comparison with the base and the processors use the paths of the case. A tool that follows imports
runs separately for each case of more than one file, so no case sees another.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from msgspec.structs import replace

from wardround.assignment.work_units import WorkUnit
from wardround.change.change_source import SideName
from wardround.change.repository_view import InMemoryRepository
from wardround.change.snapshot import Snapshot, scratch_root
from wardround.errors import ToolFailed
from wardround.execution.model import Results
from wardround.execution.review_side import ReviewSide
from wardround.execution.scheduler import Scheduler
from wardround.execution.tool_runner import ToolJob
from wardround.findings import RawFinding
from wardround.host import PluginHost
from wardround.storage.result_cache import ResultCache
from wardround.text.globs import matches
from wardround.tools.process import Processes
from wardround.tools.tool import Profile, Tool, ToolScope
from wardround_lab.evaluation.case_source import NOWHERE, CaseChangeSource

_TIMEOUT_S = 120.0
"""Seconds, for one run of a tool over hundreds of files."""
_FILES_PER_RUN = 400
_RETRIES = 40
"""Maximum number of repeated runs after a failure: enough to isolate three failing cases among two
hundred.
"""


@dataclass(slots=True)
class SideRequest:
    """Base or head of one case to be analysed, and its results."""

    number: int
    origin: CaseChangeSource
    side: ReviewSide
    units: Sequence[WorkUnit]
    results: Results = field(default_factory=Results)
    jobs: list[ToolJob] = field(default_factory=list)

    @property
    def folder(self) -> str:
        return f"c{self.number:06}"


class _NoSettings:
    """The configuration of a project that has none."""

    def read(self, path: str) -> str | None:
        return None

    def files_in(self, folder: str) -> Iterable[str]:
        return ()


class SharedRunner(Scheduler):
    """A workbench for many cases. It reads no configuration and caches nothing, so durations are
    realistic.
    """

    def __init__(
        self, host: PluginHost, profile: Profile, jobs: int, progress: Callable[[str], None]
    ) -> None:
        self._snapshot: Snapshot | None = None
        super().__init__(
            root=NOWHERE,
            profile=profile,
            trusted=_NoSettings(),
            cache=ResultCache(None),
            processes=Processes(),
            snapshot=self._open_snapshot,
            jobs=jobs,
            timeout_s=_TIMEOUT_S,
            is_secret=lambda rule: host.catalogue.rule(rule).masked,
            progress=progress,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None:
            self.processes.stop()
        self.clear()

    def clear(self) -> None:
        """Remove the files of the tools."""
        if self._snapshot is not None:
            self._snapshot.__exit__(None, None, None)
            self._snapshot = None

    def _open_snapshot(self) -> Snapshot:
        if self._snapshot is None:
            self._snapshot = Snapshot(scratch_root(Path.cwd()))
        return self._snapshot

    def run(self, requested: Sequence[SideRequest]) -> None:
        """Analyse base or head of many cases; the results are in their ``results``."""
        for request in requested:
            request.jobs = self.plan(request.side, request.units, request.results)
        alone = [
            (request, job) for request in requested for job in request.jobs if _follows_imports(request, job)
        ]
        apart = {id(job) for _, job in alone}
        shared = [(request, job) for request in requested for job in request.jobs if id(job) not in apart]
        runs = [_SharedRun(tuple(group)) for group in _groups(shared)]
        side = _MergedSide(requested)
        threads = self.tools.start(side, [run.job for run in runs]) if runs else []
        for request in requested:
            self.check(request.side, request.units, request.results)
        self.tools.wait(threads, [run.job for run in runs])
        for run in runs:
            self._settle(side, run)
        for request, job in alone:
            self._run_alone(request, job)
        for request in requested:
            self.conclude(request.jobs, request.results)

    def _settle(self, side: ReviewSide, run: _SharedRun) -> None:
        """Assign each case its results; after a failure, isolate the failing cases by bisection."""
        left = _RETRIES
        waiting = [run]
        while waiting:
            item = waiting.pop()
            if item.job.error is None or len(item.parts) == 1 or left < 2:
                item.give_back()
                continue
            half = len(item.parts) // 2
            halves = [_SharedRun(item.parts[:half]), _SharedRun(item.parts[half:])]
            left -= 2
            self.tools.work(side, self._open_snapshot(), [again.job for again in halves], threading.Lock())
            waiting += halves

    def _run_alone(self, item: SideRequest, job: ToolJob) -> None:
        """Run a tool in a directory that contains one case, as in a separate repository."""
        self.tools.wait(self.tools.start(_CaseSide(item), [job]), [job])


class _SharedRun:
    """One run of a tool over files of several cases."""

    def __init__(self, parts: Sequence[tuple[SideRequest, ToolJob]]) -> None:
        self.parts = parts
        first = parts[0][1]
        names = {f"{request.folder}/{p}": job.specialists[p] for request, job in parts for p in job.files}
        self.job = ToolJob(
            tool=first.tool,
            specialists=names,
            program=first.program,
            environment=first.environment,
            files=tuple(names),
            keys=dict.fromkeys(names, b""),
            requested=first.requested,
        )

    def give_back(self) -> None:
        """Distribute the results among the cases."""
        share = self.job.seconds / max(len(self.job.files), 1)
        for request, job in self.parts:
            stem = f"{request.folder}/"
            job.seconds = share * len(job.files)
            job.error = self.job.error and ToolFailed(str(self.job.error).replace(stem, ""))
            job.skipped = {
                path: self.job.skipped[stem + path] for path in job.files if stem + path in self.job.skipped
            }
            job.results = {
                path: [_restore_path(result, path) for result in self.job.results[stem + path]]
                for path in job.files
                if stem + path in self.job.results
            }


def _restore_path(result: RawFinding, path: str) -> RawFinding:
    """Return a result with the path of its file in the case."""
    fix = result.fix
    if fix is not None:
        fix = replace(fix, edits=tuple(replace(edit, file=path) for edit in fix.edits))
    return replace(result, file=path, fix=fix)


def _follows_imports(item: SideRequest, job: ToolJob) -> bool:
    """Return True if a tool may read other files of the case."""
    if job.tool.scope is not ToolScope.PROJECT:
        return False
    names = job.tool.project_files
    tree = item.origin.tree(_side_name(item.side))
    return sum(matches(path, names) for path in tree) > 1


def _groups(parts: Sequence[tuple[SideRequest, ToolJob]]) -> Iterator[list[tuple[SideRequest, ToolJob]]]:
    """Group jobs by tool, with a limited number of files each."""
    by_tool: dict[tuple[Tool, Path, Path | None, tuple[str, ...]], list[tuple[SideRequest, ToolJob]]] = {}
    for request, job in parts:
        by_tool.setdefault((job.tool, job.program, job.environment, job.requested), []).append((request, job))
    for group in by_tool.values():
        chunk: list[tuple[SideRequest, ToolJob]] = []
        for part in group:
            chunk.append(part)
            if sum(len(job.files) for _, job in chunk) >= _FILES_PER_RUN:
                yield chunk
                chunk = []
        if chunk:
            yield chunk


class _MergedSide(ReviewSide):
    """Base or head of all cases as the tools see it."""

    def __init__(self, requests: Sequence[SideRequest]) -> None:
        self.name = requests[0].side.name
        self.project = InMemoryRepository()
        self._by_folder = {request.folder: request for request in requests}

    def read(self, path: str) -> bytes | None:
        folder, _, rest = path.partition("/")
        return self._by_folder[folder].side.read(rest)

    def has_tracked(self, path: str) -> bool:
        return False

    def link_project(self, snapshot: Snapshot, room: str, patterns: tuple[str, ...]) -> None:
        """Link nothing: a tool that follows imports runs separately for a case of more than one file."""


class _CaseSide(ReviewSide):
    """Base or head of one case, in a directory of the snapshot that contains nothing else."""

    def __init__(self, request: SideRequest) -> None:
        self.name = f"{request.side.name}-{request.folder}"
        self.state = request.side.state
        self.layout = request.side.layout
        self.project = request.side.project
        self._request = request

    def read(self, path: str) -> bytes | None:
        return self._request.side.read(path)

    def has_tracked(self, path: str) -> bool:
        return self._request.side.has_tracked(path)

    def link_project(self, snapshot: Snapshot, room: str, patterns: tuple[str, ...]) -> None:
        """Write the files of the case by which a tool resolves imports."""
        tree = self._request.origin.tree(_side_name(self._request.side))
        for path, content in sorted(tree.items()):
            if matches(path, patterns):
                snapshot.write(room, path, content)


def _side_name(side: ReviewSide) -> SideName:
    return "base" if side.name.endswith("base") else "head"
