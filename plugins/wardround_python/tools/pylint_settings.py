"""Facts a project declares for pylint: names that its loader injects, lines with a rule disabled."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from wardround_python.tools.ruff_config import read_snapshot_file

FILES = (".pylintrc", "pylintrc")
"""Dedicated configuration files that pylint reads at the root of a project; pyproject.toml is the third."""
_NAMES = {
    "F401": ("unused-import", "W0611"),
    "F811": ("function-redefined", "E0102"),
    "F821": ("undefined-variable", "E0602"),
    "F841": ("unused-variable", "W0612"),
    "reportUndefinedVariable": ("undefined-variable", "E0602"),
    "unresolved-reference": ("undefined-variable", "E0602"),
}
"""pylint's name and code for a code of another tool. Source: ruff's table of pylint rules."""
CODES = frozenset(_NAMES)
UNDEFINED = tuple(code for code, (name, _) in _NAMES.items() if name == "undefined-variable")
"""Codes for a name that nothing defines."""
_DISABLED = re.compile(r"#\s{0,20}pylint:\s{0,20}disable=([\w, -]{1,500})")


def is_disabled(code: str, line: str) -> bool:
    """Return True if a comment on a line disables pylint's rule for what a code reports."""
    match = _DISABLED.search(line)
    disabled = {name.strip() for name in match[1].split(",")} if match is not None else set()
    return not disabled.isdisjoint(_NAMES.get(code, ()))


def additional_builtins(root: Path) -> frozenset[str]:
    """Return the names that a project's pylint configuration declares as defined everywhere."""
    named = [_from_ini(read_snapshot_file(root, name) or "") for name in FILES]
    named.append(_from_toml(read_snapshot_file(root, "pyproject.toml") or ""))
    return frozenset(name for names in named for name in re.split(r"[,\s]+", names) if name)


def _from_ini(text: str) -> str:
    if "additional-builtins" not in text:
        return ""
    import configparser  # few projects have such a file

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return ""
    return next(
        (table["additional-builtins"] for table in parser.values() if "additional-builtins" in table), ""
    )


def _from_toml(text: str) -> str:
    if "additional-builtins" not in text:
        return ""
    import tomllib

    try:
        tables = tomllib.loads(text).get("tool", {}).get("pylint", {})
    except (tomllib.TOMLDecodeError, RecursionError, AttributeError):
        return ""
    groups = [tables, *tables.values()] if isinstance(tables, Mapping) else []
    result = (
        group["additional-builtins"]
        for group in groups
        if isinstance(group, Mapping) and "additional-builtins" in group
    )
    names = next(result, "")
    return ",".join(map(str, names)) if isinstance(names, list) else str(names)
