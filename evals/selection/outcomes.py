"""A plugin of pytest that writes the outcome of each test as JSON to the file that a variable names."""

from __future__ import annotations

import json
import os
from typing import Any

VARIABLE = "TEST_OUTCOMES"
_ORDER = ("skipped", "passed", "failed")
_outcomes: dict[str, str] = {}


def pytest_runtest_logreport(report: Any) -> None:
    """Keep the worst outcome of the phases of a test."""
    known = _outcomes.get(report.nodeid, "skipped")
    _outcomes[report.nodeid] = max(known, report.outcome, key=_ORDER.index)


def pytest_collectreport(report: Any) -> None:
    """Keep a file that cannot be collected, under its path."""
    if report.failed:
        _outcomes[report.nodeid] = "failed"


def pytest_sessionfinish() -> None:
    """Write the outcomes."""
    with open(os.environ[VARIABLE], "w", encoding="utf-8") as stream:
        json.dump(_outcomes, stream)
