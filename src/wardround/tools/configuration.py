"""The configuration files of a tool, read from the trusted side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from typing import Protocol

from wardround.errors import ToolFailed
from wardround.tools.tool import Tool

_FROM_ELSEWHERE = ("/", "~", "\\", "file:")
"""Beginnings of paths that do not start at the folder of the configuration."""


class SettingsReader(Protocol):
    """The settings of the trusted side, or those of a self-test."""

    def read(self, path: str) -> str | None:
        """Return the content of a file, None if it does not exist."""

    def files_in(self, folder: str) -> Iterable[str]:
        """Return the paths of the files below a folder."""


def configuration(
    tool: Tool, folder: str, settings: SettingsReader, above: Mapping[str, str]
) -> dict[str, str]:
    """Return the files that apply in a folder, text by path, with those they refer to; ``../`` is above the
    root.

    Args:
        above: the files that apply in the folder above; none for the root, whose name is empty.
    """
    found = dict(above)
    waiting = _names_in_folder(tool, folder) if folder else _names_at_root(tool, settings)
    while waiting:
        name = waiting.pop(0)
        text = None if name in found else settings.read(name)
        if text is not None:
            found[name] = text
            waiting += tool.config_closure(name, text)
    found |= tool.config_overlay(folder, found)
    fallback = None if folder else tool.fallback_config(settings.read)
    if fallback is not None:
        name, text = fallback
        found["../" + name] = text
    return found


def _names_in_folder(tool: Tool, folder: str) -> list[str]:
    return [] if tool.config_at_root else [f"{folder}/{name}" for name in tool.config_names]


def _names_at_root(tool: Tool, settings: SettingsReader) -> list[str]:
    names = list(tool.config_names)
    for folder in tool.config_folders:
        names += sorted(filter(tool.is_in_config_folder, settings.files_in(folder)))
    return names


def require_inside(tool: Tool, path: str, text: str) -> None:
    """Verify that a configuration names paths of the repository only: tools quote what they read.

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
