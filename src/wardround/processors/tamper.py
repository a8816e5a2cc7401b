"""Which files of a change would steer the review of it, if its own version of them counted."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec

from wardround.change.trees import FolderTree
from wardround.config import schema
from wardround.config.loader import folders
from wardround.specialists import Specialist
from wardround.tools.tool import Tool

PACKAGE_FILE = "package.json"


def tools_for(specialists: Iterable[Specialist]) -> list[Tool]:
    return [tool for one in specialists for tool in (*one.tools, *one.borrowed_tools)]


def config_file_names(tools: Iterable[Tool]) -> set[str]:
    """The names of files that steer a review from whichever folder they stand in."""
    found = {schema.OWN_FILE, schema.SHARED_FILE, PACKAGE_FILE}
    for tool in tools:
        found |= {*tool.config_code, *(() if tool.config_at_root else tool.config_names)}
    return found


def unstaged(
    root: Path, staged: Callable[[str], bytes | None], paths: Iterable[str], records: Iterable[str]
) -> tuple[str, ...]:
    """The files whose version in the work tree tells wardround something else than the staged one, by path.

    Args:
        staged: the content of the index by path.
        paths: the files under review, whose folders may have settings.
        records: files of settings with a name of their own: baseline and dismissals.
    """
    present = FolderTree(root)
    names = [
        f"{folder}/{name}" if folder else name
        for folder in folders(paths)
        for name in (schema.SHARED_FILE, schema.OWN_FILE)
    ]
    found = []
    for path in dict.fromkeys((*names, *records)):
        content = _with_plain_ends(present.read(path)) if os.path.isfile(root / path) else None
        if content is not None and content != (before := _with_plain_ends(staged(path))):
            found += [path] if settings_differ(path, before, content, ()) else []
    return tuple(sorted(found))


def _with_plain_ends(content: bytes | None) -> bytes | None:
    return None if content is None else content.replace(b"\r\n", b"\n")


def settings_differ(path: str, before: bytes | None, after: bytes | None, tools: Collection[str]) -> bool:
    """Whether such a file says something else to wardround or to these tools than before."""
    name = path.rpartition("/")[2]
    if name == schema.SHARED_FILE:
        return _tables(before, {"wardround", *tools}) != _tables(after, {"wardround", *tools})
    if name == PACKAGE_FILE:
        return _keys(before, tools) != _keys(after, tools)
    return before != after


def _tables(content: bytes | None, names: Collection[str]) -> object:
    """The named tables below ``tool`` of a TOML file; the bytes themselves if it cannot be read."""
    import tomllib  # for those reviews only whose change steers them

    try:
        tool = tomllib.loads((content or b"").decode("utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return content
    return _named(tool, names)


def _keys(content: bytes | None, tools: Collection[str]) -> object:
    """What npm's file says to tools, each in keys of its own; the bytes themselves if it cannot be read."""
    try:
        told = msgspec.json.decode(content or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return content
    return _named(told, {f"{tool}{kind}" for tool in tools for kind in ("Config", "Ignore")})


def _named(told: Mapping[str, Any] | object, names: Collection[str]) -> object:
    return {name: told[name] for name in sorted(names) if name in told} if isinstance(told, dict) else told
