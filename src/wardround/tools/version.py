"""Which version of a tool is at hand."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import cache
from pathlib import Path

from wardround.digests import file_state, sha256
from wardround.errors import ToolFailed
from wardround.hookspecs import GROUP
from wardround.installed import installed
from wardround.kept import kept
from wardround.tools.process import Processes, bare_environment, scripts_folder
from wardround.tools.tool import Tool

_VERSION_TIMEOUT_S = 10.0


def tool_version(tool: Tool, program: Path) -> str:
    """The version of a tool: of the installed distribution it came with, else what it says itself."""
    return _version(tool.distribution, program, tuple(sorted(tool.variables.items())))


@cache
def _version(distribution: str | None, program: Path, variables: tuple[tuple[str, str], ...]) -> str:
    if distribution is not None and _is_ours(program):
        version = installed(GROUP).versions.get(distribution)
        if version is not None:
            return version
    digest = sha256(f"{program}\0{file_state(program)}".encode("utf-8", "surrogateescape"))
    return kept("versions", digest.hexdigest(), lambda: _asked(program, variables), str)


def _asked(program: Path, variables: tuple[tuple[str, str], ...]) -> str:
    """What a program says its version is; some take seconds to say it, and some never do."""
    with suppress(ToolFailed, OSError):
        said = Processes().run(
            [str(program), "--version"],
            cwd=program.parent,
            timeout_s=_VERSION_TIMEOUT_S,
            clean=frozenset({0}),
            env=bare_environment(program, Path("/nonexistent"), dict(variables)),
        )
        words = [word.removeprefix("v") for word in said.decode("utf-8", "replace").split()]
        return next((word for word in words if word[:1].isdigit()), "unknown")
    return "unknown"


def _is_ours(program: Path) -> bool:
    return str(program.parent) == os.path.abspath(scripts_folder())
