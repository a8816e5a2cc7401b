"""The text of a task does not reveal where and how it was solved."""

from __future__ import annotations

import pytest

from wardround_lab.experiments.instances.task_text import AnswerCode, states_a_task, task_text

BEFORE = """
def total(lines):
    return _sum(lines)
"""


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Fix the sum in src/shop/prices.py (#12)", "Fix the sum in"),
        (
            "Fix sums\n\nSee https://example.org/1 and GH-#7, caused by 0123abcd9",
            "Fix sums\nSee and , caused by",
        ),
        ("Fix sums\n\nSame as org/shop@0123abcd9", "Fix sums\nSame as"),
        ("Fix sums\n\nReviewed-by: Ada", "Fix sums"),
        ("Fix settings.toml when prices.yml is empty", "Fix when is empty"),
    ],
)
def test_names_of_files_and_addresses_are_removed(message: str, text: str) -> None:
    assert task_text(message) == text


@pytest.mark.parametrize(
    ("message", "text"),
    [
        ("Use safe_sum for totals", "Use   for totals"),
        ("Totals call safeSum() now", "Totals call   now"),
        ("Totals of `default` are wrong", "Totals of   are wrong"),
        ("The default total is wrong", "The default total is wrong"),
        ("total(lines) fails", "total(lines) fails"),
        ("Return `safe_sum(lines, 0)`", "Return  "),
        ("`_sum` is given a list", "` ` is given a list"),
        ("Totals\n    return safe_sum(lines, 0)\nare wrong", "Totals\nare wrong"),
    ],
)
def test_code_of_the_answer_is_removed(message: str, text: str) -> None:
    added = ["    default = 0", "    return safe_sum(lines, 0)", "    safeSum = None"]

    assert AnswerCode([BEFORE], added).removed_from(message) == text


def test_names_of_the_answer_are_those_that_its_files_did_not_have() -> None:
    assert AnswerCode([BEFORE], ["    return _sum(kept)"]).names == {"kept"}


@pytest.mark.parametrize(
    ("subject", "is_task"),
    [
        ("Totals of empty baskets are wrong", True),
        ("Fix sums", False),
        ("Merge the branch with totals of baskets", False),
        ("Fix many typos in the totals", False),
    ],
)
def test_routine_commits_and_short_texts_state_no_task(subject: str, is_task: bool) -> None:
    assert states_a_task(subject, subject) == is_task
