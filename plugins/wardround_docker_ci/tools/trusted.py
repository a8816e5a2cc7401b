"""Handing a tool the project's configuration from the trusted side, out of reach of any file under review.

A tool that looked for its configuration itself would find the file of the change in the snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from wardround.tools.tool import Invocation


def placed_above(
    tool: str, names: tuple[str, ...], cleaned: Callable[[str], str] = lambda text: text
) -> Callable[[str, Mapping[str, str]], Mapping[str, str]]:
    """A ``config_overlay`` that puts the first of the configuration files above the snapshot."""

    def overlay(folder: str, found: Mapping[str, str]) -> Mapping[str, str]:
        name = next((one for one in names if one in found), None)
        return {} if folder or name is None else {f"../{_file(tool)}": cleaned(found[name])}

    return overlay


def configuration(tool: str, run: Invocation) -> Path | None:
    """The configuration ``placed_above`` put there for a tool, if the project has one."""
    placed = run.root.parent / _file(tool)
    return placed if placed.is_file() else None


def _file(tool: str) -> str:
    return f"{tool}.trusted.yml"
