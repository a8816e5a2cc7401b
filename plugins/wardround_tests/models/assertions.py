"""The tests of a file and what each asserts, in a form that two versions can be compared by."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from wardround.findings import Span

_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)
EXACT, PARTIAL, LOOSE = 3, 2, 1
"""How much an assertion pins down: the value, a part or kind of it, only that there is one."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion.

    Attributes:
        text: normalised, the same in two versions if nothing changed.
        subject: what it is about, without what is expected of it.
        strength: how much it pins down, from ``LOOSE`` to ``EXACT``.
        tolerance: the numbers that say how far off the value may be, by name; more allows more.
        expected: the literal it compares with; empty if it is none.
        line: where it stands, 1-based; 0 if that is not known. Two that differ in it alone are equal.
    """

    text: str
    subject: str
    strength: int
    tolerance: tuple[tuple[str, float], ...] = ()
    expected: str = ""
    line: int = field(default=0, compare=False)


class TestedCase(msgspec.Struct, frozen=True, dict=True):
    """One test of a file.

    Attributes:
        name: with its class or title, unique in the file.
        source: its text; where two versions have the same, they assert the same.
        skip: how it is skipped or expected to fail, as written; empty if it runs.
        skip_span: where that is said, for a group of tests in one place for all.
        parameters: the cases it is run with, where it says so; each as written.
        read: finds its assertions, which costs more than all else.
    """

    __test__ = False

    name: str
    span: Span
    source: str
    skip: str
    skip_span: Span
    parameters: tuple[str, ...]
    read: Callable[[], Iterable[Assertion]]

    @cached_property
    def assertions(self) -> tuple[Assertion, ...]:
        return tuple(self.read())


def tests_of(path: str, text: str) -> dict[str, TestedCase] | None:
    """The tests of a file by name; None if it cannot be read."""
    try:
        found = _read(path, text)
    except _UNREADABLE:
        return None
    return {case.name: case for case in found}


def _read(path: str, text: str) -> list[TestedCase]:
    """The tests of a file; what reads them is needed only where a test file changed."""
    if path.endswith(".py"):
        from wardround_tests.models.python_assertions import python_tests

        return list(python_tests(path, text))
    from wardround_tests.models.script_assertions import script_tests

    return list(script_tests(text))
