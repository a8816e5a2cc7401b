"""The author without a model: edits of suspicious functions that make the failing tests pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

import msgspec

from wardround.authoring.failing_tests import FailingTests
from wardround.authoring.packet import Search
from wardround.authoring.repair.candidates import candidates_of
from wardround.authoring.repair.model import Candidate, Observation, SuspiciousFunction, Validation
from wardround.authoring.repair.validation import validate
from wardround.authoring.stages import LocalizationResult, Message, Patch, PatchedFile
from wardround.authoring.work import Work
from wardround.change.change_source import decode_text

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
    """Proposes the plausible candidates of an instance, in the order of the search.

    Attributes:
        search: the search so far; None before it.

    Args:
        functions: returns the suspicious functions of the observed tests, the most suspicious first.
    """

    def __init__(
        self,
        work: Work,
        tests: FailingTests,
        functions: Callable[[Observation], tuple[SuspiciousFunction, ...]],
    ) -> None:
        self._work = work
        self._tests = tests
        self._functions = functions
        self.search: Search | None = None

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]:
        """Return the plausible patches; there is no conversation."""
        observation = await self._tests.observation()
        instance, seconds = self._work.instance, self._work.settings.seconds

        async def run() -> SearchResult:
            return self._validated(observation)

        request = (instance.base, instance.failing_tests, seconds)
        found = await self._work.effects.run(NAME, request, SearchResult, run)
        self.search = Search(
            found.tried, len(found.plausible), found.cpu_s, tuple(test for test, _ in found.stops)
        )
        return [self._patch(rank, candidate) for rank, candidate in found.plausible], []

    def advice(self) -> Iterator[str]:
        """Yield what to try next, after a search without an accepted patch."""
        if self.search is None:
            return
        if self.search.plausible:
            yield "read the rejected patches: each passes the tests that cover it"
        else:
            yield "no small edit passes the tests; the cause may need several edits, or be in other code"
        yield "configure an endpoint with the role author, or give --exchange, and run it again"

    def _validated(self, observation: Observation) -> SearchResult:
        work, seconds = self._work, self._work.settings.seconds
        functions = self._functions(observation)
        candidates = list(islice(candidates_of(functions, observation, self._read), _MOST_CANDIDATES))
        run = self._tests.project
        work.progress(f"patch: {len(candidates)} edits, {seconds:g} CPU seconds")
        validation = validate(
            work.repository, work.instance.base, candidates, observation, run.environment, seconds,
            environ=work.environ, log=work.logs / "solve-validation.log", isolation=run.isolation,
            project=run.root,
        )  # fmt: skip
        return _search_result(validation, candidates)

    def _read(self, path: str) -> str | None:
        content = self._work.repository.tree(self._work.instance.base).read(path)
        return None if content is None else decode_text(content)

    def _patch(self, rank: int, candidate: Candidate) -> Patch:
        text = self._read(candidate.path) or ""
        new = text[: candidate.start] + candidate.replacement + text[candidate.end :]
        return Patch(
            (PatchedFile(candidate.path, new),),
            "edits",
            f"{candidate.operator} in {candidate.symbol}, edit {rank} of the search",
            {"operator": candidate.operator, "rank": rank, "score": candidate.score},
        )


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
