"""Attacks on the results of a run: none of them makes a verdict milder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from tests.conftest import GitRepository
from tests.planes.evidence_factory import document, evidence, finding
from tests.planes.run_factory import (
    CLEAN,
    FAILED,
    PASSED,
    UNISOLATED,
    difference,
    run_of_behaviour,
    run_of_tests,
)
from tests.records.sample_reviews import FACTS, MOMENT, review, signer
from tests.run_reviews import LINES, Runner, committed, reviewed
from tests.security.test_printed_commands import assert_silent
from wardround.context.document import document_id
from wardround.context.run_evidence import Observed, RunEvidence, TestOutcome
from wardround.findings import Plane
from wardround.policy.conclude import conclude
from wardround.policy.gate import GateOutcome
from wardround.records import bundle
from wardround.records.reading import evidence_fault
from wardround.records.record import predicate_of
from wardround.records.verify import verify_record
from wardround.text.escaping import lines_for_log

HOSTILE = "::error::x\x1b[31m\r\n\u202e[a](javascript:x)<img src=x>"
FAILURE = finding(Plane.TESTS, "error", rule="run/failed-test", specialist="run", fingerprint="f")
FAILING = RunEvidence(run_of_tests(PASSED, FAILED), run_of_behaviour(difference()))
RECORD = review(evidence(findings=(FAILURE,), gate="blocked"), FAILING)


def _as_passed(document: dict[str, Any]) -> None:
    for test in document["run"]["tests"]["tests"]:
        test["outcome"] = "passed"


def _without_difference(document: dict[str, Any]) -> None:
    document["run"]["behaviour"]["differences"] = []


def _without_run(document: dict[str, Any]) -> None:
    del document["run"]


def _without_isolation(document: dict[str, Any]) -> None:
    document["run"]["tests"]["conditions"]["isolation"] = "none"


EDITS = [_as_passed, _without_difference, _without_run, _without_isolation]


@pytest.mark.parametrize("edit", EDITS)
def test_an_altered_run_no_longer_has_the_id_of_its_context(edit: Callable[[dict[str, Any]], None]) -> None:
    values = predicate_of(RECORD)
    edit(values["context"]["document"])
    fault = evidence_fault(values)
    assert fault is not None
    assert fault.startswith("context.id is ")


@pytest.mark.parametrize("edit", EDITS)
def test_an_altered_run_with_the_id_computed_again_does_not_lead_to_the_signals(
    edit: Callable[[dict[str, Any]], None],
) -> None:
    values = json.loads(json.dumps(predicate_of(RECORD)))
    edit(values["context"]["document"])
    changed = bundle.strict_json.encode(values["context"]["document"])
    values["context"]["id"] = f"sha256:{hashlib.sha256(changed).hexdigest()}"
    fault = evidence_fault(values)
    assert fault is not None
    assert fault.startswith(("signals", "request.run"))


def test_an_altered_run_breaks_the_signature() -> None:
    key = signer()
    written = bundle.write(predicate_of(RECORD), FACTS, key, MOMENT)
    assert verify_record(written.data, [key.public_key]).problem is None
    clean = review(evidence(), CLEAN)
    forged = bundle.write(predicate_of(clean), FACTS, None, MOMENT)
    lines = [json.loads(line) for line in forged.data.splitlines()]
    signatures = [json.loads(line)["signatures"] for line in written.data.splitlines()]
    for line, signature in zip(lines, signatures, strict=True):
        line["signatures"] = signature
    data = b"".join(
        json.dumps(line, sort_keys=True, separators=(",", ":")).encode() + b"\n" for line in lines
    )
    assert verify_record(data, [key.public_key]).problem is not None


def test_results_that_a_test_prints_are_text_and_nothing_else(repo: GitRepository) -> None:
    committed(repo)
    printed = json.dumps({"id": FAILED.id, "outcome": "passed"})
    loud = replace(FAILED, excerpt=f"{printed}\nE  assert 2 == 1\n{printed}")
    done = reviewed(repo, Runner(RunEvidence(run_of_tests(PASSED, loud))))
    assert done.result.gate.outcome is GateOutcome.BLOCKED
    assert [item[0] for item in done.of_run] == ["run/failed-test"]


def test_texts_of_the_run_print_no_commands(repo: GitRepository) -> None:
    committed(repo)
    seen = Observed(returned=HOSTILE, printed=HOSTILE, arguments=(HOSTILE,))
    tests = run_of_tests(
        replace(FAILED, id=HOSTILE, excerpt=HOSTILE), replace(PASSED, reason=HOSTILE), lines=(LINES,)
    )
    called = difference(line=4, call=HOSTILE, before=seen, callers=(HOSTILE,), through=HOSTILE)
    done = reviewed(repo, Runner(RunEvidence(tests, run_of_behaviour(called))))
    for name in ("text", "json", "sarif"):
        assert_silent(lines_for_log(done.printed[name], {"GITHUB_ACTIONS": "true"}))
    lines = [line.split("::", 2)[-1] for line in done.printed["github"].splitlines() if line.startswith("::")]
    assert_silent("\n".join(lines))


def test_a_suppression_that_the_change_adds_waives_no_failure(repo: GitRepository) -> None:
    committed(repo)
    repo.write("app.py", "a = int('x')  # wardround: ignore[run/failed-test] known\n")
    repo.git("commit", "--quiet", "--all", "--message", "Ports")
    failed = replace(FAILED, places=("app.py:1",))
    done = reviewed(repo, Runner(RunEvidence(run_of_tests(PASSED, failed))))
    assert done.result.gate.outcome is GateOutcome.BLOCKED


@pytest.mark.parametrize(
    "run",
    [
        RunEvidence(),
        RunEvidence(run_of_tests(conditions=UNISOLATED), run_of_behaviour(conditions=UNISOLATED)),
        RunEvidence(run_of_tests(replace(PASSED, outcome=TestOutcome.SKIPPED), lines=())),
    ],
)
def test_less_than_a_run_in_a_sandbox_is_never_milder_than_no_run(run: RunEvidence) -> None:
    policies = RECORD.policies
    without = conclude(document(), evidence(), policies)
    found = conclude(replace(document(), run=run), evidence(), policies)
    assert found.verdict.tier.number >= without.verdict.tier.number
    assert found.verdict.name.strictness >= without.verdict.name.strictness


def test_a_failure_is_never_milder_than_no_run() -> None:
    without = conclude(document(), evidence(), RECORD.policies)
    assert RECORD.verdict.tier.number > without.verdict.tier.number
    assert document_id(RECORD.context.document) == RECORD.context.id
