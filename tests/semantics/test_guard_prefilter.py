"""The cheap test for a removed comparison with None returns the same as the search of the entire base."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st

from wardround.semantics.semdiff.guards import removes_none_test

_NONE_TEST = re.compile(r"\bis None\b|\bif not \w+\b|\bif \(!\w+\b|==\s*(?:null|undefined)\b")
_LINES = st.lists(
    st.sampled_from(
        ["if x is None:", "  if x is None:", "if not x:", "if (!x)", "x ==", "null", "x == null", "y", ""]
    ),
    max_size=7,
)


def _has_guard_by_search(base: str, text: str) -> bool:
    starts = (found.start() for found in _NONE_TEST.finditer(base))
    return any(base[base.rfind("\n", 0, at) + 1 :].split("\n")[0].strip() not in text for at in starts)


@given(_LINES, _LINES)
@example(["x ==", "null"], ["null"])
@example(["if x is None:"], ["  if x is None:"])
def test_a_removed_comparison_is_found(before: list[str], after: list[str]) -> None:
    base, text = "\n".join(before), "\n".join(after)
    assert removes_none_test(base, text) == _has_guard_by_search(base, text)
