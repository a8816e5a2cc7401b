"""The search for the earlier tests after which a test fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from wardround.workflows.test.runs.order_dependence import fewest

TESTS = [f"test_{number}" for number in range(100)]


def fails_with(*needed: str) -> Callable[[Sequence[str]], bool]:
    return lambda tests: set(needed) <= set(tests)


@pytest.mark.parametrize("needed", [["test_0"], ["test_57"], ["test_99"], ["test_3", "test_80"]])
def test_only_the_needed_tests_remain(needed: list[str]) -> None:
    assert fewest(TESTS, fails_with(*needed)) == tuple(needed)


def test_a_test_that_passes_after_all_of_them_depends_on_none() -> None:
    assert fewest(TESTS, lambda tests: False) is None
    assert fewest([], lambda tests: True) is None


def test_the_number_of_runs_is_limited() -> None:
    runs = []

    def fails(tests: Sequence[str]) -> bool:
        runs.append(1)
        return len(tests) == len(TESTS)

    assert fewest(TESTS, fails) == tuple(TESTS)
    assert len(runs) <= 101
