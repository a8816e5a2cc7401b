"""The request of a validation, as JSON."""

from __future__ import annotations

import os
from typing import Any, NamedTuple


class Edit(NamedTuple):
    """A candidate; the offsets count code points of the file's text."""

    path: str
    start: int
    end: int
    replacement: str


class Request:
    """The requested validation.

    Attributes:
        root: the absolute path of the tree.
        budget_s: CPU time.
        most_plausible: the number of candidates without a failing test after which the validation ends.
        edits: the candidates, in their order.
        tests: ids, those that fail without an edit first.
        failing: how many these are.
        limits: by test, the CPU time in seconds that it may take.
    """

    def __init__(self, values: dict[str, Any]) -> None:
        self.root: str = values["root"]
        self.budget_s: float = values["budget_s"]
        self.most_plausible: int = values["most_plausible"]
        self.edits = [Edit(*row) for row in values["candidates"]]
        self.tests: list[str] = values["tests"]
        self.failing: int = values["failing"]
        self.limits: list[float] = values["limits"]
        self._lines = {
            path: [(test, int(bits, 16)) for test, bits in rows] for path, rows in values["lines"].items()
        }

    @property
    def passing(self) -> range:
        """The tests that pass without an edit."""
        return range(self.failing, len(self.tests))

    def file(self, path: str) -> str:
        """Return the real path of a file of the tree."""
        return os.path.realpath(os.path.join(self.root, path))

    def tests_of_lines(self, path: str, first: int, last: int) -> list[int]:
        """Return the tests that pass without an edit and ran one of some lines."""
        mask = (1 << (last + 1)) - (1 << first)
        return sorted(test for test, bits in self._lines.get(path, ()) if bits & mask)
