"""The recording of the lines that each test runs, with the tracer of coverage.py of the project."""

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Iterable, Mapping
from typing import Any

_SAVE_S = 5.0
_SHARE = 20
"""Data are written for at most one part in this many of the elapsed time."""


class LineRecorder:
    """Records lines in contexts ``TEST|PHASE``, as pytest-cov names them.

    Args:
        root: the folder whose files are recorded.
        data: the file for the lines; empty to record none.
        measured: absolute paths of the files whose branches are recorded.

    Attributes:
        problem: one clause if nothing is recorded.
    """

    def __init__(self, root: str, data: str, measured: Iterable[str] = ()) -> None:
        self._file = data
        self._root = root
        self._lines = _Lines(measured)
        self._coverage: Any = None
        self.problem = ""
        if data:
            self._coverage, self.problem = _coverage(root)
        self._trace: Any = None
        self._next_save = time.monotonic() + _SAVE_S

    def start(self) -> None:
        """Record from now on."""
        if self._coverage is None:
            return
        self._coverage.start()
        collector: Any = getattr(self._coverage, "_collector", None)
        if not hasattr(collector, "use_data") or not hasattr(collector, "flush_data"):
            self._coverage.stop()
            self._coverage, self.problem = None, "this version of coverage.py is not supported"
            return
        collector.use_data(self._lines, None)  # its own database takes as long as the tracing
        self._trace = sys.gettrace()

    def switch(self, test: str, phase: str) -> None:
        """Record what follows for a phase of a test; for an empty id, for none."""
        if self._coverage is not None:
            self._coverage.switch_context(f"{test}|{phase}" if test else "")

    def is_intact(self) -> bool:
        """Return False if a test ended the recording, which is then continued."""
        if self._coverage is None or sys.gettrace() is self._trace:
            return True
        self._quietly(self._coverage.stop)
        self._quietly(self._coverage.start)
        self._trace = sys.gettrace()
        return False

    def save_sometimes(self) -> None:
        """Write the data every few seconds, so that a crash loses little."""
        begun = time.monotonic()
        if self._coverage is not None and begun > self._next_save:
            self._quietly(self._save)
            current = time.monotonic()
            self._next_save = current + max(_SAVE_S, _SHARE * (current - begun))

    def stop(self) -> None:
        if self._coverage is not None:
            self._quietly(self._coverage.stop)
            self._quietly(self._save)
            self._quietly(self._count_branches)
            self._quietly(self._save)

    def _count_branches(self) -> None:
        self._lines.count_branches(self._root)

    def _save(self) -> None:
        self._coverage._collector.flush_data()
        with open(f"{self._file}.new", "w", encoding="utf-8", errors="backslashreplace") as file:
            json.dump(self._lines.values(), file)
        os.replace(f"{self._file}.new", self._file)

    def _quietly(self, step: Any) -> None:
        """Do a step; after an error, as when a test removed the tree, record nothing."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                step()
        except Exception:  # noqa: BLE001  (its errors have no common class, and no test depends on it)
            self._coverage = None


class _Lines:
    """Lines by context and file, with the methods that the tracer calls on its database."""

    def __init__(self, measured: Iterable[str]) -> None:
        self._found: dict[str, dict[str, bytearray]] = {}
        self._context = ""
        self._arcs: dict[str, set[tuple[int, int]]] = {path: set() for path in measured}
        self._branches: dict[str, dict[int, tuple[int, int]]] = {}

    def set_context(self, context: str | None) -> None:
        self._context = context or ""

    def add_lines(self, lines: Mapping[str, Iterable[int]]) -> None:
        files = self._found.setdefault(self._context, {})
        for path, numbers in lines.items():
            bits = files.setdefault(path, bytearray())
            for number in numbers:
                at = number >> 3
                if at >= len(bits):
                    bits.extend(bytes(at + 1 - len(bits)))
                bits[at] |= 1 << (number & 7)

    def add_arcs(self, arcs: Mapping[str, Iterable[tuple[int, int]]]) -> None:
        self.add_lines(
            {path: [line for arc in some for line in arc if line > 0] for path, some in arcs.items()}
        )
        for path in self._arcs.keys() & arcs.keys():
            self._arcs[path].update(arcs[path])

    def count_branches(self, root: str) -> None:
        """Count the branches of the measured files, and those that were taken."""
        import coverage

        reader = coverage.Coverage(data_file=None, config_file=False, branch=True)
        found = {path: arcs for path, arcs in self._arcs.items() if arcs}
        if found and hasattr(reader, "branch_stats"):
            reader.get_data().add_arcs(found)
            for path in found:
                self._branches[os.path.relpath(path, root)] = reader.branch_stats(path)

    def add_file_tracers(self, tracers: Mapping[str, str]) -> None:
        """Ignore the names of the plugins that read templates."""

    def values(self) -> dict[str, object]:
        """Return rows of context and, by path, the lines as bits in hexadecimal digits; and the branches."""
        rows = [
            [context, {path: bits.hex() for path, bits in files.items()}]
            for context, files in self._found.items()
        ]
        return {"rows": rows, "branches": self._branches}


def _coverage(root: str) -> tuple[Any, str]:
    """Return the recorder of coverage.py; None, with the reason, where it cannot tell tests apart cheaply."""
    os.environ["COVERAGE_CORE"] = "ctrace"
    try:
        import coverage
        import coverage.tracer
    except ImportError:
        is_there = "coverage" in sys.modules
        return None, "coverage.py has no C tracer" if is_there else "coverage.py is not installed"
    return coverage.Coverage(data_file=None, config_file=False, source=[root], branch=True), ""
