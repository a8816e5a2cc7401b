"""The meaning of the exit status: existing and waived findings never block."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wardround.findings import Finding, Plane, Severity, Span, Status, Unreviewed
from wardround.policy.gate import Gate, GateOutcome, gate

LOST = Unreviewed("q.py", "python", "ruff", "timed out after 10 s")
LEVELS = ("none", "info", "warn", "error")


def finding(severity: Severity, status: Status = Status.NEW, rule: str = "ruff/B006") -> Finding:
    return Finding(
        "0" * 16, rule, "class", Plane.SEMANTIC, "python", severity, "a.py", Span(1, 1, 1, 2), "m", "", status
    )


findings = st.lists(
    st.builds(finding, st.sampled_from(Severity), st.sampled_from(Status), st.sampled_from(["a/1", "b/1"])),
    max_size=8,
)
unreviewed = st.lists(
    st.builds(Unreviewed, st.just("q.py"), st.just("s"), st.sampled_from("ab"), st.sampled_from("xy")),
    max_size=5,
)


def test_nothing_found_and_everything_reviewed_passes() -> None:
    assert gate([], [], "error") == Gate(GateOutcome.PASS, "error", ())


@pytest.mark.parametrize("status", [Status.NEW, Status.CAUSED])
@pytest.mark.parametrize("severity", list(Severity))
@pytest.mark.parametrize("level", LEVELS)
def test_what_the_change_added_blocks_from_the_level_on(
    level: str, severity: Severity, status: Status
) -> None:
    blocks = level != "none" and severity >= Severity.from_label(level)
    expected = (
        Gate(GateOutcome.BLOCKED, level, ("ruff/B006: 1",)) if blocks else Gate(GateOutcome.PASS, level, ())
    )
    assert gate([finding(severity, status)], [], level) == expected


@pytest.mark.parametrize("status", [Status.EXISTING, Status.SUPPRESSED])
def test_what_was_there_or_is_waived_never_blocks(status: Status) -> None:
    assert gate([finding(Severity.ERROR, status)], [], "info").outcome is GateOutcome.PASS


@pytest.mark.parametrize("level", LEVELS)
def test_something_not_reviewed_is_never_a_pass(level: str) -> None:
    assert gate([], [LOST], level) == Gate(
        GateOutcome.INCONCLUSIVE, level, ("ruff did not review 1 file: timed out after 10 s",)
    )


def test_a_block_reports_what_was_not_reviewed_too() -> None:
    both = [finding(Severity.ERROR, rule="z/1"), finding(Severity.ERROR, rule="a/1"), finding(Severity.ERROR)]
    lost = [
        LOST,
        Unreviewed("r.py", "python", "ruff", LOST.reason),
        Unreviewed("r.py", "python", "ast", "crashed"),
    ]
    assert gate([*both, finding(Severity.ERROR)], lost, "error").reasons == (
        "a/1: 1",
        "ruff/B006: 2",
        "z/1: 1",
        "ast did not review 1 file: crashed",
        "ruff did not review 2 files: timed out after 10 s",
    )


@given(findings, unreviewed, st.sampled_from(LEVELS), st.integers())
def test_the_order_does_not_matter(
    found: list[Finding], lost: list[Unreviewed], level: str, seed: int
) -> None:
    other, otherwise = found[:], lost[:]
    random.Random(seed).shuffle(other)
    random.Random(seed).shuffle(otherwise)
    assert gate(other, otherwise, level) == gate(found, lost, level)


@given(findings, unreviewed, st.sampled_from(LEVELS))
def test_more_trouble_never_makes_it_better(found: list[Finding], lost: list[Unreviewed], level: str) -> None:
    order = [GateOutcome.PASS, GateOutcome.INCONCLUSIVE, GateOutcome.BLOCKED]
    before = order.index(gate(found, lost, level).outcome)
    assert order.index(gate([*found, finding(Severity.ERROR)], lost, level).outcome) >= before
    assert order.index(gate(found, [*lost, LOST], level).outcome) >= before
    assert (before == 0) >= (not found and not lost)
