"""Planning the runs of tools: which tool reviews which files, and which results are in the cache."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain, groupby
from pathlib import Path

from wardround import __version__
from wardround.assignment.work_units import WorkUnit
from wardround.change.change_source import decode_text
from wardround.change.encoding import lower_suffix
from wardround.execution.model import Results
from wardround.execution.program_finder import ProgramFinder
from wardround.execution.review_side import ReviewSide
from wardround.execution.tool_runner import ToolJob, batch_paths
from wardround.execution.tool_settings import ToolSettings
from wardround.findings import ToolRun, Unreviewed
from wardround.lazy import package_state
from wardround.storage.digest import digest_key, file_stamp
from wardround.storage.result_cache import ResultCache
from wardround.tools.identity import identify, identity
from wardround.tools.tool import Profile, Tool, ToolScope

_ENGINE = __name__.partition(".")[0]
"""A package with much code that no tool depends on."""


class ToolPlanner:
    """Plans the runs of the tools of one profile."""

    def __init__(self, root: Path, profile: Profile, settings: ToolSettings, cache: ResultCache) -> None:
        self._root = root
        self._profile = profile
        self._settings = settings
        self._cache = cache
        self._programs = ProgramFinder(root)

    def plan(self, side: ReviewSide, units: Sequence[WorkUnit], results: Results) -> list[ToolJob]:
        """Return the required runs; known results and unreviewed files are added to the results."""
        ready = [
            (tool, group, folder, program)
            for tool, of_tool in _group_by_tool(units).items()
            if self._profile in tool.profiles
            for folder, group in self._group_by_package(tool, _accepted_units(side, tool, of_tool, results))
            if (program := self._startable(side, tool, group, folder, results)) is not None
        ]
        identify((tool, program) for tool, _, _, program in ready)
        jobs = [job for entry in ready for job in self._jobs(side, *entry, results)]
        results.tampered_paths |= set(self._settings.referenced_paths(side.changed))
        return jobs

    def _group_by_package(
        self, tool: Tool, units: Sequence[WorkUnit]
    ) -> Iterable[tuple[str, list[WorkUnit]]]:
        """The files for which a project uses a tool, by the folder in which it starts, in their order."""
        paths = [unit.path for unit in units]
        if not units or not tool.is_configured(self._settings.trusted.read, paths):
            return []
        if not tool.starts_in_packages:
            return [("", list(units))]
        groups: dict[str, list[WorkUnit]] = {}
        for unit in units:
            folder = tool.package_of(unit.path, self._settings.files(tool, unit.path))
            if folder is not None:
                groups.setdefault(folder, []).append(unit)
        return sorted(groups.items())

    def _startable(
        self, side: ReviewSide, tool: Tool, units: Sequence[WorkUnit], folder: str, results: Results
    ) -> Path | None:
        """The program of a tool the project uses; a missing one makes files unreviewed or is a note."""
        found = self._programs.program(side, tool, results, folder)
        if found.path is None:
            reason = _why_missing(tool, found.refused if found.refused in results.tampered_paths else None)
            missing = [Unreviewed(unit.path, unit.specialist.name, tool.name, reason) for unit in units]
            results.unreviewed += missing if reason else []
            if self._profile is Profile.CI and not reason:
                results.notes |= {tool.missing_notice(self._root)} - {""}
        return found.path

    def _jobs(
        self,
        side: ReviewSide,
        tool: Tool,
        units: Sequence[WorkUnit],
        folder: str,
        program: Path,
        results: Results,
    ) -> list[ToolJob]:
        """Take known results from the cache and return jobs for the rest."""
        environment = self._programs.environment(side, tool, units[0], results)
        common = _common_key(side, tool, program, environment)
        requested = {unit.path: unit.requested.get(tool.name, ()) for unit in units}
        keys = {
            unit.path: common
            and digest_key(
                common, self._settings.key(tool, unit.path), unit.path, unit.digest, *requested[unit.path]
            )
            for unit in units
        }
        pending = self._pending_paths(side, tool, units, keys, results)
        cached = len(units) - len(pending)
        program_identity = identity(tool, program)
        results.runs.append(
            ToolRun(tool.name, program_identity.version, cached, cached, 0.0, program_identity.digest)
        )
        names = {unit.path: unit.specialist.name for unit in units}
        groups = groupby(sorted(pending, key=requested.__getitem__), key=requested.__getitem__)
        return [
            ToolJob(
                tool, names, program, environment, tuple(batch), {p: keys[p] for p in batch}, codes, folder
            )
            for codes, paths in groups
            for batch in batch_paths(list(paths), tool)
        ]

    def _pending_paths(
        self,
        side: ReviewSide,
        tool: Tool,
        units: Sequence[WorkUnit],
        keys: dict[str, bytes],
        results: Results,
    ) -> list[str]:
        """The paths without a known result; files in which the tool cannot match anything are clean."""
        known = self._cache.get(key for key in keys.values() if key)
        pending = []
        for unit in units:
            findings = known.get(keys[unit.path])
            if findings is None:
                text = decode_text(side.read(unit.path) or b"")
                findings = None if text is None or tool.can_match(text) else []
            if findings is None:
                pending.append(unit.path)
            else:
                results.by_file[tool, unit.path] = findings
        return pending


def _group_by_tool(units: Sequence[WorkUnit]) -> dict[Tool, list[WorkUnit]]:
    """The files of each tool, each once, for the specialist that contributes the tool if there is one."""
    by_tool: dict[Tool, dict[str, WorkUnit]] = {}
    own = ((tool, unit) for unit in units for tool in unit.specialist.tools)
    borrowed = ((tool, unit) for unit in units for tool in unit.specialist.borrowed_tools)
    for tool, unit in chain(own, borrowed):
        if unit.tools is None or tool in unit.tools:
            by_tool.setdefault(tool, {}).setdefault(unit.path, unit)
    return {tool: list(by_path.values()) for tool, by_path in by_tool.items()}


def _accepted_units(
    side: ReviewSide, tool: Tool, units: Sequence[WorkUnit], results: Results
) -> Sequence[WorkUnit]:
    """Return the files that a tool applies to, by its own choice and by the options of their specialist.

    Files that it declines are unreviewed.
    """
    accepted = []
    for unit in units:
        kind, text = lower_suffix(unit.path), decode_text(side.read(unit.path) or b"") or ""
        if not (tool.is_enabled(unit.options, kind, text) and tool.accepts(kind, text)):
            continue
        if not tool.suits(unit.options, kind, text, side.project):
            continue
        reason = tool.declines(kind, text)
        if reason:
            results.unreviewed.append(Unreviewed(unit.path, unit.specialist.name, tool.name, reason))
        else:
            accepted.append(unit)
    return accepted


def _why_missing(tool: Tool, tampered: str | None) -> str:
    """Return the reason why a tool is not run; empty where its absence is not worth a report."""
    if tampered is not None:
        return f"{tool.program} was not started from {tampered}, because the change adds something there"
    if tool.optional:
        return ""
    from wardround.tools.install_hints import install_hint  # nothing is missing in most runs

    return f"{tool.program} is not installed; {install_hint(tool.install)}"


def _common_key(side: ReviewSide, tool: Tool, program: Path, environment: Path | None) -> bytes:
    """Return a digest of the inputs that the results of all files share; empty without an identity."""
    state = side.layout
    if tool.scope is ToolScope.PROJECT:
        if side.state is None:
            return b""
        state = side.state + _environment_state(environment)
    program_identity = identity(tool, program)
    rules = tool.identity()
    # The digest of a script does not cover what it starts; its modification time dates the installation of
    # both.
    program_key = (program_identity.version, program_identity.digest, file_stamp(program))
    return digest_key("tool", __version__, tool.name, *program_key, state, rules, reader_identity(tool))


def reader_identity(tool: Tool) -> str:
    """Return a string that changes with the code that reads and filters the output of a tool."""
    module = type(tool).__module__
    package = module.partition(".")[0]
    return package_state(module.rpartition(".")[0] if package == _ENGINE else package)


def _environment_state(environment: Path | None) -> str:
    """Return a text that changes when something is installed into or removed from a virtual environment."""
    if environment is None:
        return "none"
    parts = [str(environment)]
    for folder in sorted(environment.glob("lib*/python3*/site-packages")):
        with suppress(OSError):
            parts.append(f"{folder} {folder.stat().st_mtime_ns}")
    return "\0".join(parts)
