"""Pass a tool the project's configuration from the trusted revision, outside the files under review.

A tool that searches for its own configuration would find the changed file in the snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wardround.tools.tool import Invocation


def overlay_above(
    tool: str, names: tuple[str, ...], folder: str, configs: Mapping[str, str]
) -> Mapping[str, str]:
    """Return the file outside the snapshot with a tool's first configuration file, for ``config_overlay``."""
    name = next((name for name in names if name in configs), None)
    return {} if folder or name is None else {f"../{_file(tool)}": configs[name]}


def configuration(tool: str, run: Invocation) -> Path | None:
    """Return the file that ``overlay_above`` added for a tool, if the project has one."""
    path = run.root.parent / _file(tool)
    return path if path.is_file() else None


def _file(tool: str) -> str:
    return f"{tool}.trusted.yml"
