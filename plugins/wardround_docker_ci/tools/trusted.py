"""Handing a tool the project's configuration from the trusted side, out of reach of any file under review.

A tool that looked for its configuration itself would find the file of the change in the snapshot.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wardround.tools.tool import Invocation


def overlay_above(
    tool: str, names: tuple[str, ...], folder: str, configs: Mapping[str, str]
) -> Mapping[str, str]:
    """The file above the snapshot with the first of a tool's configuration files, for ``config_overlay``."""
    name = next((name for name in names if name in configs), None)
    return {} if folder or name is None else {f"../{_file(tool)}": configs[name]}


def configuration(tool: str, run: Invocation) -> Path | None:
    """The file that ``overlay_above`` added for a tool, if the project has one."""
    placed = run.root.parent / _file(tool)
    return placed if placed.is_file() else None


def _file(tool: str) -> str:
    return f"{tool}.trusted.yml"
