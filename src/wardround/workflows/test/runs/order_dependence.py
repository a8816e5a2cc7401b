"""The smallest set of earlier tests with which a test fails that passes alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

_MOST_STEPS = 100


def fewest(before: Sequence[str], fails_after: Callable[[Sequence[str]], bool]) -> tuple[str, ...] | None:
    """Return the fewest tests found after which a test fails; None if it does not fail after all of them.

    It removes ever smaller parts of the earlier tests while the test still fails (delta debugging), so that
    the result is minimal if the steps suffice.

    Args:
        before: the earlier tests, in order.
        fails_after: runs some of them and then the test, and returns True if it failed.

    Source: Zeller and Hildebrandt 2002, "Simplifying and Isolating Failure-Inducing Input", section 3.
    """
    left = list(before)
    if not left or not fails_after(left):
        return None
    parts, steps = 2, 0
    while len(left) > 1 and steps < _MOST_STEPS:
        size = -(-len(left) // parts)
        chunks = [left[at : at + size] for at in range(0, len(left), size)]
        for candidate in _candidates(chunks):
            steps += 1
            if fails_after(candidate):
                parts = 2 if candidate in chunks else max(parts - 1, 2)
                left = candidate
                break
            if steps >= _MOST_STEPS:
                break
        else:
            if parts >= len(left):
                break
            parts = min(parts * 2, len(left))
    return tuple(left)


def _candidates(chunks: Sequence[list[str]]) -> list[list[str]]:
    """Return each part, and the rest without each part."""
    rests = [[test for other in chunks if other is not chunk for test in other] for chunk in chunks]
    return [*chunks, *(rests if len(chunks) > 2 else [])]
