"""Tests of a file and their assertions, in a form that allows two versions to be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from wardround.findings import Span

EXACT, PARTIAL, LOOSE = 3, 2, 1
"""Strength of an assertion: of the value, of a part or type of it, of its presence only."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """One assertion.

    Attributes:
        text: normalised; equal in two versions if nothing changed.
        subject: the asserted expression, without the expected value.
        strength: from ``LOOSE`` to ``EXACT``.
        tolerance: allowed deviations by name; a larger number allows more.
        expected: the literal it compares with; empty if there is none.
        line: 1-based; 0 if unknown. Ignored in comparisons.
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
        name: with its class or title; unique in the file.
        source: its source; equal sources assert the same.
        skip: the skip or xfail mark, verbatim; empty if the test runs.
        skip_span: span of the skip mark, which may belong to a group of tests.
        parameters: its parameter sets, each verbatim.
        read: finds its assertions, the most expensive step.
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
