"""The lines of files of the tree that each test runs, without those of modules while they are imported."""

from __future__ import annotations

import inspect
import os
import sys
import threading
import types
from typing import Any

_NAME = "wardround"
_OF_FUNCTIONS = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS
_MOST_KNOWN = 2000
"""Lines of a function after which a test is traced in it no more: few functions run a new one later."""


class LineCoverage:
    """Records lines, with what the interpreter has: its monitoring, or else a trace function.

    Args:
        root: the absolute path of the tree.
    """

    def __init__(self, root: str) -> None:
        self._tree = os.path.join(root, "")
        self._paths: dict[str, str | None] = {}
        self._lines: dict[str, set[int]] = {}
        self._monitoring: Any = getattr(sys, "monitoring", None)
        self._tool = -1
        self._locals: dict[Any, Any] = {}

    def start(self) -> None:
        """Begin to record a test."""
        self._lines = {}
        self._locals = {}
        if self._monitoring is not None and self._has_tool():
            self._monitoring.restart_events()
            self._monitoring.set_events(self._tool, self._monitoring.events.LINE)
        else:
            threading.settrace(self._trace)
            sys.settrace(self._trace)

    def stop(self) -> dict[str, list[int]]:
        """Return the lines of each file."""
        if self._tool >= 0:
            self._monitoring.set_events(self._tool, 0)
        else:
            sys.settrace(None)
            threading.settrace(None)
        return {path: sorted(lines) for path, lines in self._lines.items()}

    def _has_tool(self) -> bool:
        """Return True if this has one of the numbers that the interpreter gives to tools."""
        if self._tool < 0:
            free = [tool for tool in (4, 3, 5, 2) if self._monitoring.get_tool(tool) is None]
            if not free:
                return False
            self._tool = free[0]
            self._monitoring.use_tool_id(self._tool, _NAME)
            self._monitoring.register_callback(self._tool, self._monitoring.events.LINE, self._add_line)
        return True

    def _add_line(self, code: Any, line: int) -> Any:
        path = self._path(code)
        if path is not None:
            self._lines.setdefault(path, set()).add(line)
        return self._monitoring.DISABLE

    def _trace(self, frame: Any, event: str, argument: Any) -> Any:
        code = frame.f_code
        try:
            return self._locals[code]
        except KeyError:
            self._locals[code] = found = self._local(code)
            return found

    def _local(self, code: Any) -> Any:
        """Return the trace function of a code, which is replaced by none once all of its lines ran."""
        path = self._path(code)
        if path is None:
            return None
        lines = self._lines.setdefault(path, set())
        left = {line for _, _, line in _line_table(code)} - {None, code.co_firstlineno}
        patience = _MOST_KNOWN

        def trace(frame: Any, event: str, argument: Any) -> Any:
            nonlocal patience
            if event == "line":
                line = frame.f_lineno
                if line in left:
                    lines.add(line)
                    left.discard(line)
                patience -= 1
                if not left or not patience:
                    self._locals[code] = None
                    frame.f_trace_lines = False
                    return None
            return trace

        return trace

    def _path(self, code: Any) -> str | None:
        """Return the path of a code in the tree; None outside of it, and for modules and classes."""
        if code.co_name == "<module>" or not code.co_flags & _OF_FUNCTIONS:
            return None
        name = code.co_filename
        if name not in self._paths:
            path = os.path.abspath(name)
            is_inside = path.startswith(self._tree)
            self._paths[name] = path[len(self._tree) :] if is_inside else None
        return self._paths[name]


def _line_table(code: types.CodeType) -> Any:
    if hasattr(code, "co_lines"):
        return code.co_lines()
    import dis

    return ((0, 0, line) for _, line in dis.findlinestarts(code))
