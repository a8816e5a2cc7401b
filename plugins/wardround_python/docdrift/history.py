"""Examples of docstrings and code that parted, or did not, from a repository's history."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.languages.python.module import is_test_path
from wardround.training_tasks import History
from wardround_lab.docdrift_examples import DocExample, rows
from wardround_python.docdrift.documented_functions import compared


def docstring_rows(history: History) -> Iterator[DocExample]:
    """Each documented function whose code one commit changed: did the commit change the docstring too."""
    return rows(history, ("*.py",), compared, lambda path: not is_test_path(path))
