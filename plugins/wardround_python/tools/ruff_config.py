"""ruff's configuration: a project's own, ours on top of it or, where there is none, alone."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from wardround.digests import sha256
from wardround.kept import kept
from wardround.tools.output import map_of

_NAMES = (".ruff.toml", "ruff.toml", "pyproject.toml")
"""Its configuration files, the first of a folder counting."""
_OVERLAY = "# wardround's selection, on top of a configuration that has none\n"


def ruff_fallback_config(read: Callable[[str], str | None]) -> tuple[str, str]:
    """The selection for projects that have no ruff configuration of their own."""
    tool_map = map_of("ruff")
    target = _target_version(read("pyproject.toml") or "")
    return "ruff.toml", (
        f"{target}[lint]\nselect = {_toml(tool_map.select)}\nignore = {_toml(tool_map.ignore)}\n"
        f"[lint.per-file-ignores]\n{_ruff_per_file()}"
    )


def ruff_config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Our selection on top of a ruff configuration that chooses no rules.

    What ruff selects by itself changes from version to version, so a project that sets a line length has not
    asked for it. Its other settings count, its ignores and additional selections too.
    """
    stem = f"{folder}/" if folder else ""
    name = next((n for n in _NAMES if stem + n in configs), None)
    if name is None:
        return {}
    chain = _ruff_chain(stem + name, configs.get)
    if not chain or any("select" in table for table in chain):
        return {}
    tool_map = map_of("ruff")
    added = _codes(chain, "extend-select")
    ignored = _codes(chain, "ignore", "extend-ignore")
    extended = name
    files = {}
    if name == ".ruff.toml":  # the name the overlay needs
        extended = ".ruff-of-project.toml"
        files[stem + extended] = configs[stem + name]
    files[f"{stem}.ruff.toml"] = (
        f"{_OVERLAY}extend = {_toml(extended)}\n[lint]\nselect = {_toml([*tool_map.select, *added])}\n"
        f"ignore = {_toml([*tool_map.ignore, *ignored])}\n[lint.extend-per-file-ignores]\n{_ruff_per_file()}"
    )
    return files


def selected_by_project(root: Path, file: str, code: str) -> bool:
    """Whether a project's own configuration, as it lies in a snapshot, asks for a code in a file.

    The code was reported, so that any selection of the project's own has asked for it.
    """
    read = partial(text_in, root)
    for folder in PurePosixPath(file).parents:
        for name in (str(folder / name) for name in _NAMES):
            text = read(name)
            if text is not None and _ruff_table(name, text) is not None:
                added = _codes(_ruff_chain(name, read)[1:], "extend-select")
                return not text.startswith(_OVERLAY) or "ALL" in added or code.startswith(added)
    return False


def text_in(root: Path, name: str) -> str | None:
    """What a file of a snapshot says; None where it cannot be read."""
    try:
        return (root / name).read_text("utf-8-sig")
    except (OSError, ValueError):
        return None


def _codes(chain: Sequence[Mapping[str, Any]], *keys: str) -> tuple[str, ...]:
    """The codes that some settings of a configuration name; what is no list of them, ruff complains of."""
    named = (table.get(key) for table in chain for key in keys)
    return tuple(
        code for codes in named if isinstance(codes, list) for code in codes if isinstance(code, str)
    )


def _ruff_chain(path: str, read: Callable[[str], str | None]) -> list[dict[str, Any]]:
    """The rule selections of a configuration and of those it extends; none if it is not about ruff."""
    chain = []
    waiting = [path]
    while waiting:
        current = waiting.pop()
        try:
            table = _ruff_table(current, read(current) or "")
        except (ValueError, AttributeError):
            return []  # ruff itself will complain about the file
        if not isinstance(table, dict):
            continue
        lint = table.get("lint")
        chain.append({**table, **(lint if isinstance(lint, dict) else {})})
        waiting += ruff_config_closure(current, read(current) or "")
    return chain


def _ruff_table(path: str, text: str) -> Any:
    """What a file says to ruff, if that is a table; None if it says nothing.

    Raises:
        ValueError: it is no TOML.
        AttributeError: what should be a table around ruff's is none.
    """
    is_shared = path.endswith("pyproject.toml")
    if is_shared and "ruff" not in text:
        return None  # as in most projects, and without reading it
    import tomllib

    table = tomllib.loads(text)
    return table.get("tool", {}).get("ruff") if is_shared else table


def _ruff_per_file() -> str:
    tool_map = map_of("ruff")
    return "".join(
        f"{_toml(pattern)} = {_toml(codes)}\n" for pattern, codes in sorted(tool_map.ignore_in.items())
    )


def _target_version(pyproject: str) -> str:
    """The oldest Python a project supports, as ruff's setting; ruff reads it only beside its own tables."""
    if "requires-python" not in pyproject:
        return ""
    name = sha256(pyproject.encode("utf-8", "surrogateescape")).hexdigest()
    return kept("target-version", name, lambda: _read_target_version(pyproject), str)


def _read_target_version(pyproject: str) -> str:
    import tomllib

    try:
        wanted = tomllib.loads(pyproject).get("project", {}).get("requires-python", "")
        oldest = re.search(r"(?:>=|~=|==)\s*3\.(\d+)", wanted)
    except (tomllib.TOMLDecodeError, AttributeError, TypeError):
        return ""
    return f'target-version = "py3{max(7, int(oldest[1]))}"\n' if oldest else ""


def _toml(value: str | list[str]) -> str:
    return msgspec.json.encode(value).decode()


def ruff_config_closure(path: str, text: str) -> list[str]:
    """The configuration a ruff configuration extends, relative to the repository root."""
    try:
        table = _ruff_table(path, text) or {}
        extended = table.get("extend")
    except (ValueError, AttributeError):
        return []  # ruff itself will complain about the file
    if not isinstance(extended, str) or extended.startswith(("/", "~")):
        return []
    target = os.path.normpath(PurePosixPath(path).parent / extended)
    return [] if target.startswith("..") else [target]
