"""The start of an observation of tests, of a validation of candidates, or of a probe.

The work is in processes forked from this one, which imports neither pytest nor code of the project.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, TextIO

from ..versions import supply_versions
from .forks import Late, Report, cpu_s, values_of_fork
from .reimport import Reimport
from .request import Request

_MARGIN_S = 60.0
_REIMPORT_WALL_S = 60.0
_NO_PYTEST = "pytest is not installed in the environment"


def main() -> None:
    """Do what the request in the first argument describes; write one line of JSON for each result."""
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    sys.argv = ["pytest"]
    os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", os.path.join(os.environ["HOME"], "hypothesis"))
    supply_versions(request["root"])
    with open(request["results"], "a", buffering=1, encoding="utf-8") as results:
        if request["mode"] == "observe":
            observation = importlib.import_module(f"{__package__}.observation")
            observation.observe(request, results)
        elif request["mode"] == "probe":
            importlib.import_module(f"{__package__}.probe").run_probe(request, results)
        else:
            _Validation(Request(request), results).run()


class _Validation:
    """The validation, whose results this process writes."""

    def __init__(self, request: Request, results: TextIO) -> None:
        self._request = request
        self._results = results
        self._unswappable: list[int] = []
        self._plausible = 0
        self._progress: dict[str, int] = {}

    def run(self) -> None:
        """Validate by exchange of code, then the rest by import, and write the end."""
        wall_s = 4 * self._request.budget_s + _MARGIN_S
        problem = "the tests could not be collected"
        for value in values_of_fork(self._collect, lambda: wall_s, is_quiet=False):
            if isinstance(value, dict):
                problem = value.get("problem", "")
                self._take(value)
        if not problem:
            self._reimport_rest()
        self._write({"problem": problem, "cpu_s": cpu_s(), "is_end": True})

    def _collect(self, report: Report) -> None:
        try:
            collection = importlib.import_module(f"{__package__}.collection")
        except ImportError:
            report({"problem": _NO_PYTEST})
            return
        validation = importlib.import_module(f"{__package__}.validation")

        def work(items: dict[str, Any]) -> None:
            validation.Validation(self._request, items, report).run()

        collection.collect_tests(self._request.root, self._request.tests, work)

    def _take(self, value: dict[str, Any]) -> None:
        if "unswappable" in value:
            self._unswappable.append(value["unswappable"])
            return
        if "tried" in value:
            self._progress = value
        self._plausible += value.get("failed_test") == ""
        self._write(value)

    def _reimport_rest(self) -> None:
        reimport = Reimport(self._request)
        before = self._progress.get("tried", 0) - len(self._unswappable)
        for number, candidate in enumerate(self._unswappable):
            if cpu_s() > self._request.budget_s or self._plausible >= self._request.most_plausible:
                break
            self._reimport(reimport, candidate)
            self._write({**self._progress, "tried": before + number + 1, "reimported": number + 1})

    def _reimport(self, reimport: Reimport, candidate: int) -> None:
        """Run the failing tests, and in another process those that pass without an edit."""
        passed, test, exception = self._reimported_run(reimport, candidate, is_rest=False)
        if passed and not test:
            more, test, exception = self._reimported_run(reimport, candidate, is_rest=True)
            passed += more
        if passed:
            self._take({"index": candidate, "failed_test": test, "passed": passed, "exception": exception})

    def _reimported_run(self, reimport: Reimport, candidate: int, *, is_rest: bool) -> tuple[int, str, str]:
        """Return how many tests pass, the id of the next one, and its exception."""
        passed, exception = 0, "crashed"
        for value in values_of_fork(
            lambda report: reimport.run(candidate, is_rest, report), lambda: _REIMPORT_WALL_S
        ):
            if isinstance(value, list):
                return value[0], value[1], value[2]
            passed += isinstance(value, int)
            exception = "timed out" if isinstance(value, Late) else "crashed"
        return passed, self._request.tests[0], exception

    def _write(self, value: dict[str, Any]) -> None:
        self._results.write(json.dumps(value) + "\n")
