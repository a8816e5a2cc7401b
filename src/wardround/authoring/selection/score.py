"""The selection by the score of tests and static evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from wardround.authoring.candidate import Candidate
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.ballots import Ballot, BallotBox
from wardround.authoring.selection.edit_span import edit_span
from wardround.authoring.selection.evidence import CandidateEvidence
from wardround.authoring.selection.test_results import TestResult
from wardround.authoring.selection.thread import LoopSelection
from wardround.authoring.stages import Patch
from wardround.authoring.steps.checks import CandidateReview
from wardround.findings import Severity

NAME = "score"


class ScoreSelection(LoopSelection):
    """Selects by tests, then by new findings, then by the size of the edit; of equal patches the first.

    Compared are, in this order: the tests of the task that pass; the tests that fail and must not; new
    findings of the review, errors before warnings; removed and added characters. Only patches that are the
    best by tests are reviewed.
    """

    def __init__(self, inputs: RunInputs) -> None:
        super().__init__()
        self._inputs = inputs
        self._box = BallotBox(inputs.work)
        self._evidence = CandidateEvidence(inputs)

    async def _select(self, patches: list[Patch], instance_id: str) -> Patch:
        ballots = self._box.ballots(patches)
        if not ballots:
            return patches[0]
        by_tests = await self._best_by_tests(ballots)
        by_findings = await self._best_by_findings(by_tests)
        best = min(by_findings, key=lambda ballot: self._size(ballot.candidate))
        self._inputs.report.selections.append(
            f"{NAME}: of {len(ballots)} different patches {len(by_tests)} are the best by tests, "
            f"{len(by_findings)} of these by findings"
        )
        return patches[best.position]

    async def _best_by_tests(self, ballots: Sequence[Ballot]) -> Sequence[Ballot]:
        if len(ballots) == 1:
            return ballots
        results = await self._evidence.tests([ballot.candidate for ballot in ballots])
        return _best(ballots, [_test_score(result) for result in results])

    async def _best_by_findings(self, ballots: Sequence[Ballot]) -> Sequence[Ballot]:
        if len(ballots) == 1:
            return ballots
        reviews = [await self._evidence.review(ballot.candidate) for ballot in ballots]
        return _best(ballots, [_finding_score(review) for review in reviews])

    def _size(self, candidate: Candidate) -> int:
        files = (file for file in candidate.patch.files if file.path not in candidate.refused)
        return sum(edit_span(self._inputs.read(file.path) or "", file.text or "").size for file in files)


def _best(ballots: Sequence[Ballot], scores: Sequence[tuple[int, ...]]) -> list[Ballot]:
    highest = max(scores)
    return [ballot for ballot, score in zip(ballots, scores, strict=True) if score == highest]


def _test_score(result: TestResult) -> tuple[int, int]:
    return result.passed, -len(result.failures)


def _finding_score(review: CandidateReview) -> tuple[int, ...]:
    counts = Counter(finding.severity for finding in review.new_findings)
    return tuple(-counts[severity.label] for severity in sorted(Severity, reverse=True))
