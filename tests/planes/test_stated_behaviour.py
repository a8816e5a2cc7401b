"""A change states that no behaviour changes by the kind of all of its messages, or in words."""

from __future__ import annotations

import pytest

from wardround.planes.stated_behaviour import unchanged_by


@pytest.mark.parametrize(
    ("messages", "stated"),
    [
        (["refactor: split the parser"], "refactoring"),
        (["Refactor the parser"], "refactoring"),
        (["perf: cache the tables"], "performance"),
        (["Speed up the parser"], "performance"),
        (["Optimize the lookup of ports"], "performance"),
        (["Add type hints"], "typing"),
        (["Add missing type annotations to the parser"], "typing"),
        (["typing: annotate the parser"], "typing"),
        (["style: black"], "style"),
        (["docs: ports"], "documentation"),
        (["refactor: split the parser", "perf: cache"], "performance and refactoring"),
        (["♻️ Refactor the parser"], "refactoring"),
        ([":recycle: refactor: split the parser"], "refactoring"),
        (["👌 Improve performance of the parser"], "performance"),
        (["Minor typing improvements"], "typing"),
        (["Typechecking of ports"], "typing"),
        (["Move ports\n\nNo functional change."], "no change of behaviour"),
        (["Simplify\n\nThe behaviour stays the same"], "no change of behaviour"),
    ],
)
def test_a_statement_is_found(messages: list[str], stated: str) -> None:
    assert unchanged_by(messages) == stated


@pytest.mark.parametrize(
    "messages",
    [
        [],
        [""],
        ["Parse empty ports"],
        ["fix: empty ports"],
        ["Add type hints and fix empty ports"],
        ["perf: cache, and remove the old tables"],
        ["refactor!: drop empty ports"],
        ["refactor: split the parser", "Parse empty ports"],
        ["Bump lib from 1.0 to 2.0"],
        ["Add types of ports"],
        ["✨ Add ports"],
        ["- refactor"],
        ["refactor: change the default port"],
        ["Add type hints\n\n- fix the result for empty ports"],
    ],
)
def test_a_change_that_states_more_states_nothing(messages: list[str]) -> None:
    assert unchanged_by(messages) == ""


def test_a_criterion_of_the_ticket_counts_whatever_the_messages() -> None:
    assert unchanged_by(["Ports"], ["An empty port is None"]) == ""
    assert unchanged_by(["Ports"], ["The output must stay the same"]) == "a criterion of the ticket"
    assert unchanged_by(["Ports"], ["The output must be unchanged"]) == "a criterion of the ticket"
    assert unchanged_by(["Ports"], ["Ports have no behavioural changes"]) == "a criterion of the ticket"
