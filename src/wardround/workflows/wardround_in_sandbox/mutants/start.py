"""The start of a mutation run: the tests once without a mutant, then with each mutant until one fails.

Each run is a process forked from this one, which has imported pytest and no code of the project.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import time
import traceback
from contextlib import suppress
from typing import Any, TextIO

from ..versions import supply_versions
from .line_trace import LineTrace

_LONGEST_FACTOR = 3.0
_LEAST_TIMEOUT_S = 5.0
_POLL_S = 0.005
_FIRST_TIME_S = 1_000_000_000
"""The modification time of the first mutant: a past one, which no other file of the tree has."""


def main() -> None:
    """Run what the request in the first argument describes; write one line of JSON for each result."""
    begun = time.monotonic()
    with open(sys.argv[1], encoding="utf-8") as file:
        request = json.load(file)
    sys.argv = ["pytest"]
    supply_versions(request["root"])
    with open(request["results"], "a", buffering=1, encoding="utf-8") as results:
        first = _run_in_fork(request, request["tests"], request["lines"], request["budget_s"], is_quiet=False)
        is_slow = first is None and time.monotonic() - begun >= request["budget_s"]
        results.write(json.dumps({"first": first or {}, "is_slow": is_slow}) + "\n")
        if first and first["outcomes"]:
            _run_mutants(request, first, results, begun + request["budget_s"])


def _run_mutants(request: dict[str, Any], first: dict[str, Any], results: TextIO, deadline: float) -> None:
    if first["is_preloadable"]:
        importlib.import_module("pytest")
    for number, mutant in enumerate(request["mutants"]):
        tests = _passed_tests_covering(mutant, first)
        if not tests:
            continue
        if time.monotonic() > deadline:
            return
        own = first["overhead"] + sum(first["seconds"][test] for test in tests)
        longest = max(_LONGEST_FACTOR * own, _LEAST_TIMEOUT_S)
        with _Mutated(request["root"], mutant, _FIRST_TIME_S + number):
            ran = _run_in_fork(request, tests, {}, longest, is_quiet=True)
        outcomes = (ran or {}).get("outcomes", {})
        is_noticed = any(outcomes.get(test) != "passed" for test in tests)
        results.write(json.dumps({"mutant": number, "is_noticed": is_noticed, "tests": len(tests)}) + "\n")
    results.write('"end"\n')


def _passed_tests_covering(mutant: dict[str, Any], first: dict[str, Any]) -> list[str]:
    """Return the tests that passed and ran a line of a mutant, the fastest first."""
    lines = {(mutant["path"], line) for line in mutant["lines"]}
    ran = {test: {tuple(arc) for arc in some} for test, some in first["ran"].items()}
    is_shared = not lines.isdisjoint(ran.get("", ()))
    found = [
        test
        for test, outcome in first["outcomes"].items()
        if outcome == "passed" and (is_shared or not lines.isdisjoint(ran.get(test, ())))
    ]
    return sorted(found, key=lambda test: (first["seconds"][test], test))


class _Mutated:
    """A file with one edit while the context lasts.

    Its time is another one for each mutant, as the interpreter compares it with the time of the bytecode.
    """

    def __init__(self, root: str, mutant: dict[str, Any], stamp: int) -> None:
        self._path = os.path.join(root, mutant["path"])
        self._mutant = mutant
        self._stamp = stamp

    def __enter__(self) -> None:
        with open(self._path, "rb") as file:
            self._content = file.read()
        self._time = os.stat(self._path).st_mtime_ns
        start, end = self._mutant["start"], self._mutant["end"]
        new = self._mutant["after"].encode()
        self._write(self._content[:start] + new + self._content[end:], self._stamp * 10**9)

    def __exit__(self, *error: object) -> None:
        self._write(self._content, self._time)

    def _write(self, content: bytes, time_ns: int) -> None:
        with open(self._path, "wb") as file:
            file.write(content)
        os.utime(self._path, ns=(time_ns, time_ns))


def _run_in_fork(
    request: dict[str, Any],
    tests: list[str],
    lines: dict[str, list[int]],
    longest_s: float,
    *,
    is_quiet: bool,
) -> dict[str, Any] | None:
    """Run tests in a process; return its result, None if it ended without one or was too slow."""
    file = request["results"] + ".one"
    if os.path.exists(file):
        os.unlink(file)
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        _run(request, tests, lines, file, is_quiet=is_quiet)
    _wait(child, longest_s)
    try:
        with open(file, encoding="utf-8") as stream:
            found = json.load(stream)
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def _run(
    request: dict[str, Any], tests: list[str], lines: dict[str, list[int]], file: str, *, is_quiet: bool
) -> None:
    """Run tests in this process, write the result, and end the process."""
    try:
        os.setsid()
        sys.dont_write_bytecode = False  # of unchanged files, for the next mutants
        if is_quiet:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        pytest_run = importlib.import_module(f"{__package__}.pytest_run")
        trace = LineTrace(request["root"], lines) if lines else None
        found = pytest_run.run(request["root"], tests, trace)
        ran = trace.ran if trace else {}
        found["ran"] = {test: sorted(some) for test, some in ran.items()}
        with open(file, "w", encoding="utf-8") as stream:
            json.dump(found, stream)
    except BaseException:  # noqa: BLE001  (of the project; the process ends)
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        os._exit(0)


def _wait(child: int, longest_s: float) -> None:
    """Wait for a process; at the end of the time, kill it and those of its session."""
    deadline = time.monotonic() + longest_s
    while not os.waitpid(child, os.WNOHANG)[0]:
        if time.monotonic() > deadline:
            _kill(child)
            os.waitpid(child, 0)
            return
        time.sleep(_POLL_S)
    _kill(child)


def _kill(session: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(session, signal.SIGKILL)
