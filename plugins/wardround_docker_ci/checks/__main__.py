"""Writes the table of the checks anew: ``python -m wardround_docker_ci.checks``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from wardround.check_table import written
from wardround_docker_ci.check import CiCheck

TABLE = Path(__file__).with_name("table.py")


def current() -> str:
    """What the table must say."""
    return written("wardround_docker_ci.checks", _marks)


def _marks(check: type[CiCheck]) -> tuple[Sequence[str], Sequence[str]]:
    return [kind.value for kind in check.KINDS], check.NEEDS


if __name__ == "__main__":
    TABLE.write_text(current(), encoding="utf-8")
