"""The first plausible candidate is selected, and proposed only by the rule."""

from __future__ import annotations

import pytest

from tests.authoring.repair.observations import observation
from wardround.authoring.repair.failure_kind import FailureKind, kind_of
from wardround.authoring.repair.model import Candidate, CandidateResult, Failure, Validation
from wardround.authoring.repair.selection import (
    PatchEvidence,
    added_test_literals,
    deletion_of,
    evidence_of,
    first_plausible,
    is_proposed,
)

CODE = """\
def price(net, rate):
    if net < 0:
        log("below")
        net = 0
    return net + rate
"""


def _candidate(old: str, new: str) -> Candidate:
    start = CODE.index(old)
    return Candidate("shop.py", "price", start, start + len(old), new, "edit", 0.5)


def test_the_first_plausible_candidate_of_the_search_is_selected() -> None:
    results = [CandidateResult(7), CandidateResult(2, "test_b", 1), CandidateResult(5)]
    assert first_plausible(results) == CandidateResult(5)
    assert first_plausible(results[1:2]) is None


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (None, FailureKind.WRONG_VALUE),
        (Failure("AssertionError", "assert 1 == 2"), FailureKind.WRONG_VALUE),
        (Failure("Failed", "DID NOT RAISE <class 'ValueError'>"), FailureKind.NOT_RAISED),
        (Failure("AssertionError", "ValueError not raised"), FailureKind.NOT_RAISED),
        (Failure("KeyError", "'a'"), FailureKind.EXCEPTION),
        (Failure("builtins.AssertionError"), FailureKind.WRONG_VALUE),
    ],
)
def test_failures_are_of_three_kinds(failure: Failure | None, kind: FailureKind) -> None:
    assert kind_of(failure) is kind


@pytest.mark.parametrize(
    ("rank", "kind", "expected"),
    [
        (1, FailureKind.EXCEPTION, True),
        (600, FailureKind.EXCEPTION, True),
        (601, FailureKind.EXCEPTION, False),
        (1, FailureKind.WRONG_VALUE, False),
        (1, FailureKind.NOT_RAISED, False),
    ],
)
def test_a_patch_is_proposed_early_and_after_an_exception(
    rank: int, kind: FailureKind, expected: bool
) -> None:
    assert is_proposed(PatchEvidence(rank, None, (), kind)) is expected


def test_the_edited_statement_can_be_deleted() -> None:
    found = deletion_of(_candidate("net = 0", "net = 1"), CODE)
    assert found is not None
    assert (CODE[found.start : found.end], found.replacement) == ("        net = 0\n", "")
    assert found.operator == "delete-statement"


def test_the_condition_of_a_branch_belongs_to_the_branch() -> None:
    found = deletion_of(_candidate("net < 0", "net <= 0"), CODE)
    assert found is not None
    assert CODE[found.start : found.end].startswith("    if net < 0:")


def test_code_outside_of_functions_has_no_statement_to_delete() -> None:
    assert deletion_of(Candidate("shop.py", "", 0, 0, "", "edit", 0.5), "LIMIT = 1\n") is None


def test_literals_of_the_test_that_a_patch_adds_are_evidence() -> None:
    test = "def test_a():\n    assert price(5, 'low') == 37 and 0"
    assert added_test_literals(_candidate("net + rate", "37"), CODE, test) == ("37",)
    assert added_test_literals(_candidate("net + rate", "'low'"), CODE, test) == ("'low'",)
    assert added_test_literals(_candidate("net + rate", "0"), CODE, test) == ()
    assert added_test_literals(_candidate("net + rate", "98"), CODE, test) == ()


def test_the_evidence_of_a_candidate_has_its_rank_and_the_failure() -> None:
    found = observation({"test_a": {}}, {}, Failure("KeyError", "'a'"))
    candidate = _candidate("net + rate", "net")
    validation = Validation(30, (CandidateResult(4), CandidateResult(5, "test_b"), CandidateResult(9)))
    assert evidence_of(candidate, 5, validation, found, CODE, "", True) == PatchEvidence(
        5, True, (), FailureKind.EXCEPTION, 2, 30
    )
