"""The lines of some files that each test runs, from a trace function of the interpreter."""

from __future__ import annotations

import os
import sys
import threading
from typing import Any


class LineTrace:
    """Records the lines of interest.

    Args:
        root: the absolute path of the tree.
        lines: path in the tree -> the lines of interest.
    """

    def __init__(self, root: str, lines: dict[str, list[int]]) -> None:
        self._lines = {os.path.join(root, path): (path, frozenset(some)) for path, some in lines.items()}
        self._codes: dict[Any, Any] = {}
        self._test = ""
        self.ran: dict[str, set[tuple[str, int]]] = {"": set()}

    def start(self) -> None:
        """Trace all threads from now on."""
        threading.settrace(self._call)
        sys.settrace(self._call)

    def switch(self, test: str) -> None:
        """Record what follows for a test; a test that ended the trace does not end it for others."""
        self._test = test
        self.ran.setdefault(test, set())
        if sys.gettrace() is None:
            self.start()

    def _call(self, frame: Any, event: str, argument: Any) -> Any:
        code = frame.f_code
        if code not in self._codes:
            self._codes[code] = self._local(code)
        return self._codes[code]

    def _local(self, code: Any) -> Any:
        """Return the trace function of a piece of code; None if it has no line of interest."""
        found = self._lines.get(os.path.abspath(code.co_filename))
        if found is None:
            return None
        path, lines = found

        def trace(frame: Any, event: str, argument: Any) -> Any:
            if event == "line" and frame.f_lineno in lines:
                self.ran[self._test].add((path, frame.f_lineno))
            return trace

        return trace
