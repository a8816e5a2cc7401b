"""Packets: an accepted patch with its evidence, or the attempts with what to try next."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import msgspec
import pytest

from wardround.authoring.attempt import Attempt
from wardround.authoring.endpoint.verifier import Judgement
from wardround.authoring.instance import Instance
from wardround.authoring.packet import Cost, RunSummary, Search, TestChange, packet_of
from wardround.authoring.packet_text import as_json, as_markdown, schema, subject_of
from wardround.authoring.proposed_tests import ProposedTest, ProposedTests, RejectedTest
from wardround.authoring.stages import CodePointer
from wardround.authoring.steps.checks import CandidateReview, SignalNote, VerdictNote
from wardround.authoring.steps.objection import Objection
from wardround.context.run_evidence import (
    BehaviourRun,
    ComparedFunction,
    NotCompared,
    RunConditions,
    RunState,
    TestEvidence,
    TestOutcome,
    TestsRun,
)

PUBLISHED = Path(__file__).parents[2] / "docs" / "packet.schema.json"
COMPLETE = RunConditions(RunState.COMPLETE)
DIFF = "diff --git a/shop.py b/shop.py\n--- a/shop.py\n+++ b/shop.py\n@@ -1 +1 @@\n-x = 1\n+x = 2\n"
ACCEPTED = Attempt(
    round=1,
    author="edits",
    reason="replace-constant in total, edit 7 of the search",
    diff=DIFF,
    commit="c" * 40,
    metadata={"doubts": "the tests pass without the edited statement, too"},
    review=CandidateReview(),
    tests=TestsRun(
        COMPLETE,
        (
            TestEvidence("t.py::test_a", TestOutcome.PASSED),
            TestEvidence("t.py::test_b", TestOutcome.FAILED, base=TestOutcome.FAILED),
            TestEvidence("t.py::test_c", TestOutcome.SKIPPED),
        ),
    ),
    behaviour=BehaviourRun(
        COMPLETE,
        compared=(ComparedFunction("shop.py", "total", 12, 3),),
        not_compared=(NotCompared("shop.py", "label", "no test calls it"),),
    ),
    verdict=CandidateReview(
        signals=(SignalNote("tests", "reviewed", "warn"),), verdict=VerdictNote("human-review", "T2")
    ),
)
REJECTED = Attempt(
    round=1,
    author="edits",
    reason="delete-statement in total",
    diff=DIFF,
    commit="d" * 40,
    refused=("tests/test_shop.py",),
    objections=(Objection("tests", "still fails: assert 1 == 2", "t.py::test_a"),),
)
RUN = RunSummary(
    sequence="abc-1",
    instance=Instance("b" * 40, "# Totals\n\nThe total ``` is wrong.", ("t.py::test_a",)),
    pointers=(CodePointer("shop.py", 1, 4, "total", "f" * 40),),
    attempts=(REJECTED,),
    tests=(TestChange("t.py::test_a", "E   assert 1 == 2"),),
    search=Search(1200, 1, 2.5, ("t.py::test_c",)),
    cost=Cost(2, 3000, 200, 0.0123, 2.5),
    advice=("read the rejected patches",),
    selections=("vote: 2 of 3 patches behave alike, 3 differ in code",),
)
SOLVED = msgspec.structs.replace(RUN, attempts=(REJECTED, ACCEPTED))


def test_the_published_schema_is_that_of_the_packet() -> None:
    assert PUBLISHED.read_text(encoding="utf-8") == schema()


@pytest.mark.parametrize("run", [RUN, SOLVED], ids=["rejected", "solved"])
def test_a_packet_matches_the_schema(run: RunSummary) -> None:
    jsonschema.validate(json.loads(as_json(packet_of(run))), json.loads(schema()))


def test_an_accepted_patch_states_its_evidence_and_what_nobody_verified() -> None:
    packet = packet_of(SOLVED)
    assert (packet.kind, packet.patch, packet.verdict) == ("human-merge-review", DIFF, "human-review (T2)")
    assert packet.verification == (
        "whole suite in a fresh tree: 1 passed",
        "recorded calls of the patched functions with another result: 3 of 12",
    )
    assert packet.unverified == (
        "t.py::test_b fails with the patch and without it",
        "shop.py: label: no test calls it",
        "the tests pass without the edited statement, too",
        "no verifier read the patch: none is configured",
    )
    assert (packet.refused, packet.next) == (("tests/test_shop.py",), ())


def test_rejected_patches_state_the_step_and_what_to_try_next() -> None:
    packet = packet_of(RUN)
    assert (packet.kind, packet.patch, packet.next) == ("repair-loop", "", ("read the rejected patches",))
    assert packet.reason == "no patch was accepted: 1 rejected by tests"


def test_without_a_test_the_packet_states_that_nothing_shows_the_task() -> None:
    packet = packet_of(RunSummary("a-1", Instance("b" * 40, "Totals"), (), (ACCEPTED,)))
    assert packet.unverified[0] == "no test defines the task, so nothing shows that the patch does it"


def test_a_verifier_that_agrees_is_stated() -> None:
    judged = msgspec.structs.replace(ACCEPTED, judgement=Judgement(True))
    packet = packet_of(RunSummary("a-1", Instance("b" * 40, "Totals"), (), (judged,)))
    assert "the verifier agrees" in packet.verification
    assert not any("no verifier" in text for text in packet.unverified)


def test_the_markdown_has_every_part_and_a_fence_that_no_text_closes() -> None:
    shown = as_markdown(packet_of(SOLVED))
    expected = [
        "# Patch for review",
        "> # Totals",
        "`t.py::test_a`",
        "+x = 2",
        "Tests with the patch: 1 passed, 1 failed",
        "- tests: reviewed, warn",
        "## Not verified",
        "## Rejected patch 1",
        "- tests `t.py::test_a`: still fails",
        "- `tests/test_shop.py`",
        "edits tried: 1200",
        "requests: 2, with 3000 prompt",
        "## Selection among the patches",
        "- vote: 2 of 3 patches behave alike",
        "price 0.0123",
    ]
    for text in expected:
        assert text in shown
    failure = TestChange("t.py::test_a", "E ```\n# No patch")
    fenced = as_markdown(packet_of(RunSummary("a-1", RUN.instance, (), (), (failure,))))
    assert "````\nE ```\n# No patch\n````" in fenced


def test_the_subject_of_a_branch_is_the_title_of_the_task_or_the_file() -> None:
    assert subject_of(packet_of(SOLVED)) == "Totals"
    untitled = RunSummary("a-1", Instance("b" * 40, "", ("t.py::test_a",)), (), (ACCEPTED,))
    assert subject_of(packet_of(untitled)) == "Correct shop.py"


def test_proposed_tests_are_a_part_of_their_own_and_evidence_of_the_author() -> None:
    metadata = {"proposed_tests": 1, "proposed_tests_passed": 1}
    accepted = msgspec.structs.replace(ACCEPTED, metadata=metadata)
    tests = ProposedTests(
        (ProposedTest("t.py::test_new", "def test_new():\n    assert x == 2", "E   assert 1 == 2"),),
        (RejectedTest("t.py::test_old", "it passes, although the task is not done"),),
        author="m",
    )
    run = msgspec.structs.replace(RUN, attempts=(accepted,), proposed_tests=(tests,))
    text = as_markdown(packet_of(run))
    assert "## Proposed tests, which need a review of their own\n\nBy m. They fail without" in text
    assert "```python\ndef test_new():\n    assert x == 2\n```" in text
    assert "- `t.py::test_old` was left out: it passes, although the task is not done" in text
    assert (
        "## Evidence of the author\n\n- proposed tests that fail without the patch and pass with it: 1 of 1"
        in text
    )
    verified = text.partition("## Verified")[2].partition("##")[0]
    assert "proposed" not in verified
    jsonschema.validate(json.loads(as_json(packet_of(run))), json.loads(PUBLISHED.read_text()))
