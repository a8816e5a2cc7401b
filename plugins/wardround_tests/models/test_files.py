"""Tests of a file in any supported language."""

from __future__ import annotations

from wardround.specialists import CaseOutline
from wardround_tests.models.assertions import TestedCase

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def tests_of(path: str, text: str) -> dict[str, TestedCase] | None:
    """Return the tests of a file by name; None if it cannot be parsed."""
    try:
        found = _read(path, text)
    except _UNREADABLE:
        return None
    return {case.name: case for case in found}


def outlines_of(path: str, text: str) -> dict[str, CaseOutline] | None:
    """Return the sizes of the tests of a file by name; None if it cannot be parsed."""
    cases = tests_of(path, text)
    if cases is None:
        return None
    try:
        return {name: _outline(case) for name, case in cases.items()}
    except _UNREADABLE:
        return None


def _outline(case: TestedCase) -> CaseOutline:
    count = len(case.assertions) * max(len(case.parameters), 1)
    asserted = frozenset(assertion.text for assertion in case.assertions)
    return CaseOutline(case.span.line, count, asserted, bool(case.skip))


def _read(path: str, text: str) -> list[TestedCase]:
    """Read the tests of a file; the parsers are imported only where a test file changed."""
    if path.endswith(".py"):
        from wardround_tests.models.python_assertions import python_tests

        return list(python_tests(path, text))
    from wardround_tests.models.script_assertions import script_tests

    return list(script_tests(text))
