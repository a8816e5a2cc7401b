"""The configuration that a repository begins with."""

from __future__ import annotations

import tomllib
from typing import Any

from wardround.config.schema import OWN_FILE, SHARED_FILE
from wardround.setup_plan.model import Advice, FileChange, Present, Step
from wardround.setup_plan.surroundings import Surroundings

_TABLE = "tool.wardround"
_SETTING = 'fail-level = "error"  # the lowest severity that blocks: info, warn or error\n'
_CONFIGURED = "the configuration"


def settings_step(surroundings: Surroundings) -> Step:
    """Return the step for the configuration: a table of pyproject.toml where there is one, or a file."""
    if surroundings.first_of(OWN_FILE):
        return Present(OWN_FILE, _CONFIGURED)
    if surroundings.first_of(SHARED_FILE) is None:
        return FileChange(OWN_FILE, None, _SETTING.encode())
    before = surroundings.content(SHARED_FILE)
    if before is None:
        return Advice(SHARED_FILE, f"it is a link, or cannot be read; write the settings to {OWN_FILE}")
    return _table_step(before)


def _table_step(before: bytes) -> Step:
    try:
        value = tomllib.loads(before.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as cause:
        return Advice(SHARED_FILE, f"it is not valid TOML ({cause}); write the settings to {OWN_FILE}")
    tables = value.get("tool", {})
    if isinstance(tables, dict) and "wardround" in tables:
        return Present(SHARED_FILE, _CONFIGURED)
    after = _with_table(before)
    if after is None or not _is_extended(value, after):
        return Advice(SHARED_FILE, f"[{_TABLE}] cannot be added to it; write the settings to {OWN_FILE}")
    return FileChange(SHARED_FILE, before, after)


def _with_table(before: bytes) -> bytes | None:
    newline = b"\r\n" if b"\r\n" in before else b"\n"
    gap = b"" if not before.strip() else newline if before.endswith(b"\n") else newline * 2
    lines = f"[{_TABLE}]\n{_SETTING}".encode().replace(b"\n", newline)
    return before + gap + lines


def _is_extended(value: dict[str, Any], after: bytes) -> bool:
    """Return True if the new text has the old value with the new table."""
    try:
        changed = tomllib.loads(after.decode("utf-8"))
    except tomllib.TOMLDecodeError:
        return False
    added = changed["tool"].pop("wardround")
    if "tool" not in value:
        del changed["tool"]
    return bool(changed == value and added == tomllib.loads(_SETTING))
