from __future__ import annotations

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from wardround import __version__
from wardround.cli.change_options import repo_option
from wardround.cli.doctor_keys import key_lines, language_model_lines
from wardround.cli.doctor_sandbox import sandbox_lines
from wardround.cli.project_environments import environment_lines
from wardround.cli.run import emit_line

if TYPE_CHECKING:
    from wardround.config.schema import Config
    from wardround.errors import GitError
    from wardround.host import PluginHost
    from wardround.specialists import Specialist
    from wardround.tools.tool import Tool


class InstallationState(NamedTuple):
    """The repository with its settings, or a folder and why it is not a repository."""

    root: Path
    tracked: Sequence[str] | None
    settings: Config | GitError


@click.command("doctor")
@repo_option
def command(repo: Path | None) -> int:
    """Show which tools, models and settings were found, and what is missing.

    Each tool has to report a known defect. Exit status: 4 if a tool of the commit profile fails to, or is
    missing for files of this repository.
    """
    from wardround import host

    loaded = host.load()
    here = _installation_state(loaded, repo)
    tools = _tool_states(loaded, here)
    proofs = _states([(tool.tool, tool.program) for tool in tools if tool.program is not None])
    is_ready, verdict = _verdict(tools, proofs)
    lines = [f"wardround {__version__}, Python {platform.python_version()}", "", "tools"]
    lines += _tools(tools, proofs)
    lines += ["", "sandbox", *sandbox_lines(here.root, os.environ)]
    lines += ["", "code graph", *_code_graph(), "", "models", *_models(loaded, here)]
    lines += ["", "judge", *_judge(here)]
    lines += ["", "records", *key_lines(os.environ), "", "language model", *_language_model(here)]
    lines += ["", "environments of tests", *environment_lines(repo, os.environ)]
    lines += ["", "state", *_state(), "", "settings", *_settings(loaded, here), "", verdict]
    for line in lines:
        emit_line(line)
    return 0 if is_ready else 4


class ToolState(NamedTuple):
    """A tool of a specialist: the program to start, or why none is.

    Attributes:
        is_unused: the project does not use it; another tool of that name replaces this entry.
        is_needed: a file here needs it, and it is missing.
        is_unavailable: the project configures it and can be reviewed without it, and it is missing.
    """

    specialist: str
    tool: Tool
    program: Path | None
    reason: str = ""
    is_unused: bool = False
    is_needed: bool = False
    is_unavailable: bool = False

    @property
    def name(self) -> str:
        return f"  {self.specialist:<10} {self.tool.name:<10}"

    @property
    def is_for_commits(self) -> bool:
        from wardround.tools.tool import Profile

        return Profile.COMMIT in self.tool.profiles

    @property
    def where(self) -> str:
        return "commit and CI" if self.is_for_commits else "CI"


def _tool_states(loaded: PluginHost, here: InstallationState) -> list[ToolState]:
    """Return every tool of the specialists; one that overrides another of its name replaces it."""
    states = [
        _tool_state(specialist, tool, here) for specialist in loaded.specialists for tool in specialist.tools
    ]
    used = {(state.specialist, state.tool.name) for state in states if not state.is_unused}
    return [
        state for state in states if not state.is_unused or (state.specialist, state.tool.name) not in used
    ]


def _tool_state(specialist: Specialist, tool: Tool, here: InstallationState) -> ToolState:
    def read(name: str) -> str | None:
        return _text(here.root / name) if (here.root / name).is_file() else None

    state = ToolState(specialist.name, tool, None)
    is_configured = tool.is_configured(read, here.tracked or ())
    program = tool.find(here.root) if is_configured else None
    if program is None:
        notice = tool.missing_notice(here.root) if is_configured and tool.optional else ""
        return _describe_missing_program(specialist, state, here, notice)
    if _is_tracked(here, program):
        reason = f"not started, because it is under version control ({state.where}): {program}"
        return state._replace(reason=reason)
    return state._replace(program=program)


def _describe_missing_program(
    specialist: Specialist, state: ToolState, here: InstallationState, notice: str
) -> ToolState:
    """Return the state of a tool that is not found or not configured.

    Args:
        notice: the reason why a configured tool does not run; empty for other tools.
    """
    from wardround.tools.install_hints import install_hint

    tool = state.tool
    if notice:
        return state._replace(
            reason=f"configured, and left out ({state.where}): {notice}", is_unavailable=True
        )
    if tool.optional or tool.opt_in:
        return state._replace(reason=f"not in use here ({state.where})", is_unused=True)
    hint = install_hint(tool.install)
    if not _may_need(specialist, tool, here):
        return state._replace(reason=f"missing, and nothing here needs it ({state.where}): {hint}")
    return state._replace(reason=f"missing ({state.where}): {hint}", is_needed=True)


