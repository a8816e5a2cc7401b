"""Rewards of proposed tests: they fail without the answer, pass with it, and run its lines."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.authoring.proposed_tests import ProposedTests
from wardround.authoring.repair.model import Observation
from wardround.authoring.test_runs import is_passed, results_of, run_tests
from wardround.authoring.work import Work
from wardround_lab.experiments.instances.gold import Gold
from wardround_lab.experiments.rewards.generation import covered_share

STEP = "proposed-tests-with-answer"
DIRECTIONS = {"has_valid_test": True, "valid_tests": True, "gold_coverage": True}
"""The rewards by name; True if more is better."""


async def proposed_test_rewards(
    work: Work, gold: Gold, proposals: Sequence[ProposedTests]
) -> dict[str, float]:
    """Return the rewards of all proposed tests of a trial, which run with the answer for it.

    A valid test fails at the base for a reason of the task, and passes with the answer: ``has_valid_test``
    is 1 if there is one, ``valid_tests`` is their share of all written tests. ``gold_coverage`` is the share
    of the answer's statements that tests run which fail at the base; it is missing if the answer has none.

    Raises:
        EnvironmentUnavailable: the project has no environment.
    """
    observations = [(tests, await _with_answer(work, gold, tests)) for tests in proposals]
    valid = [test for tests, found in observations for test in tests.ids if is_passed(found, test)]
    written = sum(len(tests.tests) + len(tests.rejected) for tests in proposals)
    coverage = _coverage(gold, observations)
    return {
        "has_valid_test": float(bool(valid)),
        **({"valid_tests": len(valid) / written} if written else {}),
        **({} if coverage is None else {"gold_coverage": coverage}),
    }


async def _with_answer(work: Work, gold: Gold, tests: ProposedTests) -> Observation:
    if not tests.tests:
        return Observation()
    return await run_tests(work, STEP, (*gold.files, *tests.files), tests.ids)


def _coverage(gold: Gold, observations: Sequence[tuple[ProposedTests, Observation]]) -> float | None:
    executed: dict[str, frozenset[int]] = {}
    for tests, observation in observations:
        for test in tests.ids:
            for result in results_of(observation, test):
                for path, lines in result.lines.items():
                    executed[path] = executed.get(path, frozenset()).union(lines)
    texts = {file.path: file.text for file in gold.files if file.text is not None}
    return covered_share(texts, gold.new_lines, executed)
