"""The files of a commit by their role: those of its answer, those that judge it, and others."""

from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround.retrieval.file_search import is_accompanying_file, is_source
from wardround.retrieval.test_discovery import contains_tests

_TEST_FOLDER = LazyPattern(r"(?:^|/)(?:tests?|testing|testdata)/|(?:^|/)conftest\.py$")


def is_test_file(path: str) -> bool:
    """Return True for tests and for the files of their folders."""
    return contains_tests(path) or _TEST_FOLDER.search(path) is not None


def is_answer_file(path: str) -> bool:
    """Return True for code and settings; documentation, examples and tests are no part of an answer."""
    return is_source(path) and not is_test_file(path) and not is_accompanying_file(path)