def _tools(states: Sequence[ToolState], proofs: Mapping[tuple[Tool, Path], tuple[str, str]]) -> list[str]:
    """Return one line per tool.

    Args:
        proofs: the version of each program, and the failure of its self-test.
    """
    lines = []
    for state in states:
        if state.program is None:
            lines.append(f"{state.name} {state.reason}")
        else:
            version, trouble = proofs[state.tool, state.program]
            lines.append(_program_line(state.name, state.where, state.tool, state.program, version, trouble))
    return list(dict.fromkeys(lines))


def _verdict(
    states: Sequence[ToolState], proofs: Mapping[tuple[Tool, Path], tuple[str, str]]
) -> tuple[bool, str]:
    """Return True if a commit can be reviewed as a whole, and the closing line."""
    missing = [state for state in states if state.is_needed]
    broken = [state for state in states if state.program and proofs[state.tool, state.program][1]]
    left_out = _unused_tools_clause(states)
    parts = [*_name_lines("missing", missing), *_name_lines("broken", broken)]
    if not parts:
        return True, f"wardround: ready - every tool that the files here need works{left_out}"
    is_ready = not any(state.is_for_commits for state in (*missing, *broken))
    outcome = "ready for commits, not for CI" if is_ready else "not ready"
    return is_ready, f"wardround: {outcome} - {'; '.join(parts)}{left_out}"


def _unused_tools_clause(states: Sequence[ToolState]) -> str:
    """Return the end of the closing line that names the tools that do not run."""
    left_out = [state for state in states if state.is_unavailable]
    return "".join(f"; {part}" for part in _name_lines("left out", left_out))


def _name_lines(what: str, states: Sequence[ToolState]) -> list[str]:
    names = sorted({state.tool.name for state in states})
    return [f"{what}: {', '.join(names)}"] if names else []


def _is_tracked(here: InstallationState, program: Path) -> bool:
    """Return True if a program, or a file installed next to it in the repository, is tracked by git."""
    from wardround.change.trees import paths_overlap

    root = here.root.resolve()
    inside = [p.relative_to(root) for p in (program, program.resolve()) if p.is_relative_to(root)]
    locations = {"node_modules" if "node_modules" in p.parts else str(p) for p in inside}
    return any(paths_overlap(location, path) for location in locations for path in here.tracked or ())


def _states(programs: Sequence[tuple[Tool, Path]]) -> dict[tuple[Tool, Path], tuple[str, str]]:
    """Return the version of each program and the failure of its self-test; the tests run in parallel."""
    import tempfile
    from concurrent.futures import ThreadPoolExecutor

    from wardround.errors import ToolFailed
    from wardround.tools.identity import identity
    from wardround.tools.process import Processes
    from wardround.tools.proof import Proofs

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        proofs = Proofs(Processes(), lambda: Path(folder))

        def state(item: tuple[Tool, Path]) -> tuple[str, str]:
            try:
                proofs.require(*item)
            except ToolFailed as trouble:
                return identity(*item).version, str(trouble)
            return identity(*item).version, ""

        return dict(zip(programs, pool.map(state, programs), strict=True))


def _program_line(name: str, where: str, tool: Tool, program: Path, version: str, trouble: str) -> str:
    """Return the line about a program that was started."""
    from wardround.tools.identity import distribution_version

    state = "broken" if trouble else "works" if tool.probe is not None else "untested"
    pinned = distribution_version(tool, program)
    notes = [trouble] if trouble else []
    if pinned is not None and pinned != version and not pinned.startswith(f"{version}."):
        notes.append(f"its distribution {tool.distribution} is {pinned}; reinstall it")
    line = f"{name} {version:<13} {where:<13} {state:<8} {program}"
    return f"{line} ({'; '.join(notes)})" if notes else line


def _may_need(specialist: Specialist, tool: Tool, here: InstallationState) -> bool:
    """Return True if the work tree has a file for a tool, by its name."""
    if here.tracked is None:
        return True
    claimed = (path for path in here.tracked if specialist.claims_name(path))
    return any(tool.accepts(path, _text(here.root / path)) for path in claimed)


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8-sig", "replace")
    except OSError:  # not checked out, or a folder of another repository
        return ""


def _installation_state(loaded: PluginHost, repo: Path | None) -> InstallationState:
    from wardround.change.repository import INDEX, Repository
    from wardround.config import loader
    from wardround.errors import GitError

    try:
        with Repository(repo) as repository:
            side = repository.head() or INDEX if repository.bare else INDEX
            tracked = repository.tracked_paths(side)
            settings = loader.read(repository.tree(side).read, tracked, loaded.specialists)
            return InstallationState(repository.root, tracked, settings)
    except GitError as none:
        return InstallationState((repo or Path.cwd()).resolve(), None, none)


def _code_graph() -> Iterator[str]:
    """Return the lines about languages whose grammar comes with an extra."""
    from wardround.context.code_graph.extraction import has_sql_grammar
    from wardround.tools.install_hints import install_hint
    from wardround.tools.tool import install_line

    if has_sql_grammar():
        yield "  sql        all definitions and uses"
    else:
        yield f"  sql        without tables and columns: {install_hint(install_line('sql'))}"


