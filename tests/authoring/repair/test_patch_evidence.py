"""The first plausible candidate is selected, and proposed only by the rule."""

from __future__ import annotations

from tests.authoring.repair.observations import observation
from wardround.authoring.repair.failure_kind import FailureKind
from wardround.authoring.repair.model import Candidate, CandidateResult, Failure, Validation
from wardround.authoring.repair.patch_evidence import (
    PatchEvidence,
    added_test_literals,
    deletion_of,
    evidence_of,
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
