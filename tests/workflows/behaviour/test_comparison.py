"""The comparison of replayed calls: which pair is shown, and which ones are excluded."""

from __future__ import annotations

from typing import Any

import pytest

from wardround.context.run_evidence import BehaviourDifference, InputOrigin
from wardround.planes.behaviour_findings import BehaviourReading, behaviour_result
from wardround.workflows.behaviour.comparison import CallPair, FunctionResult, compare_calls
from wardround.workflows.behaviour.definitions import Definition
from wardround.workflows.behaviour.report import statement
from wardround.workflows.behaviour.shown_differences import ShownPair, shown_pairs
from wardround.workflows.behaviour.shown_text import is_visible
from wardround.workflows.behaviour.stages import ReplayedCall
from wardround.workflows.behaviour.targets import Target, Targets

DEFINITION = Definition("core", "", "", 1)
TARGET = Target("core.py", "core.py", DEFINITION, DEFINITION)


def call(number: int, text: str, **values: Any) -> ReplayedCall:
    defaults: dict[str, Any] = {
        "kind": "returned",
        "shown": text,
        "written": f"core({number})",
        "arguments": 1,
    }
    if text.endswith(")"):
        defaults |= {"kind": "raised", "type": text.partition("(")[0]}
    return ReplayedCall(
        number, 0, values.pop("origin", InputOrigin.RECORDED), "test", text=text, **(defaults | values)
    )


def shown(*pairs: tuple[ReplayedCall, ReplayedCall], replaced: frozenset[str] = frozenset()) -> list[int]:
    """The numbers of the differing calls, the one to show first."""
    base, head = [item for item, _ in pairs], [item for _, item in pairs]
    (result,) = compare_calls(Targets((TARGET,), replaced=replaced), base, head, base)
    return [pair.base.call for pair in result.differing]


MUTATED, CROSSED = InputOrigin.MUTATED, InputOrigin.CROSSED


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (
            (call(2, "1", origin=MUTATED), call(2, "2")),
            (call(1, "1", origin=MUTATED), call(1, "KeyError(1)")),
        ),
        ((call(2, "1", origin=MUTATED), call(2, "KeyError(1)")), (call(1, "KeyError(1)"), call(1, "1"))),
        ((call(2, "1"), call(2, "KeyError(1)")), (call(1, "1", origin=MUTATED), call(1, "2"))),
        ((call(2, "1"), call(2, "2")), (call(1, "1", origin=MUTATED), call(1, "2"))),
        ((call(2, "1", origin=MUTATED), call(2, "2")), (call(1, "1", origin=CROSSED), call(1, "2"))),
        ((call(2, "1"), call(2, "2")), (call(1, "1", arguments=2), call(1, "2"))),
        ((call(2, "1"), call(2, "2")), (call(1, "1", written="core(   1)"), call(1, "2"))),
    ],
)
def test_the_most_plausible_call_is_shown(
    first: tuple[ReplayedCall, ReplayedCall], second: tuple[ReplayedCall, ReplayedCall]
) -> None:
    assert shown(second, first) == [2, 1]


@pytest.mark.parametrize(("replaced", "is_left_out"), [("<b>", True), ("b", False), ("<i>", False)])
def test_a_match_of_a_pattern_that_the_change_replaces_is_excluded(replaced: str, is_left_out: bool) -> None:
    pair = call(1, "1", patterns=("a<b>c",)), call(1, "2")

    assert shown(pair, replaced=frozenset({replaced})) == ([] if is_left_out else [1])


def changed(before: str, after: str, *, earlier: str = "{}") -> CallPair:
    return CallPair(
        call(1, "None", changed={"x": (before, before, earlier)}),
        call(1, "None", changed={"x": (after, after, earlier)}),
    )


@pytest.mark.parametrize(
    ("before", "after", "is_addition"),
    [
        ("{'a': 1}", "{'a': 1, 'b': [2]}", True),
        ("State(env={'b': 2}, x=1)", "State(env={'a': 1, 'b': 2}, x=1)", True),
        ("{}", "{'a': 1}", True),
        ("{'a': 1}", "{'a': 2}", False),
        ("{'a': 1, 'b': 2}", "{'a': 1}", False),
        ("[{'a': 1}]", "[{'a': 1}, {'b': 1}]", False),
        ("[1]", "[1, 2]", False),
    ],
)
def test_an_argument_that_only_gains_entries_is_an_addition(
    before: str, after: str, is_addition: bool
) -> None:
    assert changed(before, after).is_addition is is_addition


def test_an_argument_that_only_the_head_adds_to_is_an_addition() -> None:
    pair = CallPair(call(1, "None"), changed("{}", "{'a': 1}").head)

    assert pair.is_addition
    assert not CallPair(pair.base, call(1, "1", changed=pair.head.changed)).is_addition


def test_an_addition_is_stated_in_weaker_words() -> None:
    item = ShownPair(TARGET, changed("{'a': 1}", "{'a': 1, 'b': 2}")).difference(())

    found = behaviour_result(item, BehaviourReading(lambda path: None, stated="that nothing changes"))

    assert isinstance(item, BehaviourDifference)
    assert statement(item) == (
        "core(1) has the same result and adds to an argument: x={'a': 1, 'b': 2}, before x={'a': 1}"
    )
    assert found.code == "behaviour"
    assert "the result changed" not in found.message


def test_an_addition_of_a_mutated_input_is_excluded() -> None:
    pair = changed("{'a': 1}", "{'a': 1, 'b': 2}")
    mutated = call(1, "None", origin=MUTATED, changed=pair.base.changed)

    assert shown((mutated, pair.head)) == []
    assert shown((pair.base, pair.head)) == [1]


def test_another_message_inside_an_iterator_is_less_plausible_than_another_result() -> None:
    message = (
        call(1, "iterator [1, raises TypeError('a')]"),
        call(1, "iterator [1, raises TypeError('b')]"),
    )
    mutated = call(2, "1", origin=MUTATED), call(2, "2")

    assert shown(message, mutated) == [2, 1]
    assert CallPair(*message).is_message_only
    assert not CallPair(message[0], call(1, "iterator [2, raises TypeError('b')]")).is_message_only


def test_a_result_around_an_object_that_the_head_would_make_in_another_way_is_not_shown() -> None:
    broken = "<View, whose repr raises AttributeError>"

    assert shown((call(1, "<View>"), call(1, broken))) == []
    assert shown((call(1, broken), call(1, "<View>"))) == [1]


def test_results_that_cannot_be_printed_on_either_side_are_not_shown() -> None:
    texts = [f"<View, whose repr raises AttributeError>, with a={item}" for item in "12"]

    assert shown((call(1, texts[0]), call(1, texts[1]))) == []


@pytest.mark.parametrize(
    ("before", "after", "is_shown"),
    [
        ("_old() missing 1 argument: 'a'", "_new() missing 1 argument: 'b'", False),
        ("expected a text", "expected a number", True),
    ],
)
def test_a_message_of_the_interpreter_with_another_name_is_not_a_difference(
    before: str, after: str, *, is_shown: bool
) -> None:
    assert shown((call(1, f"TypeError({before!r})"), call(1, f"TypeError({after!r})"))) == [1] * is_shown


def test_a_difference_that_only_a_digest_shows_is_not_shown() -> None:
    texts = [f"'{'a' * 100}... (9000 characters, {item * 12})'" for item in "ab"]
    pair = CallPair(call(1, texts[0]), call(1, texts[1]))

    assert not is_visible(pair.base, pair.head)
    assert list(shown_pairs((TARGET,), (FunctionResult(1, 1, (pair,)),))) == []
