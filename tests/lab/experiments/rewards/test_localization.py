"""The rewards of a localization, by hand-counted lines."""

from __future__ import annotations

import pytest

from wardround.authoring.stages import CodePointer, LocalizationResult
from wardround_lab.experiments.rewards.localization import (
    DIRECTIONS,
    code_lines,
    compression,
    gold_line_share,
    has_gold_file,
    has_gold_line,
    lines_of,
    localization_rewards,
    relevant_share,
)

GOLD = {"a.py": frozenset({3, 4, 5}), "b.py": frozenset({1})}
SHOWN = lines_of([CodePointer("a.py", 4, 9), CodePointer("a.py", 8, 11), CodePointer("c.py", 1, 2)])


def test_lines_of_overlapping_pointers_count_once() -> None:
    assert {"a.py": frozenset(range(4, 12)), "c.py": frozenset({1, 2})} == SHOWN


def test_the_share_of_gold_lines_counts_those_of_files_that_are_not_shown_too() -> None:
    assert gold_line_share(SHOWN, GOLD) == 0.5
    assert gold_line_share({}, GOLD) == 0.0


def test_any_gold_line_needs_the_line_and_not_only_its_file() -> None:
    assert has_gold_line(SHOWN, GOLD)
    assert not has_gold_line({"a.py": frozenset({1, 2})}, GOLD)


def test_a_gold_file_counts_among_the_first_files_only() -> None:
    paths = ["c.py", "b.py", "a.py"]
    assert [has_gold_file(paths, GOLD, most) for most in (1, 2, None)] == [False, True, True]
    assert not has_gold_file([], GOLD)


def test_the_relevant_share_is_of_all_shown_lines() -> None:
    assert relevant_share(SHOWN, GOLD) == 0.2
    assert relevant_share({}, GOLD) == 0.0


def test_compression_is_of_the_sources_to_the_text() -> None:
    assert compression(9000, 300) == 30.0
    assert compression(9000, 0) == 9000.0


def test_changelogs_documentation_and_tests_are_no_code_to_find() -> None:
    gold = {
        path: frozenset({1})
        for path in ("src/a.py", "CHANGES.rst", "docs/conf.py", "tests/test_a.py", "web/view.tsx")
    }
    assert sorted(code_lines(gold)) == ["src/a.py", "web/view.tsx"]


@pytest.mark.parametrize("is_ready", [True, False])
def test_all_rewards_have_a_direction(is_ready: bool) -> None:
    pointers = (CodePointer("c.py", 1, 2), CodePointer("a.py", 3, 5))
    shown = pointers if is_ready else ()
    result = LocalizationResult("text", code=pointers, shown=shown)
    rewards = localization_rewards(result, GOLD, 9000, 300)
    assert list(rewards) == list(DIRECTIONS)
    assert rewards == {
        "gold_lines": 0.75 if is_ready else 0.0,
        "any_gold_line": float(is_ready),
        "gold_file": 1.0,
        "gold_file_1": 0.0,
        "gold_file_3": 1.0,
        "relevant_lines": 0.6 if is_ready else 0.0,
        "compression": 30.0,
        "tokens": 300.0,
    }
