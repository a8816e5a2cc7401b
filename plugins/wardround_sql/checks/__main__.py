"""Writes the table of the checks anew: ``python -m wardround_sql.checks``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wardround.check_table import written
from wardround_sql.check import SqlCheck

TABLE = Path(__file__).with_name("table.py")


def current() -> str:
    """What the table must say."""
    return written("wardround_sql.checks", _marks)


def _marks(check: type[SqlCheck]) -> tuple[Sequence[str], Sequence[str]]:
    return (), check.WORDS


if __name__ == "__main__":
    TABLE.write_text(current(), encoding="utf-8")
