"""Running every specialist's tools and checks over one side of a change.

Tools run side by side, never more than there are workers; the checks of our own run meanwhile in this thread.
Whatever did not run as expected makes its files *unreviewed*. Answers are cached by everything they depend
on, so only what was never seen costs anything.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import msgspec
from msgspec.structs import replace

from wardround import __version__
from wardround.change.origin import decoded
from wardround.change.snapshot import Snapshot, alias
from wardround.checks import Project, Source
from wardround.errors import ToolFailed
from wardround.findings import DOES_NOT_PARSE, RawResult, ToolRun, Unreviewed
from wardround.late import Late, LatePattern
from wardround.models import Models, NoModels
from wardround.specialists import Specialist
from wardround.tools.columns import in_code_points
from wardround.tools.process import Processes, bare_environment, find_program
from wardround.tools.result_cache import ResultCache, key
from wardround.tools.tool import Columns, Invocation, Profile, Scope, Tool
from wardround.tools.version import file_state, tool_version

_FILES_PER_RUN = 1000
_PROJECT_FILES_PER_RUN = 10_000
_ARGUMENT_BYTES = 1_000_000
_TOKEN_LIKE = LatePattern(r"[A-Za-z0-9_-]{20,}")


class Unit(msgspec.Struct, frozen=True):
    """One file of one side, for one specialist.

    Attributes:
        digest: of the content.
        base_digest: of the content a check may compare with; empty where there is none.
        scored: whether its checks may ask models.
    """

    path: str
    specialist: Specialist
    digest: bytes
    options: Any = None
    base_digest: bytes = b""
    scored: bool = True


class Desk(Protocol):
    """Lends the models of a review to the checks of a specialist."""

    def identity(self, unit: Unit) -> str:
        """What an answer depends on that is given with the models lent for a file."""

    def look(self, unit: Unit, run: Callable[[Models], list[RawResult]]) -> tuple[list[RawResult], bool]:
        """Run checks with models, and without one that fails meanwhile.

        Returns:
            What they said, and whether they would say the same again with the models as they are now.
        """


class Side(msgspec.Struct, frozen=True):
    """One side of the change, as the tools are to see it.

    Attributes:
        name: ``head`` or ``base``.
        read: content by path, of files that are under review.
        state: what identifies the whole project on this side; None if nothing does.
        layout: the names in the folders where tools look for first-party modules.
        has: whether a path exists on this side.
        project: what checks may ask about other files.
        link: completes a room of a snapshot with the rest of the project, for files of these names.
        base_text: the text a path had before the change, for checks that compare.
        is_added: whether the change brought a line of a path; on the base side, whether it is there.
        desk: lends models; None in a review without them.
        added_lines: the lines it brought to a path that has so many, in order; on the base side all.
        changed: the paths the change touches, as this side has them.
    """

    name: str
    read: Callable[[str], bytes | None]
    state: str | None
    layout: str
    has: Callable[[str], bool]
    project: Project
    link: Callable[[Snapshot, str, tuple[str, ...]], None]
    base_text: Callable[[str], str | None]
    is_added: Callable[[str, int], bool]
    added_lines: Callable[[str, int], Iterable[int]]
    desk: Desk | None = None
    changed: frozenset[str] = frozenset()


Reviewer = Tool | Specialist
"""Who says something about a file: a tool, or a specialist by the checks of its own."""


def reviewers_of(specialist: Specialist) -> tuple[Reviewer, ...]:
    """Who speaks for a specialist: its own checks, then its tools, then those it borrows."""
    return (specialist, *specialist.tools, *specialist.borrows)


class Results(msgspec.Struct):
    """What was said about one side, by (reviewer, path), and what was not looked at."""

    by_file: dict[tuple[Reviewer, str], list[RawResult]] = msgspec.field(default_factory=dict)
    unreviewed: list[Unreviewed] = msgspec.field(default_factory=list)
    runs: list[ToolRun] = msgspec.field(default_factory=list)
    fresh: dict[bytes, tuple[str, list[RawResult]]] = msgspec.field(default_factory=dict)

    def of(self, reviewer: Reviewer, path: str) -> list[RawResult] | None:
        """The results of a reviewer for a file; None if it did not look at it."""
        return self.by_file.get((reviewer, path))

    def named(self, name: str, path: str) -> bool:
        """Whether a reviewer of this name looked at a file."""
        return any(reviewer.name == name and path == where for reviewer, where in self.by_file)


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


class Workbench:
    """What running needs beside the files: trusted configuration, cache, processes, limits.

    Args:
        trusted: text of a configuration file by path, from the side whose configuration counts.
        snapshot: makes the private folder, when the first tool must run.
        is_secret: whether a rule, by its id, is about a secret.
        progress: told what is being waited for.
    """

    def __init__(
        self,
        *,
        root: Path,
        profile: Profile,
        trusted: Callable[[str], str | None],
        cache: ResultCache,
        processes: Processes,
        snapshot: Callable[[], Snapshot],
        jobs: int,
        timeout_s: float | None,
        is_secret: Callable[[str], bool],
        progress: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.is_secret = is_secret
        self.root = root
        self.profile = profile
        self.trusted = trusted
        self.cache = cache
        self.processes = processes
        self.snapshot = snapshot
        self.jobs = jobs
        self.timeout_s = timeout_s
        self.progress = progress
        self._configs: dict[tuple[Tool, str], dict[str, str]] = {}
        self._config_keys: dict[tuple[Tool, str], bytes] = {}

    def review(
        self, side: Side, units: Sequence[Unit], meanwhile: Callable[[], None] = lambda: None
    ) -> Results:
        """Run all tools of the profile and all checks over the units of one side.

        Args:
            meanwhile: what else there is to do while the tools run.
        """
        results = Results()
        jobs = self.plan(side, units, results)
        threads = self._start(side, jobs)
        self.check(side, units, results)
        meanwhile()
        self._wait(threads, jobs)
        self.conclude(jobs, results)
        return results

    def plan(self, side: Side, units: Sequence[Unit], results: Results) -> list[Job]:
        """What the tools of the profile have to look at, without what is known already."""
        jobs: list[Job] = []
        for tool, looked_at in _by_tool(units).items():
            if self.profile in tool.profiles:
                jobs += self._prepare(side, tool, looked_at, results)
        return jobs

    def check(self, side: Side, units: Sequence[Unit], results: Results) -> None:
        """Run the checks of our own."""
        by_specialist: dict[str, list[Unit]] = defaultdict(list)
        for unit in units:
            by_specialist[unit.specialist.name].append(unit)
        for name in sorted(by_specialist):
            self._run_checks(side, by_specialist[name], results)

    def conclude(self, jobs: Sequence[Job], results: Results) -> None:
        """Take over what the jobs came to."""
        for job in jobs:
            self._finish(job, results)
        self._keep(jobs, results)
        results.runs = _summed(results.runs)

    # Tools

    def _prepare(self, side: Side, tool: Tool, units: Sequence[Unit], results: Results) -> list[Job]:
        """Take from the cache what is there; the rest is work to be done."""
        if tool.wanted is not None:
            wanted = tool.wanted
            units = [u for u in units if wanted(u.options, u.path, decoded(side.read(u.path) or b"") or "")]
        if tool.takes is not None:
            takes = tool.takes
            units = [u for u in units if takes(u.path, decoded(side.read(u.path) or b"") or "")]
        if not units:
            return []
        program = self._program(side, tool)
        if program is None:
            reason = f"{tool.program} is not installed; {tool.install}"
            missing = [Unreviewed(u.path, u.specialist.name, tool.name, reason) for u in units]
            results.unreviewed += [] if tool.optional else missing
            return []
        environment = self._environment(side, tool, units[0])
        version = tool_version(tool, program)
        common = self._common_key(side, tool, program, environment)
        keys = {
            u.path: common and key(common, self._config_key(tool, u.path), u.path, u.digest) for u in units
        }
        known = self.cache.get(k for k in keys.values() if k)
        todo = []
        for unit in units:
            found = known.get(keys[unit.path])
            if found is None and tool.can_match is not None:
                text = decoded(side.read(unit.path) or b"")
                found = None if text is None or tool.can_match(text) else []
            if found is None:
                todo.append(unit.path)
            else:
                results.by_file[tool, unit.path] = found
        results.runs.append(ToolRun(tool.name, version, len(units), len(units) - len(todo), 0.0))
        names = {unit.path: unit.specialist.name for unit in units}
        return [
            Job(tool, names, program, environment, tuple(chunk), {p: keys[p] for p in chunk})
            for chunk in _chunks(todo, tool.scope)
        ]

    def _program(self, side: Side, tool: Tool) -> Path | None:
        """The tool's program; never one under version control: what is reviewed must not choose programs."""
        found = find_program(tool.program) if tool.find is None else tool.find(self.root)
        if found is None or not found.is_relative_to(self.root):
            return found
        return None if side.has(found.relative_to(self.root).as_posix()) else found

    def _environment(self, side: Side, tool: Tool, unit: Unit) -> Path | None:
        """The project's virtual environment, unless it is itself under version control.

        A tool may start the interpreter it finds there, and what is under review must not choose programs.
        """
        find = unit.specialist.environment
        found = None if find is None or tool.scope is not Scope.PROJECT else find(self.root, unit.options)
        if found is None or not found.is_relative_to(self.root):
            return found
        inside = found.relative_to(self.root).as_posix()
        tracked = any(side.has(f"{inside}/{name}") for name in ("pyvenv.cfg", "bin/python", "bin/python3"))
        return None if tracked else found

    def _common_key(self, side: Side, tool: Tool, program: Path, environment: Path | None) -> bytes:
        """What the answers about all files depend on; empty if that cannot be said."""
        state = side.layout
        if tool.scope is Scope.PROJECT:
            if side.state is None:
                return b""
            state = side.state + _environment_state(environment)
        version = tool_version(tool, program)
        identity = tool.identity() if tool.identity else ""
        return key("tool", __version__, tool.name, version, file_state(program), state, identity)

    def _config_key(self, tool: Tool, path: str) -> bytes:
        """A digest of the configuration that counts for a path."""
        where = (tool, path.rpartition("/")[0])
        if where not in self._config_keys:
            items = self._config_for(tool, path).items()
            self._config_keys[where] = key(*(part for item in items for part in item))
        return self._config_keys[where]

    def _config_for(self, tool: Tool, path: str) -> dict[str, str]:
        """The tool's configuration files that count for a path, with those they refer to, trusted side."""
        folder = path.rpartition("/")[0]
        cached = self._configs.get((tool, folder))
        if cached is not None:
            return cached
        found = dict(self._config_for(tool, folder)) if folder else {}
        stem = f"{folder}/" if folder else ""
        waiting = [] if folder and tool.config_at_root else [stem + name for name in tool.config_names]
        while waiting:
            name = waiting.pop(0)
            text = None if name in found else self.trusted(name)
            if text is not None:
                found[name] = text
                waiting += tool.config_closure(name, text) if tool.config_closure else ()
        if tool.config_overlay:
            found |= tool.config_overlay(folder, found)
        if not folder and tool.fallback_config:
            name, text = tool.fallback_config(self.trusted)
            found["../" + name] = text
        self._configs[tool, folder] = found
        return found

    def _start(self, side: Side, jobs: Sequence[Job]) -> list[threading.Thread]:
        """Put files into the snapshot and start the workers."""
        if not jobs:
            return []
        try:
            snapshot = self.snapshot()
            self._fill(side, snapshot, jobs)
        except OSError as cause:
            for job in jobs:
                job.trouble = ToolFailed(f"the snapshot cannot be written: {cause.strerror or cause}")
            return []
        # The slowest first, so that none is left running alone at the end.
        waiting = sorted(jobs, key=lambda job: -job.tool.typical_s)
        lock = threading.Lock()
        threads = [
            threading.Thread(target=self._work, args=(side, snapshot, waiting, lock), daemon=True)
            for _ in range(min(self.jobs, len(jobs)))
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

    def _work(self, side: Side, snapshot: Snapshot, waiting: list[Job], lock: threading.Lock) -> None:
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
        except Exception as cause:  # noqa: BLE001  (a plugin's parser: anything can come out)
            job.trouble = ToolFailed(f"its output could not be read: {type(cause).__name__}: {cause}")

    def _save_what_can_be(self, side: Side, snapshot: Snapshot, job: Job) -> None:
        """Find the one file a tool stumbles over, so that it alone is unreviewed.

        Half of the files must pass each time: a tool that fails whatever it is given is not tried for long.
        """
        middle = len(job.files) // 2
        if not middle:
            return
        halves = [replace(job, files=some, trouble=None) for some in (job.files[:middle], job.files[middle:])]
        for half in halves:
            self._do(side, snapshot, half)
        failed = [half for half in halves if half.trouble is not None]
        if len(failed) == len(halves):
            return
        for half in failed:
            self._save_what_can_be(side, snapshot, half)
        job.trouble = None
        for half in halves:
            job.results |= half.results
            job.passed_over |= half.passed_over
            if half.trouble is not None:
                job.passed_over |= dict.fromkeys(half.files, str(half.trouble))

    def _run(self, side: Side, snapshot: Snapshot, job: Job) -> dict[str, list[RawResult]]:
        tool = job.tool
        names = {alias(path): path for path in job.files}
        root = snapshot.side(job.room(side))
        run = Invocation(job.program, root, tuple(names), job.environment, snapshot.home)
        lost = [name for name in names if not (root / name).is_file()]
        if lost:
            raise ToolFailed(f"{names[lost[0]]} was not in the snapshot")
        try:
            printed = self.processes.printed_by(
                tool.command(run),
                cwd=root,
                timeout_s=self.timeout_s or tool.timeout_s,
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

    def _wait(self, threads: Sequence[threading.Thread], jobs: Sequence[Job]) -> None:
        started = time.monotonic()
        for thread in threads:
            while thread.is_alive():
                thread.join(0.1)
                if time.monotonic() - started > 1.0:
                    busy = sorted({job.tool.name for job in jobs if not job.seconds})
                    self.progress(f"waiting for {', '.join(busy)}")

    def _finish(self, job: Job, results: Results) -> None:
        if job.trouble is not None:
            reason = str(job.trouble)
            results.unreviewed += [
                Unreviewed(path, job.specialists[path], job.tool.name, reason) for path in job.files
            ]
            return
        results.unreviewed += [
            Unreviewed(path, job.specialists[path], job.tool.name, reason)
            for path, reason in sorted(job.passed_over.items())
        ]
        for path, found in job.results.items():
            results.by_file[job.tool, path] = found
        version = tool_version(job.tool, job.program)
        results.runs.append(ToolRun(job.tool.name, version, 0, 0, job.seconds))

    def _keep(self, jobs: Sequence[Job], results: Results) -> None:
        """Put what was said into the cache, but nothing about files in which a tool sees a secret."""
        telling = {
            path
            for (reviewer, path), found in results.by_file.items()
            if any(
                self.is_secret(f"{reviewer.name}/{result.code}") or _may_quote_a_secret(result)
                for result in found
            )
        }
        for job in jobs:
            kept = {
                job.keys[p]: found for p, found in job.results.items() if job.keys[p] and p not in telling
            }
            self.cache.put(kept)
        self.cache.put({name: found for name, (path, found) in results.fresh.items() if path not in telling})

    # Checks of our own

    def _run_checks(self, side: Side, units: Sequence[Unit], results: Results) -> None:
        specialist = units[0].specialist
        if specialist.checks == ():
            return
        started = time.monotonic()
        identity = "" if side.state is None else _code_identity(specialist)
        desk = side.desk
        # The state of the head says what the change touches; that of the base, a commit, does not.
        touched = b"" if side.name == "head" else key(*sorted(side.changed))
        keys = {
            u.path: key("checks", __version__, identity, side.state or "", touched, repr(u.options), u.path,
                        u.digest, u.base_digest, "" if desk is None else desk.identity(u))
            if side.state is not None else b""
            for u in units
        }  # fmt: skip
        known = self.cache.get(k for k in keys.values() if k)
        looked = 0
        for unit in units:
            found = known.get(keys[unit.path])
            if found is None:
                found, lasting = self._check(side, unit, results)
                looked += 1
                if found is None:
                    continue
                if keys[unit.path] and lasting:
                    results.fresh[keys[unit.path]] = unit.path, found
            results.by_file[specialist, unit.path] = found
        seconds = time.monotonic() - started
        results.runs.append(ToolRun(specialist.name, __version__, len(units), len(units) - looked, seconds))

    def _check(self, side: Side, unit: Unit, results: Results) -> tuple[list[RawResult] | None, bool]:
        """The results of all checks for a file, and whether they last; None if it could not be looked at."""
        specialist = unit.specialist
        text = decoded(side.read(unit.path) or b"")

        def run(models: Models) -> list[RawResult]:
            source = Source(
                unit.path, text or "", partial(side.base_text, unit.path), side.project, unit.options,
                partial(side.is_added, unit.path), models, side.changed.__contains__,
                partial(side.added_lines, unit.path),
            )  # fmt: skip
            return list(specialist.run_checks(specialist.checks, source))

        try:
            return (run(NoModels()), True) if side.desk is None else side.desk.look(unit, run)
        except SyntaxError as cause:
            reason = f"{DOES_NOT_PARSE}: line {cause.lineno or 1}: {cause.msg}"
        except Exception as cause:  # noqa: BLE001  (a plugin's check: anything can come out)
            reason = f"a check crashed: {type(cause).__name__}: {cause}"
        results.unreviewed.append(Unreviewed(unit.path, specialist.name, specialist.name, reason))
        return None, False


def _by_tool(units: Sequence[Unit]) -> dict[Tool, list[Unit]]:
    """The files each tool looks at, each once, for the specialist that brings the tool if there is one."""
    found: dict[Tool, dict[str, Unit]] = {}
    for unit in units:
        for tool in unit.specialist.tools:
            found.setdefault(tool, {}).setdefault(unit.path, unit)
    for unit in units:
        for tool in unit.specialist.borrows:
            found.setdefault(tool, {}).setdefault(unit.path, unit)
    return {tool: list(by_path.values()) for tool, by_path in found.items()}


def _may_quote_a_secret(result: RawResult) -> bool:
    """Whether a message or a fix holds what a token could be, on whichever line of the file it stands."""
    edits = result.fix.edits if result.fix else ()
    texts = [result.message, *(edit.replacement for edit in edits)]
    return any(run for text in texts for run in _TOKEN_LIKE.findall(text) if any(map(str.isdigit, run)))


def _environment_state(environment: Path | None) -> str:
    """What changes when something is installed into or removed from a virtual environment."""
    if environment is None:
        return "none"
    parts = [str(environment)]
    for folder in sorted(environment.glob("lib*/python3*/site-packages")):
        with suppress(OSError):
            parts.append(f"{folder} {folder.stat().st_mtime_ns}")
    return "\0".join(parts)


def _code_identity(specialist: Specialist) -> str:
    """What changes when the code of a specialist's checks does."""
    if isinstance(specialist.checks, Late):
        files = specialist.checks.package_files()
    else:
        modules = {sys.modules.get(check.__module__) for check in specialist.checks}
        files = sorted(m.__file__ for m in modules if m is not None and m.__file__ is not None)
    parts = [specialist.name]
    for file in files:
        with suppress(OSError):
            parts.append(f"{file} {file_state(file)}")
    return "\n".join(parts)


def _chunks(paths: Sequence[str], scope: Scope) -> Iterable[list[str]]:
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


def _with_path(result: RawResult, path: str, name: str) -> RawResult:
    if path == name:
        return result
    fix = result.fix
    if fix is not None:
        fix = replace(fix, edits=tuple(replace(edit, file=path) for edit in fix.edits))
    return replace(result, file=path, fix=fix)


def _summed(runs: Iterable[ToolRun]) -> list[ToolRun]:
    """One entry for each tool, by name."""
    total: dict[str, ToolRun] = {}
    for run in runs:
        seen = total.get(run.tool)
        total[run.tool] = run if seen is None else replace(
            seen, files=seen.files + run.files, cached=seen.cached + run.cached,
            seconds=seen.seconds + run.seconds,
        )  # fmt: skip
    return [total[name] for name in sorted(total)]


def content_digest(content: bytes | None) -> bytes:
    """A digest of content; empty where there is none."""
    return b"" if content is None else hashlib.sha256(content).digest()
