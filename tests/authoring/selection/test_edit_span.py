"""The span of an edit is the smallest one that makes the new text."""

from __future__ import annotations

import pytest

from wardround.authoring.selection.edit_span import edit_span


@pytest.mark.parametrize(
    ("before", "after", "size"),
    [
        ("abc", "abc", 0),
        ("abc", "abxc", 1),
        ("abc", "ac", 1),
        ("aaa", "aaaa", 1),
        ("aaaa", "aaa", 1),
        ("", "ab", 2),
        ("ab", "", 2),
        ("return x", "return y", 2),
        ("äöü", "äu\u0308ü", 3),
    ],
)
def test_an_edit_is_as_small_as_possible_and_makes_the_text(before: str, after: str, size: int) -> None:
    span = edit_span(before, after)
    assert before[: span.start] + span.replacement + before[span.end :] == after
    assert span.size == size
