"""The tests at the base: the requested ones first, then the rest up to the end of the time."""

from __future__ import annotations

import importlib
import json
from typing import Any, TextIO

from .forks import Crash, Late, Report, cpu_s, values_of_fork

_MARGIN_S = 60.0
_NO_PYTEST = "pytest is not installed in the environment"


def observe(request: dict[str, Any], results: TextIO) -> None:
    """Write the result of each test, and last the end; a test that ends the process ends the observation."""
    longest = 4 * request["budget_s"] + _MARGIN_S
    end: dict[str, Any] = {"is_end": True, "is_complete": True}
    for value in values_of_fork(lambda report: _run_suite(request, report), lambda: longest, is_quiet=False):
        if isinstance(value, dict) and ("id" in value or "uncollected" in value):
            results.write(json.dumps(value) + "\n")
        elif isinstance(value, dict):
            end.update(value)
        elif isinstance(value, (Late, Crash)):
            end.update(is_complete=False, ended_by=type(value).__name__)
    repeated = {**request, "is_repetition": True}
    again = [
        value
        for value in values_of_fork(lambda report: _run_suite(repeated, report), lambda: longest)
        if isinstance(value, dict) and "id" in value
    ]
    end["repeated"] = [[value["id"], value["outcome"]] for value in again]
    results.write(json.dumps({**end, "cpu_s": cpu_s()}) + "\n")


def _run_suite(request: dict[str, Any], report: Report) -> None:
    try:
        collection = importlib.import_module(f"{__package__}.collection")
    except ImportError:
        report({"problem": _NO_PYTEST})
        return
    is_repetition = request.get("is_repetition", False)
    plugin = importlib.import_module(f"{__package__}.observer").Observer(request, report, is_repetition)
    status = collection.run_pytest(request["root"], request["tests"], plugin, only=is_repetition)
    report({"status": status})
