from __future__ import annotations

import msgspec
import pytest

from wardround_lab.corpora.within_repository_split import (
    WEEK,
    OwnSides,
    WithinRepositorySplit,
    file_of,
    is_week,
    unit_of,
)

SPLIT = WithinRepositorySplit(repository="acme/shop")
CUT = 100 * WEEK
FILES = [f"src/part{n}.py" for n in range(200)]


def folded(side: str) -> list[str]:
    return [name for name in FILES if SPLIT.fold(name) == side]


@pytest.mark.parametrize(
    ("group", "file"),
    [("src/a.py@12ab", "src/a.py"), ("src/a.py:Shop.sell@12ab", "src/a.py"), ("12ab", ""), ("", "")],
)
def test_a_group_names_its_file(group: str, file: str) -> None:
    assert file_of(group) == file
    assert unit_of(group, 3 * WEEK + 5) == (file or "week 3")


def test_a_file_named_like_a_week_is_not_a_week() -> None:
    assert is_week("week 12")
    assert not is_week("week 12.py")


def test_shares_of_the_files_are_held_out_and_for_validation() -> None:
    assert 50 < len(folded("evaluation")) < 90
    assert 10 < len(folded("validation")) < 40


def test_a_training_file_is_never_evaluated() -> None:
    learnt, held = folded("train")[0], folded("evaluation")[0]
    items = [("acme/shop", f"{name}@{time}", time) for name in (learnt, held) for time in (1, CUT, CUT + 5)]
    sides = OwnSides.of(SPLIT, CUT, CUT, items)
    assert [sides.side(*item) for item in items] == ["train", None, None, None, "evaluation", "evaluation"]


def test_a_later_file_is_evaluated_whatever_its_name() -> None:
    new = folded("train")[1]
    sides = OwnSides.of(SPLIT, CUT, CUT, [("acme/shop", f"{new}@1", CUT)])
    assert sides.side("acme/shop", f"{new}@1", CUT) == "evaluation"


def test_a_group_without_a_file_is_assigned_by_week() -> None:
    items = [("acme/shop", f"c{week}", week * WEEK) for week in range(200)]
    sides = OwnSides.of(SPLIT, CUT + 9, CUT + 9, items)
    found = [sides.side(*item) for item in items]
    assert set(found[:101]) == {"train", "validation"}
    assert set(found[101:]) == {"evaluation"}
    assert sides.side("acme/shop", "later in that week", CUT + 10) is None


def test_other_repositories_are_on_neither_side() -> None:
    sides = OwnSides.of(SPLIT, CUT, CUT, [])
    assert sides.side("acme/other", "a.py@1", 1) is None
    assert sides.side("ACME/shop", f"{folded('train')[0]}@1", 1) == "train"


@pytest.mark.parametrize(
    "wrong", [{"held": 0.9, "validation": 0.2}, {"held": -0.1}, {"repository": ""}, {"kept": 1}]
)
def test_a_split_that_leaves_no_training_files_is_rejected(wrong: dict[str, object]) -> None:
    with pytest.raises((msgspec.ValidationError, ValueError)):
        msgspec.convert({"repository": "acme/shop"} | wrong, WithinRepositorySplit)
