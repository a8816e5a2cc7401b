"""Running every specialist's tools and checks over one side of a change.

While a crew runs the tools, the checks of our own run. Whatever did not run as expected makes
its files *unreviewed*. Answers are cached by everything they depend on, so only what was never seen costs
anything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, groupby
from pathlib import Path

import msgspec
from msgspec.structs import replace

from wardround import __version__
from wardround.change.change_source import decoded
from wardround.change.encoding import with_lower_suffix
from wardround.change.snapshot import Snapshot
from wardround.change.trees import paths_overlap
from wardround.context.work_units import WorkUnit
from wardround.execution.check_runner import BUDGET_S, CheckRunner
from wardround.execution.model import NO_CHANGE_REVIEW, ChangeReview, Results, ReviewSide
from wardround.execution.tool_runner import ToolJob, ToolRunner, batch_paths
from wardround.findings import RawFinding, ToolRun, Unreviewed
from wardround.storage.digest import digest_key, file_stamp
from wardround.storage.result_cache import ResultCache
from wardround.text.redaction import may_contain_token
from wardround.tools.configuration import configuration
from wardround.tools.identity import identify, identity
from wardround.tools.process import Processes, find_program
from wardround.tools.tool import BROUGHT, Profile, Tool, ToolScope, UntrustedPaths

_PACKAGES = "node_modules"
_MOST_LINKS = 40


class Scheduler:
    """What running needs beside the files: trusted configuration, cache, processes, limits.

    Args:
        trusted: text of a configuration file by path, from the side whose configuration counts.
        snapshot: makes the private folder, when the first tool must run.
        brought: the paths of a change whose code must not be run; None where it is trusted.
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
        brought: Sequence[str] | None = None,
    ) -> None:
        self.root = root
        self._untrusted_paths = brought
        self.profile = profile
        self.read_trusted = trusted
        self.cache = cache
        self.processes = processes
        self.is_secret = is_secret
        self._cores = jobs
        self.crew = ToolRunner(processes, snapshot, jobs, timeout_s, self._config_for, progress)
        self._configs: dict[tuple[Tool, str], dict[str, str]] = {}
        self._config_keys: dict[tuple[Tool, str], bytes] = {}

    def review(
        self, side: ReviewSide, units: Sequence[WorkUnit], whole: ChangeReview | None = None
    ) -> Results:
        """Run all tools of the profile and all checks over the units of one side.

        Args:
            whole: the checks of the change as a whole; what they report is in the results.
        """
        results = Results()
        jobs = self.plan(side, units, results)
        budget_s = BUDGET_S[self.profile]
        with CheckRunner(side, units, self.cache, whole or NO_CHANGE_REVIEW, budget_s) as checking:
            checking.start_workers(self._cores)
            threads = self.crew.start(side, jobs)
            told = checking.run(lambda: self._cores - 1 - sum(thread.is_alive() for thread in threads))
            checking.collect(results)
        results.whole = None if whole is None else told
        self.crew.wait(threads, jobs)
        self.conclude(jobs, results)
        return results

    def plan(self, side: ReviewSide, units: Sequence[WorkUnit], results: Results) -> list[ToolJob]:
        """What the tools of the profile have to look at, without what is known already."""
        ready = [
            (tool, taken, program)
            for tool, looked_at in _by_tool(units).items()
            if self.profile in tool.profiles
            and (taken := _taken(side, tool, looked_at, results))
            and (program := self._startable(side, tool, taken, results)) is not None
        ]
        identify((tool, program) for tool, _, program in ready)
        jobs = [job for one in ready for job in self._prepare(side, *one, results)]
        results.tampered_paths |= {
            path
            for (tool, _), found in self._configs.items()
            for path in side.changed.intersection(found)
            if path.rpartition("/")[2] not in tool.config_names
        }
        return jobs

    def check(self, side: ReviewSide, units: Sequence[WorkUnit], results: Results) -> None:
        """Run the checks of our own, and nothing else meanwhile."""
        with CheckRunner(side, units, self.cache, budget_s=BUDGET_S[self.profile]) as checking:
            checking.run()
            checking.collect(results)

    def conclude(self, jobs: Sequence[ToolJob], results: Results) -> None:
        """Take over what the jobs came to."""
        for job in jobs:
            self._finish(job, results)
        self._store(jobs, results)
        results.runs = _summed(results.runs)

    # Tools

    def _startable(
        self, side: ReviewSide, tool: Tool, units: Sequence[WorkUnit], results: Results
    ) -> Path | None:
        """The program of a tool the project uses; where there is none, that is unreviewed or a note."""
        if tool.is_configured is not None and not tool.is_configured(
            self.read_trusted, [u.path for u in units]
        ):
            return None
        program, refused = self._program(side, tool, results)
        if program is None:
            reason = self._why_missing(tool, refused if refused in results.tampered_paths else None)
            missing = [Unreviewed(u.path, u.specialist.name, tool.name, reason) for u in units]
            results.unreviewed += missing if reason else []
            if tool.missing_notice is not None and self.profile is Profile.CI and not reason:
                results.notes |= {tool.missing_notice(self.root)} - {""}
        return program

    def _prepare(
        self, side: ReviewSide, tool: Tool, units: Sequence[WorkUnit], program: Path, results: Results
    ) -> list[ToolJob]:
        """Take from the cache what is there; the rest is work to be done."""
        environment = self._environment(side, tool, units[0], results)
        known_as = identity(tool, program)
        common = self._common_key(side, tool, program, environment)
        requested = {u.path: u.requested.get(tool.name, ()) for u in units}
        keys = {
            u.path: common
            and digest_key(common, self._config_key(tool, u.path), u.path, u.digest, *requested[u.path])
            for u in units
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
        cached = len(units) - len(todo)
        results.runs.append(ToolRun(tool.name, known_as.version, cached, cached, 0.0, known_as.digest))
        names = {unit.path: unit.specialist.name for unit in units}
        groups = groupby(sorted(todo, key=requested.__getitem__), key=requested.__getitem__)
        return [
            ToolJob(tool, names, program, environment, tuple(chunk), {p: keys[p] for p in chunk}, codes)
            for codes, paths in groups
            for chunk in batch_paths(list(paths), tool)
        ]

    def _why_missing(self, tool: Tool, brought: str | None) -> str:
        """Why a tool is not run; empty where that is nothing to speak of."""
        if brought is not None:
            return f"{tool.program} would be started from {brought}, and the change puts something there"
        if tool.optional:
            return ""
        from wardround.tools.install_hints import install_hint  # nothing is missing in most runs

        return f"{tool.program} is not installed; {install_hint(tool.install)}"

    def _program(self, side: ReviewSide, tool: Tool, results: Results) -> tuple[Path | None, str | None]:
        """The tool's program, and the place from which it was not taken.

        Never one under version control: what is reviewed must not choose programs. What a project installed
        is as good as all packages beside it.
        """
        usual = find_program(tool.program)
        found = usual if tool.find is None else tool.find(self.root)
        refused = None
        for program in dict.fromkeys((found, None if found is None or tool.optional else usual)):
            if program is not None:
                ours = program == usual or program.is_relative_to(sys.prefix)
                held = self._tracked_ancestor(
                    side, [program] if ours else [self.root / _PACKAGES, program], results
                )
                if held is None:
                    return program, refused
                refused = refused or held
        return None, refused

    def _environment(self, side: ReviewSide, tool: Tool, unit: WorkUnit, results: Results) -> Path | None:
        """The project's virtual environment, unless any of it is under version control.

        A tool may start the interpreter it finds there, and what is under review must not choose programs.
        """
        find = unit.specialist.environment
        found = None if find is None or tool.scope is not ToolScope.PROJECT else find(self.root, unit.options)
        if found is None:
            return None
        places = (found, *(found / "bin" / name for name in ("python", "python3")))
        return None if self._tracked_ancestor(side, places, results) else found

    def _tracked_ancestor(self, side: ReviewSide, paths: Iterable[Path], results: Results) -> str | None:
        """A place under version control on the way to what paths stand for, there, or below.

        Where the change itself puts something there, that is noted as an attempt to steer the review.
        """
        root = os.path.realpath(self.root)
        for place in chain.from_iterable(map(_resolve_symlink_chain, paths)):
            inside = os.path.relpath(place, root)
            if inside.partition("/")[0] != ".." and (inside == "." or side.has(inside)):
                if any(paths_overlap(inside, one) for one in side.changed):
                    results.tampered_paths.add(inside)
                return inside
        return None

    def _common_key(self, side: ReviewSide, tool: Tool, program: Path, environment: Path | None) -> bytes:
        """What the answers about all files depend on; empty if that cannot be said."""
        state = side.layout
        if tool.scope is ToolScope.PROJECT:
            if side.state is None:
                return b""
            state = side.state + _environment_state(environment)
        known_as = identity(tool, program)
        own = tool.identity() if tool.identity else ""
        # The digest of a script is not that of what it starts; its time tells when both were installed.
        program_key = (known_as.version, known_as.digest, file_stamp(program))
        return digest_key("tool", __version__, tool.name, *program_key, state, own)

    def _config_key(self, tool: Tool, path: str) -> bytes:
        """A digest of the configuration that counts for a path."""
        where = (tool, path.rpartition("/")[0])
        if where not in self._config_keys:
            items = self._config_for(tool, path).items()
            self._config_keys[where] = digest_key(*(part for item in items for part in item))
        return self._config_keys[where]

    def _config_for(self, tool: Tool, path: str) -> dict[str, str]:
        """The tool's configuration files that count for a path, with those they refer to, trusted side."""
        folder = path.rpartition("/")[0]
        cached = self._configs.get((tool, folder))
        if cached is not None:
            return cached
        found = configuration(
            tool, folder, self.read_trusted, self._config_for(tool, folder) if folder else {}
        )
        if not folder and tool.runs_config and self._untrusted_paths is not None:
            note = UntrustedPaths(str(self.root), tuple(sorted(self._untrusted_paths)))
            found["../" + BROUGHT] = msgspec.json.encode(note).decode()
        self._configs[tool, folder] = found
        return found

    def _finish(self, job: ToolJob, results: Results) -> None:
        if job.error is not None:
            reason = str(job.error)
            results.unreviewed += [
                Unreviewed(path, job.specialists[path], job.tool.name, reason) for path in job.files
            ]
            return
        results.unreviewed += [
            Unreviewed(path, job.specialists[path], job.tool.name, reason)
            for path, reason in sorted(job.skipped.items())
            if reason
        ]
        results.unreviewed += [  # whatever became of it
            Unreviewed(path, job.specialists[path], job.tool.name, "its run did not end")
            for path in job.files
            if path not in job.results and path not in job.skipped
        ]
        for path, found in job.results.items():
            results.by_file[job.tool, path] = found
        known_as = identity(job.tool, job.program)
        results.runs.append(
            ToolRun(job.tool.name, known_as.version, len(job.results), 0, job.seconds, known_as.digest)
        )

    def _store(self, jobs: Sequence[ToolJob], results: Results) -> None:
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


def _kind(unit: WorkUnit) -> str:
    """The path by which a tool tells the kind of a file."""
    return with_lower_suffix(unit.path)


def _text(side: ReviewSide, unit: WorkUnit) -> str:
    return decoded(side.read(unit.path) or b"") or ""


def _resolve_symlink_chain(path: Path) -> Iterator[str]:
    """The links to be followed for what a path stands for, and at last where it is."""
    waiting, place, links = list(path.absolute().parts[:0:-1]), "/", 0
    while waiting:
        name = waiting.pop()
        beyond = os.path.normpath(os.path.join(place, name))
        if not os.path.islink(beyond) or links > _MOST_LINKS:
            place = beyond
            continue
        yield beyond
        links += 1
        target = os.readlink(beyond)
        place = "/" if target.startswith("/") else place
        waiting += reversed(target.split("/"))
    yield place


def _taken(side: ReviewSide, tool: Tool, units: Sequence[WorkUnit], results: Results) -> Sequence[WorkUnit]:
    """The files that a tool is for, by its own choice and by the options of their specialist.

    What it declines is unreviewed.
    """
    if tool.is_enabled is not None:
        wanted = tool.is_enabled
        units = [u for u in units if wanted(u.options, _kind(u), _text(side, u))]
    if tool.accepts is not None:
        takes = tool.accepts
        units = [u for u in units if takes(_kind(u), _text(side, u))]
    if tool.declines is None:
        return units
    declined = {u.path: tool.declines(_kind(u), _text(side, u)) for u in units}
    results.unreviewed += [
        Unreviewed(u.path, u.specialist.name, tool.name, declined[u.path]) for u in units if declined[u.path]
    ]
    return [u for u in units if not declined[u.path]]


def _by_tool(units: Sequence[WorkUnit]) -> dict[Tool, list[WorkUnit]]:
    """The files each tool looks at, each once, for the specialist that brings the tool if there is one."""
    found: dict[Tool, dict[str, WorkUnit]] = {}
    bringing = ((tool, unit) for unit in units for tool in unit.specialist.tools)
    borrowing = ((tool, unit) for unit in units for tool in unit.specialist.borrowed_tools)
    for tool, unit in chain(bringing, borrowing):
        if unit.tools is None or tool in unit.tools:
            found.setdefault(tool, {}).setdefault(unit.path, unit)
    return {tool: list(by_path.values()) for tool, by_path in found.items()}


def _may_quote_a_secret(result: RawFinding) -> bool:
    """Whether a message or a fix holds what a token could be, on whichever line of the file it stands."""
    edits = result.fix.edits if result.fix else ()
    texts = [result.message, *(edit.replacement for edit in edits)]
    return any(map(may_contain_token, texts))


def _environment_state(environment: Path | None) -> str:
    """What changes when something is installed into or removed from a virtual environment."""
    if environment is None:
        return "none"
    parts = [str(environment)]
    for folder in sorted(environment.glob("lib*/python3*/site-packages")):
        with suppress(OSError):
            parts.append(f"{folder} {folder.stat().st_mtime_ns}")
    return "\0".join(parts)


def _summed(runs: Iterable[ToolRun]) -> list[ToolRun]:
    """One entry for each tool that looked at a file, by name."""
    total: dict[str, ToolRun] = {}
    for run in runs:
        seen = total.get(run.tool)
        total[run.tool] = run if seen is None else replace(
            seen, files=seen.files + run.files, cached=seen.cached + run.cached,
            seconds=seen.seconds + run.seconds,
        )  # fmt: skip
    return [total[name] for name in sorted(total) if total[name].files]
