"""The configuration files that control a review, and differences between two versions of one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec

from wardround.config import schema
from wardround.specialists import Specialist
from wardround.tools.tool import Tool

PACKAGE_FILE = "package.json"


def tools_for(specialists: Iterable[Specialist]) -> list[Tool]:
    """Return the tools of specialists, those they borrow included."""
    return [tool for specialist in specialists for tool in (*specialist.tools, *specialist.borrowed_tools)]


def config_file_names(tools: Iterable[Tool]) -> set[str]:
    """Return the names of files that control a review from any folder."""
    names = {schema.OWN_FILE, schema.SHARED_FILE, PACKAGE_FILE}
    for tool in tools:
        names |= {*tool.config_code, *(() if tool.config_at_root else tool.config_names)}
    return names


def settings_differ(path: str, before: bytes | None, after: bytes | None, tools: Collection[str]) -> bool:
    """Return True if two versions of a configuration file configure wardround or these tools differently."""
    name = path.rpartition("/")[2]
    if name == schema.SHARED_FILE:
        return _toml_tables(before, {"wardround", *tools}) != _toml_tables(after, {"wardround", *tools})
    if name == PACKAGE_FILE:
        return _package_keys(before, tools) != _package_keys(after, tools)
    return before != after


def _toml_tables(content: bytes | None, names: Collection[str]) -> object:
    """Return the named tables below ``tool`` of a TOML file; the bytes themselves if it cannot be read."""
    import tomllib  # only reviews of a change to such a file need it

    try:
        tables = tomllib.loads((content or b"").decode("utf-8")).get("tool", {})
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError):
        return content
    return _select_keys(tables, names)


def _package_keys(content: bytes | None, tools: Collection[str]) -> object:
    """Return the keys of ``package.json`` that configure tools; the bytes themselves if it cannot be read."""
    try:
        document = msgspec.json.decode(content or b"{}")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return content
    return _select_keys(document, {f"{tool}{kind}" for tool in tools for kind in ("Config", "Ignore")})


def _select_keys(document: Mapping[str, Any] | object, names: Collection[str]) -> object:
    if not isinstance(document, dict):
        return document
    return {name: document[name] for name in sorted(names) if name in document}
