"""The recording of the lines that each test runs, with coverage.py of the project's environment."""

from __future__ import annotations

import os
import sys
import time
import warnings
from typing import Any

_SAVE_S = 5.0


class LineRecorder:
    """Records lines in contexts ``TEST|PHASE``, as pytest-cov names them.

    Attributes:
        problem: one clause if nothing is recorded.
    """

    def __init__(self, root: str, data: str) -> None:
        self._coverage: Any = None
        self.problem = ""
        if data:
            self._coverage, self.problem = _coverage(root, data)
        self._trace: Any = None
        self._saved = time.monotonic()

    def start(self) -> None:
        """Record from now on."""
        if self._coverage is not None:
            self._coverage.start()
            self._trace = sys.gettrace()

    def switch(self, test: str, phase: str) -> None:
        """Record what follows for a phase of a test; for an empty id, for none."""
        if self._coverage is not None:
            self._coverage.switch_context(f"{test}|{phase}" if test else "")

    def is_intact(self) -> bool:
        """Return False if a test ended the recording, which is then continued."""
        if self._coverage is None or sys.gettrace() is self._trace:
            return True
        self._coverage.stop()
        self.start()
        return False

    def save_sometimes(self) -> None:
        """Write the data every few seconds, so that a crash loses little."""
        if self._coverage is not None and time.monotonic() - self._saved > _SAVE_S:
            self._quietly(self._coverage.save)
            self._saved = time.monotonic()

    def stop(self) -> None:
        if self._coverage is not None:
            data = self._coverage
            self._quietly(data.stop)
            self._quietly(data.save)

    def _quietly(self, step: Any) -> None:
        """Call a step of coverage.py; after an error, as when a test removed the tree, record nothing."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                step()
        except Exception:  # noqa: BLE001  (its errors have no common class, and no test depends on it)
            self._coverage = None


def _coverage(root: str, data: str) -> tuple[Any, str]:
    """Return the recorder of coverage.py; None, with the reason, where it cannot tell tests apart cheaply."""
    os.environ["COVERAGE_CORE"] = "ctrace"
    try:
        import coverage
        import coverage.tracer
    except ImportError:
        is_there = "coverage" in sys.modules
        return None, "coverage.py has no C tracer" if is_there else "coverage.py is not installed"
    return coverage.Coverage(data_file=data, config_file=False, source=[root]), ""
