"""The figures of the benchmarks in one file, docs/cost.json, from which ``cost.py`` generates
docs/cost.md.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_DECIMALS = 3


def add_json_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="replace the figures of this benchmark in FILE: docs/cost.json",
    )


def write(file: Path | None, benchmark: str, figures: Mapping[str, Any]) -> None:
    """Replace the figures of a benchmark that have the same names; without a file, do nothing."""
    if file is None:
        return
    known = json.loads(file.read_text("utf-8")) if file.exists() else {}
    retained = {**known.get(benchmark, {}), **figures, "machine": machine()}
    text = json.dumps({**known, benchmark: _round_figures(retained)}, indent=1, sort_keys=True)
    file.write_text(f"{text}\n", "utf-8")


def machine() -> str:
    """Return what the seconds of a benchmark depend on most."""
    flags = Path("/proc/cpuinfo")
    has_vnni = flags.exists() and "vnni" in flags.read_text("utf-8", "replace")
    return f"{os.cpu_count()} cores, Python {platform.python_version()}, VNNI: {'yes' if has_vnni else 'no'}"


def _round_figures(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DECIMALS)
    if isinstance(value, dict):
        return {name: _round_figures(item) for name, item in value.items()}
    return value
