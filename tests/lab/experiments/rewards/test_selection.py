"""The rewards of a selection."""

from __future__ import annotations

from wardround_lab.experiments.rewards.selection import (
    Preference,
    accuracy_by_chance,
    preference_agreement,
    selection_accuracy,
)


def test_accuracy_counts_where_a_choice_can_be_right_and_wrong() -> None:
    assert selection_accuracy(1, [False, True, False]) == 1.0
    assert selection_accuracy(0, [False, True, False]) == 0.0
    assert accuracy_by_chance([False, True, False, True]) == 0.5
    for passes in ([True, True], [False, False], []):
        assert selection_accuracy(0, passes) is None
        assert accuracy_by_chance(passes) is None


def test_agreement_is_the_share_of_choices_that_the_order_repeats() -> None:
    choices = [Preference("a", "b"), Preference("c", "b"), Preference("b", "gone")]
    assert preference_agreement(["a", "b", "c"], choices) == 0.5
    assert preference_agreement(["a", "c", "b"], choices) == 1.0
    assert preference_agreement(["a"], choices) is None
