"""The author without a model: edits of suspicious functions that make the failing tests pass."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import msgspec

from wardround.authoring.packet import Search
from wardround.authoring.repair.candidates import candidates_of
from wardround.authoring.repair.model import Candidate, Observation, SuspiciousFunction, Validation
from wardround.authoring.repair.validation import validate
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.stages import LocalizationResult, Message, Patch, PatchedFile
from wardround.authoring.steps.retrieve import executed_functions

NAME = "patch"
_MOST_CANDIDATES = 20_000
_MOST_STOPS = 3


class SearchResult(msgspec.Struct, frozen=True):
    """The result of the validation of the candidates of an instance.

    Attributes:
        plausible: the candidates that pass all tests, with their places in the order of the search.
        stops: the tests that stop candidates which pass the first failing test, with their number.
    """

    tried: int
    plausible: tuple[tuple[int, Candidate], ...] = ()
    stops: tuple[tuple[str, int], ...] = ()
    cpu_s: float = 0.0
    problem: str = ""


class EditAuthor:
    """Proposes the plausible candidates of an instance, in the order of the search."""

    def __init__(self, inputs: RunInputs) -> None:
        self._inputs = inputs
        self._work = inputs.work

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return the plausible patches; there is no conversation."""
        observation = await self._inputs.failing_tests.observation()
        functions = await executed_functions(self._inputs)
        instance, seconds = self._work.instance, self._work.settings.seconds

        async def run() -> SearchResult:
            return self._validated(observation, functions)

        request = (instance.base, instance.failing_tests, seconds)
        found = await self._work.effects.run(NAME, request, SearchResult, run)
        stopping = tuple(test for test, _ in found.stops)
        self._inputs.report.search = Search(found.tried, len(found.plausible), found.cpu_s, stopping)
        self._inputs.report.advice = _advice(found)
        return [self._patch(rank, candidate) for rank, candidate in found.plausible], []

    def _validated(self, observation: Observation, functions: tuple[SuspiciousFunction, ...]) -> SearchResult:
        work, seconds = self._work, self._work.settings.seconds
        found = candidates_of(functions, observation, self._inputs.read)
        candidates = list(islice(found, _MOST_CANDIDATES))
        run = self._inputs.failing_tests.project
        work.progress(f"patch: {len(candidates)} edits, {seconds:g} CPU seconds")
        validation = validate(
            work.repository, work.instance.base, candidates, observation, run.environment, seconds,
            environ=work.environ, log=work.logs / "solve-validation.log", isolation=run.isolation,
            project=run.root,
        )  # fmt: skip
        return _search_result(validation, candidates)

    def _patch(self, rank: int, candidate: Candidate) -> Patch:
        text = self._inputs.read(candidate.path) or ""
        new = text[: candidate.start] + candidate.replacement + text[candidate.end :]
        return Patch(
            (PatchedFile(candidate.path, new),),
            "edits",
            f"{candidate.operator} in {candidate.symbol}, edit {rank} of the search",
            {"operator": candidate.operator, "rank": rank, "score": candidate.score},
        )


def _advice(found: SearchResult) -> tuple[str, ...]:
    """Return what to try after a search without an accepted patch."""
    if found.plausible:
        first = "read the rejected patches: each passes the tests that cover it"
    else:
        first = "no small edit passes the tests; the cause may need several edits, or be in other code"
    return first, "configure an endpoint with the role author, or give --exchange, and run it again"


def _search_result(validation: Validation, candidates: list[Candidate]) -> SearchResult:
    plausible = tuple(
        (result.index + 1, candidates[result.index]) for result in validation.results if result.is_plausible
    )
    stops = Counter(result.failed_test for result in validation.results if not result.is_plausible)
    return SearchResult(
        validation.tried,
        plausible,
        tuple(sorted(stops.items(), key=lambda stop: (-stop[1], stop[0]))[:_MOST_STOPS]),
        validation.cpu_s,
        validation.problem,
    )
