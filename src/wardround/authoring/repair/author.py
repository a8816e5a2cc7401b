"""The author without a model: edits of suspicious functions that make the failing tests pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice

import msgspec

from wardround.authoring.packet import Search
from wardround.authoring.repair.candidates import candidates_of
from wardround.authoring.repair.failing_source import failing_source
from wardround.authoring.repair.failure_kind import FailureKind
from wardround.authoring.repair.model import Candidate, Observation, SuspiciousFunction, Validation
from wardround.authoring.repair.patch_evidence import (
    PatchEvidence,
    deletion_of,
    evidence_of,
)
from wardround.authoring.repair.validation import validate
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.stages import LocalizationResult, Message, Patch, PatchedFile
from wardround.authoring.steps.retrieve import executed_functions

NAME = "patch"
_MOST_CANDIDATES = 20_000
_MOST_STOPS = 3
MOST_PLAUSIBLE = 4
"""Candidates with evidence: the right one, if one is plausible, is among the first four.

Source: measured on 86 instances of a lab; see docs/authoring.md.
"""
_BASE_RATE = "most edits that pass all tests are wrong: 7 of 18 were right or nearly right in a measurement"
_DELETIONS_S = 5.0
"""CPU seconds for the validation of deletions."""


class PlausibleCandidate(msgspec.Struct, frozen=True):
    """A candidate that passes all tests, with the evidence on it."""

    candidate: Candidate
    evidence: PatchEvidence


class SearchResult(msgspec.Struct, frozen=True):
    """The result of the validation of the candidates of an instance.

    Attributes:
        passing: the number of candidates that pass all tests.
        plausible: the first of these in the order of the search, with the evidence on each.
        stops: the tests that stop candidates which pass the first failing test, with their number.
    """

    tried: int
    passing: int = 0
    plausible: tuple[PlausibleCandidate, ...] = ()
    stops: tuple[tuple[str, int], ...] = ()
    cpu_s: float = 0.0
    problem: str = ""


class EditAuthor:
    """Proposes the plausible candidates of an instance, in the order of the search.

    Args:
        most: the number of proposed patches.
    """

    def __init__(self, inputs: RunInputs, most: int = MOST_PLAUSIBLE) -> None:
        self._inputs = inputs
        self._most = most
        self._work = inputs.work

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return the plausible patches, without a conversation."""
        observation = await self._inputs.failing_tests.observation()
        functions = await executed_functions(self._inputs)
        instance, seconds = self._work.instance, self._work.settings.seconds

        async def run() -> SearchResult:
            return self._search(observation, functions)

        request = (instance.base, instance.failing_tests, seconds, self._most)
        found = await self._work.effects.run(NAME, request, SearchResult, run)
        stopping = tuple(test for test, _ in found.stops)
        self._inputs.report.search = Search(found.tried, found.passing, found.cpu_s, stopping)
        self._inputs.report.advice = _advice(found)
        return [self._patch(item) for item in found.plausible], []

    def _search(self, observation: Observation, functions: tuple[SuspiciousFunction, ...]) -> SearchResult:
        work, seconds = self._work, self._work.settings.seconds
        found = candidates_of(functions, observation, self._inputs.read)
        candidates = list(islice(found, _MOST_CANDIDATES))
        work.progress(f"patch: {len(candidates)} edits, {seconds:g} CPU seconds")
        validation = self._validation(candidates, observation, seconds)
        plausible = [result for result in validation.results if result.is_plausible][: self._most]
        deletions = self._plausible_deletions([candidates[result.index] for result in plausible], observation)
        source = failing_source(observation, self._inputs.read)
        items = []
        for result in plausible:
            candidate = candidates[result.index]
            text = self._inputs.read(candidate.path) or ""
            evidence = evidence_of(
                candidate, result.index + 1, validation, observation, text, source, deletions.get(candidate)
            )
            items.append(PlausibleCandidate(candidate, evidence))
        return _search_result(validation, tuple(items))

    def _validation(
        self, candidates: list[Candidate], observation: Observation, seconds: float
    ) -> Validation:
        work, run = self._work, self._inputs.failing_tests.project
        return validate(
            work.repository, work.instance.base, candidates, observation, run.environment, seconds,
            environ=work.environ, log=work.logs / "solve-validation.log", isolation=run.isolation,
            project=run.root,
        )  # fmt: skip

    def _plausible_deletions(
        self, candidates: list[Candidate], observation: Observation
    ) -> dict[Candidate, bool]:
        """Return for each candidate whether the tests pass without the edited statement, too."""
        found = {
            candidate: deletion
            for candidate in candidates
            if (deletion := deletion_of(candidate, self._inputs.read(candidate.path) or "")) is not None
        }
        deletions = list(dict.fromkeys(found.values()))
        if not deletions:
            return {}
        validation = self._validation(deletions, observation, _DELETIONS_S)
        passing = {deletions[result.index] for result in validation.results if result.is_plausible}
        tried = set(deletions[: validation.tried])
        return {candidate: deletion in passing for candidate, deletion in found.items() if deletion in tried}

    def _patch(self, item: PlausibleCandidate) -> Patch:
        candidate, evidence = item.candidate, item.evidence
        text = self._inputs.read(candidate.path) or ""
        new = text[: candidate.start] + candidate.replacement + text[candidate.end :]
        return Patch(
            (PatchedFile(candidate.path, new),),
            "edits",
            f"{candidate.operator} in {candidate.symbol}, edit {evidence.rank} of the search",
            {
                "operator": candidate.operator,
                "rank": evidence.rank,
                "doubts": "; ".join(_doubts(evidence)),
                "is_weak": True,
            },
        )


def _doubts(evidence: PatchEvidence) -> Iterator[str]:
    """Yield the reasons not to trust a patch that passes all tests."""
    if evidence.is_deletion_plausible:
        yield "the tests pass without the edited statement, too, so they prove nothing about the patch"
    if evidence.test_literals:
        yield f"the patch has literals of the failing tests: {', '.join(evidence.test_literals)}"
    if evidence.failure is not FailureKind.EXCEPTION:
        yield "the failing test does not end in an exception of the code"
    if evidence.plausible > 1:
        yield f"{evidence.plausible} of {evidence.tried} edits pass all tests"
    yield _BASE_RATE


def _advice(found: SearchResult) -> tuple[str, ...]:
    """Return what to try after a search without an accepted patch."""
    by_model = "configure an endpoint with the role author, or give --exchange, and run it again"
    if not found.plausible:
        return (
            "no small edit passes the tests; the cause may need several edits, or be in other code",
            by_model,
        )
    weak = "give --propose-weak to evaluate the edits, too"
    return "read the rejected patches: each passes the tests that cover it", weak, by_model


def _search_result(validation: Validation, plausible: tuple[PlausibleCandidate, ...]) -> SearchResult:
    stops = Counter(result.failed_test for result in validation.results if not result.is_plausible)
    return SearchResult(
        validation.tried,
        sum(result.is_plausible for result in validation.results),
        plausible,
        tuple(sorted(stops.items(), key=lambda stop: (-stop[1], stop[0]))[:_MOST_STOPS]),
        validation.cpu_s,
        validation.problem,
    )
