"""The configuration files of a tool, read from the trusted side."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from wardround.errors import ToolFailed
from wardround.tools.tool import Tool

_FROM_ELSEWHERE = ("/", "~", "\\", "file:")
"""Beginnings of paths that do not start at the folder of the configuration."""


def configuration(
    tool: Tool, folder: str, read: Callable[[str], str | None], above: Mapping[str, str]
) -> dict[str, str]:
    """Return the files that apply in a folder, text by path, with those they refer to; ``../`` is above the
    root.

    Args:
        read: the text of a file, None if it does not exist.
        above: the files that apply in the folder above; none for the root, whose name is empty.
    """
    found = dict(above)
    stem = f"{folder}/" if folder else ""
    waiting = [] if folder and tool.config_at_root else [stem + name for name in tool.config_names]
    while waiting:
        name = waiting.pop(0)
        text = None if name in found else read(name)
        if text is not None:
            found[name] = text
            waiting += tool.config_closure(name, text)
    found |= tool.config_overlay(folder, found)
    fallback = None if folder else tool.fallback_config(read)
    if fallback is not None:
        name, text = fallback
        found["../" + name] = text
    return found


def require_inside(tool: Tool, path: str, text: str) -> None:
    """Make sure that a configuration names paths of the repository only: tools quote what they read.

    Raises:
        ToolFailed: it names a path of the machine.
    """
    for name in tool.named_paths(path, text):
        if _leads_outside(path, name):
            raise ToolFailed(
                f"{path} names {name[:_MOST_SHOWN]!r}, which is outside of the repository; name a path in it"
            )


_MOST_SHOWN = 200


def _leads_outside(path: str, name: str) -> bool:
    if name.startswith(_FROM_ELSEWHERE) or "$" in name:  # tools replace variables
        return True
    target = os.path.normpath(PurePosixPath(path).parent / name.replace("\\", "/"))
    return target == ".." or target.startswith("../")
