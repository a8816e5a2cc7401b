"""The evidence by which patches of one instance are selected, each part gathered at most once."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.authoring.candidate import Candidate
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.test_results import TestResult, results_of
from wardround.authoring.steps.checks import CandidateReview, review_candidate


class CandidateEvidence:
    """Gathers evidence as it is needed: a selection is repeated without the patches that were rejected."""

    def __init__(self, inputs: RunInputs) -> None:
        self._inputs = inputs
        self._tests: dict[str, TestResult] = {}
        self._reviews: dict[str, CandidateReview] = {}

    async def tests(self, candidates: Sequence[Candidate]) -> list[TestResult]:
        """Return the results of the tests with patches; see ``results_of``."""
        unknown = [candidate for candidate in candidates if candidate.commit not in self._tests]
        if unknown:
            found = await results_of(self._inputs, unknown)
            self._tests |= {item.commit: result for item, result in zip(unknown, found, strict=True)}
        return [self._tests[candidate.commit] for candidate in candidates]

    async def review(self, candidate: Candidate) -> CandidateReview:
        """Return the review of a patch without runs."""
        if candidate.commit not in self._reviews:
            self._inputs.work.progress("selection: review of a patch")
            self._reviews[candidate.commit] = await review_candidate(self._inputs.work, candidate)
        return self._reviews[candidate.commit]
