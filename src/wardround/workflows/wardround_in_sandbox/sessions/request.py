"""The request and the events of a run, as JSON in files of the tree."""

from __future__ import annotations

import json
import os
from typing import Any

from ..test_ids import path_in, without_parameters


class Request:
    """The requested run.

    Attributes:
        root: the absolute path of the tree.
        results: the file for events.
        data: the file for recorded lines; empty to record none.
        tests: ids in the order in which to run them.
            The path of a file is an id that includes all of its tests.
        is_filtered: run these alone; otherwise all, these first.
        is_exact: run tests in exactly this order; otherwise files in this order, each as the framework does.
        left_out: folders in the tree that are not collected, as their ``conftest.py`` fails.
        paths: arguments that name files outside of the configured folders.
        measured: absolute paths of the files whose branches are recorded.
        budget_s: elapsed time after which no test is begun.
        test_s: elapsed time after which a test ends the process.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self.framework: str = values["framework"]
        self.root: str = values["root"]
        self.results: str = values["results"]
        self.data: str = values["data"]
        self.tests: list[str] = values["tests"]
        self.is_filtered: bool = values["is_filtered"]
        self.is_exact: bool = values["is_exact"]
        self.paths: list[str] = values["paths"]
        self.left_out: list[str] = values["left_out"]
        self.measured: list[str] = values["measured"]
        self.budget_s: float = values["budget_s"]
        self.test_s: float = values["test_s"]
        self.places = {test: at for at, test in enumerate(self.tests)}
        self.files: dict[str, int] = {}
        for test in self.tests:
            self.files.setdefault(test.partition("::")[0], len(self.files))

    @classmethod
    def read(cls, path: str) -> Request:
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file))

    def includes(self, test: str) -> bool:
        """Return True if a test is to be run; an id without parameters includes all of them."""
        ids = (test, without_parameters(test), test.partition("::")[0])
        return not self.is_filtered or any(test_id in self.places for test_id in ids)

    def position(self, test: str) -> tuple[int, int]:
        """Return the sort key of a test; equal ones stay in the order of the framework."""
        if self.is_exact:
            return self.places.get(test, len(self.places)), 0
        return self.files.get(test.partition("::")[0], len(self.files)), 0

    def relative(self, path: str) -> str:
        """Return a path relative to the tree; unchanged outside of it."""
        return path_in(self.root, path)


class Events:
    """Writes events, one JSON object a line, so that those before a crash remain."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND)
        self._process = os.getpid()

    def write(self, event: str, **values: object) -> None:
        """Write an event, unless this is a process that a test forked."""
        if os.getpid() == self._process:
            line = json.dumps({"event": event, **values}) + "\n"
            os.write(self._file, line.encode("utf-8", "backslashreplace"))


def frames_of(error: BaseException | None, request: Request) -> list[list[object]]:
    """Return path and line of the frames of an exception that are in the tree, the innermost first."""
    if type(error).__name__ == "CollectError" and error is not None and error.__cause__ is not None:
        error = error.__cause__  # pytest's error has no frames of the tree
    found: list[list[object]] = []
    trace = None if error is None else error.__traceback__
    while trace is not None:
        path = trace.tb_frame.f_code.co_filename
        name = request.relative(path)
        if not os.path.isabs(name):
            found.append([name, trace.tb_lineno])
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename:
        found.append([request.relative(error.filename), error.lineno or 1])
    return found[::-1][:_MOST_FRAMES]


_MOST_FRAMES = 100
LONGEST_EXCERPT = 20_000


def end_of(text: str) -> str:
    """Return the end of a string of a failure."""
    return text[-LONGEST_EXCERPT:]