def _models(loaded: PluginHost, here: InstallationState) -> Iterator[str]:
    """Return the lines about the model runtime, the models found, and the missing ones that specialists
    request.
    """
    from wardround.errors import GitError, ModelError
    from wardround.inference.base_embedder import BASE_MODEL
    from wardround.inference.locations import extra_folders
    from wardround.inference.registry import default_registry
    from wardround.inference.runtime import detect_runtime

    try:
        runtime = detect_runtime()
        yield f"  run by {runtime.identity}"
    except ModelError as trouble:
        yield f"  not run: {trouble}"
    settings = here.settings
    folders = () if isinstance(settings, GitError) else settings.root.model_folders
    registry = default_registry(extra_folders(here.root, folders))
    missing = {name: specialist.name for specialist in loaded.specialists for name in specialist.models}
    users = {BASE_MODEL: "wardround related"} | _analyses_by_model() | missing
    for model in registry.found:
        state = "" if model.is_built else "  not built"
        try:
            if model.is_built:
                registry.require_present(model)
        except ModelError as cause:
            state = f"  broken: {cause}"
        missing.pop(model.name, None)
        use = f"used by {users[model.name]}" if model.name in users else "not used"
        claims = f"  {model.overstated}" if model.overstated else ""
        yield f"  {model.name:<24} {model.metadata.state.value:<7} {use}{state}{claims}"
    for rejected in registry.refused:
        yield f"  {rejected.name:<24} refused: {rejected.reason}"
    for name, specialist in sorted(missing.items()):
        yield f"  {name:<24} missing, used by {specialist}; its checks run without it"
    if not registry.found and not missing:
        yield "  none is installed, and none is used"


def _analyses_by_model() -> dict[str, str]:
    """Return the analysis that can use a model, by the name of the model."""
    from wardround.analyses.registry import known_analyses  # loads every analysis

    return {
        name: f"the analysis {analysis.name}"
        for analysis in known_analyses()
        for name in analysis.model_names
    }


def _judge(here: InstallationState) -> Iterator[str]:
    """Return the line about the judge of findings: the committed file, or the shipped one."""
    from wardround.config.schema import JUDGE_OFF, RunSettings
    from wardround.errors import GitError, WardroundError
    from wardround.processors.judge.model import load_judge

    name = RunSettings().judge if isinstance(here.settings, GitError) else here.settings.root.judge
    if name == JUDGE_OFF:
        yield "  off: findings keep their severity, and none is folded as unlikely"
        return
    try:
        judge = load_judge(name, lambda path: _read_content(here.root / path))
    except WardroundError as trouble:
        yield f"  broken: {trouble}"
        return
    counts = judge.file.rates.all
    yield (
        f"  {judge.name:<24} {counts.read} judged findings of {judge.file.repositories} repositories, until "
        f"{judge.file.until}; sha256 {judge.digest[:12]}"
    )


def _read_content(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except OSError:
        return None


def _language_model(here: InstallationState) -> Iterator[str]:
    from wardround.config.language_model import LanguageModelSettings
    from wardround.errors import GitError

    settings = here.settings
    found = LanguageModelSettings() if isinstance(settings, GitError) else settings.root.language_model
    return language_model_lines(found, os.environ)


def _state() -> Iterator[str]:
    from wardround.storage.paths import cache_dir, state_dir
    from wardround.storage.result_cache import ResultCache

    cache = ResultCache.open()
    trouble = cache.trouble
    cache.close()
    yield f"  cache  {cache_dir()}{'' if trouble is None else f' (not used: {trouble})'}"
    yield f"  state  {state_dir()}"


def _toml_line(value: object) -> str:
    """Format a key and its value as TOML; empty if it is not set."""
    return "  not set" if value is None else f" = {_toml(value)}"


def _toml(value: object) -> str:
    import json

    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_key(str(name))} = {_toml(entry)}" for name, entry in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else str(value)


def _key(name: str) -> str:
    import json
    import re

    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name, ensure_ascii=False)


def _settings(loaded: PluginHost, here: InstallationState) -> Iterator[str]:
    import msgspec

    from wardround.errors import GitError

    settings = here.settings
    if isinstance(settings, GitError):
        yield f"  no repository: {settings}"
        return
    yield f"  repository {here.root}"
    for name, value in msgspec.to_builtins(settings.root).items():
        yield f"  {name}{_toml_line(value)}  ({settings.origins.get(name, 'default')})"
    for layer in settings.layers:
        for name, value in layer.values.items():
            if name not in settings.origins:
                yield f"  {name}{_toml_line(value)}  ({layer.file})"
    options = settings.for_file("").options
    for specialist in loaded.specialists:
        if specialist.uses_environment and specialist.name in options:
            found = specialist.environment(here.root, options[specialist.name])
            yield f"  {specialist.name} environment: {found or 'none found, so imports are not judged'}"
