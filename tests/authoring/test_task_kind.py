"""The kind of a task by its prefix, its verb, and its words."""

from __future__ import annotations

import pytest

from wardround.authoring.task_kind import kind_of_task


@pytest.mark.parametrize(
    ("title", "kind", "reason"),
    [
        ("feat(cli): an option", "feature", 'the prefix "feat(cli)"'),
        ("Add an option for colours", "feature", 'the title begins with "Add"'),
        ("Add tests for the parser", "test", 'the title begins with "Add ... tests"'),
        ("Add the test client of the server", "feature", 'the title begins with "Add"'),
        ("Fix a typo in the docs", "bug", 'the title begins with "Fix"'),
        ("Rename the parser", "refactoring", 'the title begins with "Rename"'),
        ("Rows of the table raise KeyError", "bug", 'the word "KeyError"'),
        ("Sorting is slow for long lists", "performance", 'the word "slow"'),
        ("Colours of the table", "", "the text states none"),
    ],
)  # fmt: skip
def test_a_title_states_a_kind(title: str, kind: str, reason: str) -> None:
    found = kind_of_task(title, title)
    assert (found.kind, found.reason) == (kind, reason)


def test_the_words_of_the_text_count_if_the_title_states_none() -> None:
    assert kind_of_task("Tables", "Tables\n\nIt crashes for an empty row.").kind == "bug"
