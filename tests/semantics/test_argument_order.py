"""Names of arguments against names of parameters."""

from __future__ import annotations

import pytest

from wardround.semantics.argument_order import (
    MOST_ARGUMENTS,
    ArgumentList,
    ArgumentName,
    best_order,
    has_mirror_call,
    implies_reordering,
    is_informative,
    similarity,
)


def _order(arguments: str, parameters: str) -> list[tuple[int, int]] | None:
    swap = best_order([ArgumentName(item) for item in arguments.split()], parameters.split())
    return None if swap is None else list(swap.moves)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("width", "width"),
        ("WIDTH", "width"),
        ("userName", "user_name"),
        ("entries", "entry"),
        ("src", "source"),
        ("dst", "destination"),
        ("idx", "index"),
        ("conf", "configuration"),
        ("img_height", "imageHeight"),
    ],
)
def test_names_that_state_the_same_are_similar_either_way(one: str, other: str) -> None:
    assert similarity(one, other) == similarity(other, one) >= 0.9


@pytest.mark.parametrize(
    ("one", "other"), [("source", "target"), ("in", "index"), ("x1", "x12"), ("a", "account"), ("", "width")]
)
def test_names_that_state_different_things_are_not_similar(one: str, other: str) -> None:
    assert similarity(one, other) < 0.6


def test_part_of_a_name_that_both_have_counts_for_its_share() -> None:
    assert similarity("user_id", "user_name") == 0.5


@pytest.mark.parametrize("name", ["x", "i", "x1", "_", "value", "data", "self", "_obj"])
def test_names_that_report_nothing(name: str) -> None:
    assert not is_informative(name)


@pytest.mark.parametrize("name", ["width", "user_data", "id", "old"])
def test_names_that_report_something(name: str) -> None:
    assert is_informative(name)


@pytest.mark.parametrize("name", ["reversed_lines", "swapAxes", "to_inverse", "Transpose"])
def test_functions_that_turn_things_round(name: str) -> None:
    assert implies_reordering(name)
    assert not implies_reordering("overturned" + "ing")


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [
        ("height width", "width height"),
        ("new_name old_name", "old new"),
        ("dst src", "source destination"),
        ("user_name user_id", "user_id user_name"),
    ],
)
def test_two_in_each_others_places(arguments: str, parameters: str) -> None:
    assert _order(arguments, parameters) == [(0, 1), (1, 0)]


def test_three_in_a_ring() -> None:
    assert _order("day year month", "year month day") == [(0, 2), (1, 0), (2, 1)]


def test_others_stay_where_they_are() -> None:
    assert _order("name height width value", "name width height colour") == [(1, 2), (2, 1)]


@pytest.mark.parametrize(
    ("arguments", "parameters"),
    [
        ("width height", "width height"),
        ("height size", "width height"),
        ("value width", "width value"),
        ("y x", "x y"),
        ("first second", "start stop"),
        ("height width", "width"),
        ("height", "width"),
        ("", ""),
    ],
)
def test_order_that_names_do_not_object_to(arguments: str, parameters: str) -> None:
    assert _order(arguments, parameters) is None


def test_two_arguments_that_fit_alike_decide_nothing() -> None:
    assert _order("height height width", "width height depth") is None


def test_arguments_without_a_name_keep_their_place() -> None:
    swap = best_order([ArgumentName("height"), None, ArgumentName("width")], ["width", "", "height"])
    assert swap is not None
    assert swap.moves == ((0, 2), (2, 0))


def test_owners_report_arguments_of_the_same_name_apart() -> None:
    swap = best_order([ArgumentName("path", "new"), ArgumentName("path", "old")], ["old_path", "new_path"])
    assert swap is not None
    assert (
        best_order([ArgumentName("path", "old"), ArgumentName("path", "new")], ["old_path", "new_path"])
        is None
    )


def test_longer_calls_are_passed_over() -> None:
    words = ["alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india"]
    assert len(words) == MOST_ARGUMENTS + 1
    backwards = words[::-1]
    assert best_order([ArgumentName(word) for word in backwards], words) is None
    assert best_order([ArgumentName(word) for word in words[:8][::-1]], words[:8]) is not None


def test_call_reports_what_goes_where() -> None:
    call = ArgumentList(
        "crop", ("width", "height"), (ArgumentName("width"), ArgumentName("height")), ("w.width", "h.height")
    )
    assert call.better_order() is None
    wrong = call.swap(0, 1)
    swap = wrong.better_order()
    assert swap is not None
    assert wrong.describe(swap) == (
        '"h.height" goes to "width" and "w.width" goes to "height" of "crop": they appear to be swapped'
    )


def test_callee_that_turns_things_round_is_believed() -> None:
    call = ArgumentList(
        "transpose", ("width", "height"), (ArgumentName("height"), ArgumentName("width")), ("height", "width")
    )
    assert call.better_order() is None


def test_the_other_order_next_to_it() -> None:
    assert has_mirror_call(["payee", "payer"], [["payer", "payee"]])
    assert not has_mirror_call(["payee", "payer"], [["payee", "payer"], ["payee", "bank"]])
