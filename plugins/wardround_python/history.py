"""Examples of docstrings and code that parted, or did not, from a repository's history."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.drift.rows import Row, rows
from wardround.tasks import History
from wardround_python.functions import compared
from wardround_python.module import is_test_path


def docstring_rows(history: History) -> Iterator[Row]:
    """Each documented function whose code one commit changed: did the commit change the docstring too."""
    return rows(history, ("*.py",), compared, lambda path: not is_test_path(path))
