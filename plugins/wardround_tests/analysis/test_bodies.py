"""The lines of a script that belong to a test, which nothing else can call."""

from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround_tests.file_kinds import is_script_test, is_type_test
from wardround_tests.models.script_assertions import test_spans

_EXPORT = LazyPattern(r"(?m)^[^\S\n]*export\b(?!\s*\{\s*\})")


def is_in_test(path: str, text: str, line: int) -> bool:
    """Return True if a line is inside of a test or a group of tests, or in a type test that exports nothing.

    Args:
        line: 1-based.
    """
    if is_type_test(path):
        return _EXPORT.search(text) is None
    return is_script_test(path) and any(first <= line <= last for first, last in test_spans(text))
