"""One run of a test in which an expression is evaluated each time before a line runs."""

from __future__ import annotations

import importlib
import json
import os
from typing import Any, TextIO

from .forks import Crash, Late, Report, values_of_fork

_MARGIN_S = 20.0
_NO_PYTEST = "pytest is not installed in the environment"


def run_probe(request: dict[str, Any], results: TextIO) -> None:
    """Write each value and the outcome of the test, and last the end."""
    longest = 4 * request["budget_s"] + _MARGIN_S
    end: dict[str, Any] = {"is_end": True, "problem": ""}
    for value in values_of_fork(lambda report: _run_test(request, report), lambda: longest, is_quiet=False):
        if isinstance(value, dict) and "problem" in value:
            end.update(value)
        elif isinstance(value, dict):
            results.write(json.dumps(value) + "\n")
        elif isinstance(value, (Late, Crash)):
            end["problem"] = "the run took too long" if isinstance(value, Late) else "the process ended"
    results.write(json.dumps(end) + "\n")


def _run_test(request: dict[str, Any], report: Report) -> None:
    try:
        collection = importlib.import_module(f"{__package__}.collection")
    except ImportError:
        report({"problem": _NO_PYTEST})
        return
    line_probe = importlib.import_module(f"{__package__}.line_probe")
    probe = line_probe.LineProbe(
        os.path.realpath(os.path.join(request["root"], request["path"])),
        request["line"],
        request["expression"],
        request["budget_s"],
        report,
    )
    plugin = line_probe.ProbedTest(request["root"], request["test"], probe, report)
    collection.run_pytest(request["root"], [request["test"]], plugin, only=True)
