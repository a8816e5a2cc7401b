"""The packet at the end of a run: a reviewed patch for people, or the attempts and what to try next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from wardround.authoring.attempt import Attempt
from wardround.authoring.instance import Instance
from wardround.authoring.proposed_tests import ProposedTests
from wardround.authoring.stages import CodePointer
from wardround.context.run_evidence import BehaviourRun, RunState, TestOutcome

SCHEMA = "wardround.packet/1"
Kind = Literal["human-merge-review", "repair-loop"]
_MOST_POINTERS = 10
_FAILURES = (TestOutcome.FAILED, TestOutcome.ERROR)


class PlaneEvidence(msgspec.Struct, frozen=True):
    """The result of one plane for the patch, with its runs."""

    plane: str
    status: str
    severity: str | None = None
    reasons: tuple[str, ...] = ()


class TestChange(msgspec.Struct, frozen=True):
    """A test that defines the task, with its failure before the patch."""

    __test__ = False

    id: str
    failure: str = ""


class Suite(msgspec.Struct, frozen=True):
    """The tests of the repository with the patch, by their outcome."""

    passed: int
    failed: int
    skipped: int
    not_run: int


class Search(msgspec.Struct, frozen=True):
    """The search for a patch without a model.

    Attributes:
        candidates: edits that were run.
        plausible: those that pass every test that covers them.
        cpu_s: CPU seconds of their validation.
        best_failures: tests that stop most of the edits that pass the first failing test.
    """

    candidates: int = 0
    plausible: int = 0
    cpu_s: float = 0.0
    best_failures: tuple[str, ...] = ()


class Cost(msgspec.Struct, frozen=True):
    """The cost of a run, in the currency of the configured prices."""

    requests: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0
    cpu_s: float = 0.0


class Packet(msgspec.Struct, frozen=True):
    """The result of one run of ``solve``.

    Attributes:
        reason: one sentence: why there is a patch, or why there is none.
        patch: the unified diff; empty without an accepted patch.
        commit: id of the commit with the patch, which no branch has.
        verification: statements on evidence that the author of the patch did not have.
        unverified: what nobody checked.
        refused: edits of files that judge the patch, which were left out.
        pointers: the code that the task is about, the most relevant first.
        proposed_tests: tests that a model proposes; they judge no patch, and need a review of their own.
        next: what to try next.
        selections: one line for each selection among patches, on its reason.
    """

    kind: Kind
    sequence: str
    instance: str
    base: str
    task: str
    reason: str
    patch: str = ""
    commit: str = ""
    author: str = ""
    verdict: str = ""
    evidence: tuple[PlaneEvidence, ...] = ()
    tests: tuple[TestChange, ...] = ()
    suite: Suite | None = None
    verification: tuple[str, ...] = ()
    unverified: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    pointers: tuple[CodePointer, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    proposed_tests: tuple[ProposedTests, ...] = ()
    search: Search | None = None
    cost: Cost = Cost()
    next: tuple[str, ...] = ()
    selections: tuple[str, ...] = ()
    schema: str = SCHEMA


class RunSummary(msgspec.Struct, frozen=True):
    """The content of a packet.

    Attributes:
        tests: the tests that define the task, as they failed at the base.
        stopped: the reason why the run ended early; empty if it did not.
    """

    sequence: str
    instance: Instance
    pointers: tuple[CodePointer, ...]
    attempts: tuple[Attempt, ...]
    tests: tuple[TestChange, ...] = ()
    proposed_tests: tuple[ProposedTests, ...] = ()
    search: Search | None = None
    cost: Cost = Cost()
    stopped: str = ""
    advice: tuple[str, ...] = ()
    selections: tuple[str, ...] = ()


def packet_of(run: RunSummary) -> Packet:
    """Return the packet of a run: of its accepted patch, or of the attempts."""
    accepted = next((attempt for attempt in run.attempts if attempt.is_accepted), None)
    common = Packet(
        kind="repair-loop" if accepted is None else "human-merge-review",
        sequence=run.sequence,
        instance=run.instance.id,
        base=run.instance.base,
        task=run.instance.text,
        reason=run.stopped or _reason(run.attempts),
        tests=run.tests,
        refused=tuple(sorted({path for attempt in run.attempts for path in attempt.refused})),
        pointers=run.pointers[:_MOST_POINTERS],
        attempts=run.attempts,
        proposed_tests=run.proposed_tests,
        search=run.search,
        cost=run.cost,
        next=run.advice if accepted is None else (),
        selections=run.selections,
    )
    return common if accepted is None else _with_patch(common, accepted)


def _with_patch(packet: Packet, accepted: Attempt) -> Packet:
    verdict = accepted.verdict
    signals = () if verdict is None else verdict.signals
    decision = None if verdict is None else verdict.verdict
    return msgspec.structs.replace(
        packet,
        reason=accepted.reason or "the tests that define the task pass with the patch",
        patch=accepted.diff,
        commit=accepted.commit,
        author=accepted.author,
        verdict="" if decision is None else f"{decision.name} ({decision.tier})",
        evidence=tuple(
            PlaneEvidence(signal.plane, signal.status, signal.severity, signal.reasons) for signal in signals
        ),
        suite=_suite(accepted),
        verification=tuple(_verification(accepted)),
        unverified=tuple(_unverified_parts(packet, accepted)),
    )


def _suite(attempt: Attempt) -> Suite | None:
    if attempt.tests is None:
        return None
    outcomes = [test.outcome for test in attempt.tests.tests]
    return Suite(
        passed=_count(outcomes, TestOutcome.PASSED, TestOutcome.FLAKY),
        failed=_count(outcomes, *_FAILURES),
        skipped=_count(outcomes, TestOutcome.SKIPPED),
        not_run=_count(outcomes, TestOutcome.NOT_RUN),
    )


def _count(outcomes: Sequence[TestOutcome], *wanted: TestOutcome) -> int:
    return sum(outcome in wanted for outcome in outcomes)


def _verification(attempt: Attempt) -> Iterator[str]:
    if attempt.tests is not None:
        others = [test for test in attempt.tests.tests if test.outcome is TestOutcome.PASSED]
        yield f"whole suite in a fresh tree: {len(others)} passed"
    behaviour = attempt.behaviour
    if behaviour is not None and behaviour.conditions.state in (RunState.COMPLETE, RunState.PARTIAL):
        inputs = sum(function.inputs for function in behaviour.compared)
        differing = sum(function.differing for function in behaviour.compared)
        yield f"recorded calls of the patched functions with another result: {differing} of {inputs}"
    if attempt.judgement is not None and attempt.judgement.agrees:
        yield "the verifier agrees"


def _unverified_parts(packet: Packet, attempt: Attempt) -> Iterator[str]:
    if not packet.tests:
        yield "no test defines the task, so nothing shows that the patch does it"
    for test in attempt.tests.tests if attempt.tests is not None else ():
        if test.outcome in _FAILURES:
            yield f"{test.id} fails with the patch and without it"
    yield from _not_compared(attempt.behaviour)
    if doubts := attempt.metadata.get("doubts"):
        yield str(doubts)
    if attempt.judgement is None:
        yield "no verifier read the patch: none is configured"


def _not_compared(behaviour: BehaviourRun | None) -> Iterator[str]:
    if behaviour is None or behaviour.conditions.state is RunState.REFUSED:
        yield "the behaviour of the patched functions was not compared"
        return
    for item in behaviour.not_compared:
        yield f"{item.path}: {item.function}: {item.reason}"


def _reason(attempts: Sequence[Attempt]) -> str:
    if not attempts:
        return "no patch was proposed"
    steps = sorted({item.step for attempt in attempts for item in attempt.objections})
    return f"no patch was accepted: {len(attempts)} rejected by {', '.join(steps)}"
