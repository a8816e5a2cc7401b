"""The configuration of ruff: the project's own, with ours on top of it, or ours alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import msgspec

from wardround.tools.parsing import map_of
from wardround.tools.setting_texts import resolve_sibling
from wardround_python.target_version import NEWEST_KNOWN, PythonTarget, target_of

FALLBACK = "ruff.toml"
"""The file above a snapshot that applies to files without a configuration of the project."""
_OLDEST = 7
"""The oldest minor version that ruff takes as a target."""
_NAMES = (".ruff.toml", "ruff.toml", "pyproject.toml")
"""Its configuration files, the first of a folder counting."""
_OVERLAY = "# wardround's selection, on top of a configuration that has none\n"


def ruff_fallback_config(read: Callable[[str], str | None]) -> tuple[str, str]:
    """Return the selection for projects that have no ruff configuration of their own."""
    tool_map = map_of("ruff")
    target = target_of(read)
    return FALLBACK, (
        f"{target.note()}{_target_setting(target)}[lint]\n"
        f"select = {_toml(tool_map.select)}\nignore = {_toml(tool_map.ignore)}\n"
        f"[lint.per-file-ignores]\n{_ruff_per_file()}"
    )


def _target_setting(target: PythonTarget) -> str:
    """Return the oldest Python a project supports, as a setting of ruff's own table."""
    if target.oldest is None:
        return ""
    return f'target-version = "py3{min(max(_OLDEST, target.oldest), NEWEST_KNOWN)}"\n'


def ruff_config_overlay(folder: str, configs: Mapping[str, str]) -> Mapping[str, str]:
    """Return our selection on top of a ruff configuration that selects no rules.

    The default selection of ruff changes from version to version, so a project that sets a line length has
    not chosen it. Its other settings apply, including its ignores and additional selections.
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
    if name == ".ruff.toml":  # the name the overlay requires
        extended = ".ruff-of-project.toml"
        files[stem + extended] = configs[stem + name]
    files[f"{stem}.ruff.toml"] = (
        f"{_OVERLAY}extend = {_toml(extended)}\n[lint]\nselect = {_toml([*tool_map.select, *added])}\n"
        f"ignore = {_toml([*tool_map.ignore, *ignored])}\n[lint.extend-per-file-ignores]\n{_ruff_per_file()}"
    )
    return files


def selected_by_project(root: Path, file: str, code: str) -> bool:
    """Return True if the project's own configuration, in a snapshot, selects a code for a file.

    The code was reported, so a selection of the project's own includes it.
    """
    read = partial(read_snapshot_file, root)
    name = _config_of(root, file)
    if name is None:
        return False
    added = _codes(_ruff_chain(name, read)[1:], "extend-select")
    return not (read(name) or "").startswith(_OVERLAY) or "ALL" in added or code.startswith(added)


def states_target(root: Path, file: str) -> bool:
    """Return True if a project's own ruff configuration for a file sets the Python version."""
    name = _config_of(root, file)
    return name is not None and any(
        "target-version" in table for table in _ruff_chain(name, partial(read_snapshot_file, root))
    )


def _config_of(root: Path, file: str) -> str | None:
    """Return the project's ruff configuration for a file of a snapshot; None if there is none."""
    for folder in PurePosixPath(file).parents:
        for name in (str(folder / name) for name in _NAMES):
            text = read_snapshot_file(root, name)
            if text is not None and _ruff_table(name, text) is not None:
                return name
    return None


LEFT_OUT = frozenset(
    (
        ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache",
        ".nox", ".pants.d", ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv",
        ".vscode", "__pypackages__", "_build", "buck-out", "dist", "node_modules", "site-packages", "venv",
    )
)  # fmt: skip
"""Names of folders that ruff excludes if a configuration does not set ``exclude``."""


def excludes_by_itself(root: Path, file: str) -> bool:
    """Return True if a project's configuration, in a snapshot, sets ``exclude`` for a file."""
    read = partial(read_snapshot_file, root)
    for folder in PurePosixPath(file).parents:
        for name in (str(folder / name) for name in _NAMES):
            if read(name) is not None and (chain := _ruff_chain(name, read)):
                return any("exclude" in table for table in chain)
    return False


def is_in_default_exclude(file: str) -> bool:
    """Return True if ruff excludes a file by default because of a folder in its path."""
    return not LEFT_OUT.isdisjoint(file.split("/")[:-1])


def read_snapshot_file(root: Path, name: str) -> str | None:
    """Return the content of a file of a snapshot; None if it cannot be read."""
    try:
        return (root / name).read_text("utf-8-sig")
    except (OSError, ValueError):
        return None


def _codes(chain: Sequence[Mapping[str, Any]], *keys: str) -> tuple[str, ...]:
    """Return the codes in some settings of a configuration; ruff reports a value that is not a list."""
    named = (table.get(key) for table in chain for key in keys)
    return tuple(
        code for codes in named if isinstance(codes, list) for code in codes if isinstance(code, str)
    )


def _ruff_chain(path: str, read: Callable[[str], str | None]) -> list[dict[str, Any]]:
    """Return the rule selections of a configuration and of those it extends; none without ruff settings."""
    chain = []
    waiting = [path]
    while waiting:
        current = waiting.pop()
        try:
            table = _ruff_table(current, read(current) or "")
        except (ValueError, AttributeError):
            return []  # ruff itself reports the file
        if not isinstance(table, dict):
            continue
        lint = table.get("lint")
        chosen = lint if isinstance(lint, dict) else {}
        chain.append({**table, **{key: value for key, value in chosen.items() if key != "exclude"}})
        waiting += ruff_config_closure(current, read(current) or "")
    return chain


def _ruff_table(path: str, text: str) -> Any:
    """Return ruff's table in a configuration file; None if it has none.

    Raises:
        ValueError: it is not valid TOML.
        AttributeError: a value that encloses ruff's table is not a table.
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


def _toml(value: str | list[str]) -> str:
    return msgspec.json.encode(value).decode()


def ruff_config_closure(path: str, text: str) -> list[str]:
    """Return the configuration a ruff configuration extends, relative to the repository root."""
    names = (name for name in extended_by(path, text) if not name.startswith("~"))
    return [target for name in names if (target := resolve_sibling(path, name)) is not None]


def extended_by(path: str, text: str) -> list[str]:
    """Return the configuration that a ruff configuration extends, as it writes it."""
    if not path.endswith(".toml"):
        return []
    try:
        table = _ruff_table(path, text) or {}
        extended = table.get("extend")
    except (ValueError, AttributeError):
        return []  # ruff itself reports the file
    return [extended] if isinstance(extended, str) else []
