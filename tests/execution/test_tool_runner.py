"""The results of a tool do not depend on the order in which it prints them."""

from __future__ import annotations

from itertools import permutations

from wardround.execution.tool_runner import sorted_results
from wardround.findings import RawFinding, Span


def test_results_are_ordered_by_place_and_each_is_retained_once() -> None:
    first = RawFinding("B", "a.py", Span(1, 1, 1, 2), "message")
    second = RawFinding("A", "a.py", Span(2, 1, 2, 2), "another")
    third = RawFinding("A", "a.py", Span(2, 1, 2, 2), "message")

    for results in permutations([third, first, second]):
        assert sorted_results([*results, first]) == [first, second, third]
