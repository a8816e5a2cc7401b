"""``wardround doctor``."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wardround import __version__
from wardround.cli.reviewing import emit

if TYPE_CHECKING:
    from wardround.host import Host


@click.command("doctor")
@click.option(
    "--repo", type=click.Path(path_type=Path), metavar="DIR", help="The repository (default: here)."
)
def command(repo: Path | None) -> int:
    """Show which tools, models and settings were found, and what is missing.

    The status is 4 if a tool of the commit profile is missing for files this repository has.
    """
    from wardround import host

    loaded = host.load()
    missing, tool_lines = _tools(loaded, repo)
    lines = [f"wardround {__version__}, Python {platform.python_version()}", "", "tools", *tool_lines]
    lines += ["", "models", "  none: no model has been promoted yet, so none is needed"]
    lines += ["", "state", *_state(), "", "settings", *_settings(loaded, repo)]
    emit("\n".join(lines) + "\n")
    return 4 if missing else 0


def _tools(loaded: Host, repo: Path | None) -> tuple[bool, list[str]]:
    from wardround.tools.process import find_program
    from wardround.tools.tool import Profile
    from wardround.tools.version import tool_version

    missing = False
    lines = []
    root, names = _tracked(repo)
    for specialist in loaded.specialists:
        for tool in specialist.tools:
            program = find_program(tool.program) if tool.find is None else tool.find(root)
            where = "commit and CI" if Profile.COMMIT in tool.profiles else "CI"
            name = f"  {specialist.name:<10} {tool.name:<10}"
            if program is not None:
                lines.append(f"{name} {tool_version(tool, program):<10} {where:<14} {program}")
            elif tool.optional or tool.opt_in:
                lines.append(f"{name} not in use here ({where})")
            elif names is not None and not any(specialist.claims_name(path) for path in names):
                lines.append(f"{name} missing, and nothing here needs it ({where}): {tool.install}")
            else:
                missing = missing or Profile.COMMIT in tool.profiles
                lines.append(f"{name} missing ({where}): {tool.install}")
    return missing, list(dict.fromkeys(lines))


def _tracked(repo: Path | None) -> tuple[Path, list[str] | None]:
    """The repository's root and the files it tracks; None where there is no repository."""
    from wardround.change.git import INDEX, Repository
    from wardround.errors import GitError

    try:
        with Repository(repo) as repository:
            side = repository.head() or INDEX if repository.bare else INDEX
            return repository.root, repository.tracked(side)
    except GitError:
        return (repo or Path.cwd()).resolve(), None


def _state() -> Iterator[str]:
    from wardround.folders import cache_folder, state_folder
    from wardround.tools.result_cache import ResultCache

    cache = ResultCache.open()
    cache.close()
    yield f"  cache  {cache_folder()}{'' if cache.trouble is None else f' (not used: {cache.trouble})'}"
    yield f"  state  {state_folder()}"


def _settings(loaded: Host, repo: Path | None) -> Iterator[str]:
    import msgspec

    from wardround import config
    from wardround.change.git import INDEX, Repository
    from wardround.errors import GitError

    try:
        with Repository(repo) as repository:
            side = repository.head() or INDEX if repository.bare else INDEX
            tree = repository.tree(side)
            settings = config.read(tree.read, repository.tracked(side), loaded.specialists)
            root = repository.root
    except GitError as none:
        yield f"  no repository: {none}"
        return
    yield f"  repository {root}"
    for name, value in msgspec.to_builtins(settings.root).items():
        yield f"  {name} = {value!r}  ({settings.origins.get(name, 'default')})"
    for layer in settings.layers:
        for name, value in layer.values.items():
            if name not in settings.origins:
                yield f"  {name} = {value!r}  ({layer.file})"
    options = settings.for_file("").options
    for specialist in loaded.specialists:
        if specialist.environment is not None and specialist.name in options:
            found = specialist.environment(root, options[specialist.name])
            yield f"  {specialist.name} environment: {found or 'none found, so imports are not judged'}"
