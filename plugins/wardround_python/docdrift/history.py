"""Examples of docstrings that did or did not change with their code, from a repository's history."""

from __future__ import annotations

from collections.abc import Iterator

from wardround.languages.python.module import is_test_path
from wardround.training_tasks import History
from wardround_lab.docdrift_examples import DocExample, rows
from wardround_python.docdrift.documented_functions import documented_pairs


def docstring_rows(history: History) -> Iterator[DocExample]:
    """Yield each documented function whose code a commit changed, and whether its docstring changed too."""
    return rows(history, ("*.py",), documented_pairs, lambda path: not is_test_path(path))
