"""The hidden tests and the proposed tests of an instance, run in the sandbox with real patches."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import pytest

from tests.authoring.shop_project import FILES, TESTS
from tests.conftest import GitRepository
from tests.lab.experiments.mined_shop import FIXED, lab_inputs, mine_shop
from wardround.authoring.candidate import UnusablePatch
from wardround.authoring.proposed_tests import ProposedTest, ProposedTests
from wardround.authoring.sequence import Settings
from wardround.authoring.stages import Patch, PatchedFile
from wardround.context.run_evidence import TestOutcome
from wardround_lab.experiments.instances.model import MinedInstance
from wardround_lab.experiments.lab_inputs import Trial
from wardround_lab.experiments.rewards.generation import passed_share, passes_all
from wardround_lab.experiments.rewards.hidden_tests import hidden_outcomes
from wardround_lab.experiments.rewards.proposed_tests import proposed_test_rewards

Result = TypeVar("Result")
BROKEN = FILES["shop.py"].replace('return item["name"].lower()', 'return ""')
PROPOSED = 'from shop import label\n\n\ndef test_tea():\n    assert label({"name": "Tea"}) == "tea"\n'


class Configuration(msgspec.Struct, frozen=True):
    name: str = "only"


def patch(text: str, *others: PatchedFile) -> Patch:
    return Patch((PatchedFile("shop.py", text), *others), "a test")


def with_trial(
    repo: GitRepository, folder: Path, mined: MinedInstance, work: Callable[[Trial], Awaitable[Result]]
) -> Result:
    """Return what a coroutine function returns for a trial."""

    async def run() -> Result:
        settings = Settings(isolation="none")
        with lab_inputs(repo, mined, folder) as inputs:
            async with inputs.trial(
                Configuration(), mined.id, lambda found: found.in_words, settings
            ) as trial:
                return await work(trial)

    return asyncio.run(run())


def test_hidden_tests_tell_the_answer_from_a_patch_that_breaks_another_test(
    repo: GitRepository, tmp_path: Path
) -> None:
    mined = mine_shop(repo)
    weakened = PatchedFile("tests/test_shop.py", "def test_label_without_a_name(): pass\n")

    async def work(trial: Trial) -> list[dict[str, TestOutcome]]:
        patches = (patch(FIXED), patch(BROKEN, weakened))
        return [await hidden_outcomes(trial.inputs.work, trial.mined, proposed) for proposed in patches]

    fixed, broken = with_trial(repo, tmp_path, mined, work)
    assert passes_all(fixed, (*mined.fail_to_pass, *mined.pass_to_pass))
    assert fixed.keys() == {*mined.fail_to_pass, *mined.pass_to_pass}
    assert passed_share(broken, mined.fail_to_pass) == 1.0
    assert passed_share(broken, mined.pass_to_pass) == 0.5


def test_a_patch_of_tests_alone_cannot_be_judged(repo: GitRepository, tmp_path: Path) -> None:
    mined = mine_shop(repo)
    tests = Patch((PatchedFile("tests/test_shop.py", TESTS.replace('== ""', "")),), "a test")

    async def work(trial: Trial) -> None:
        await hidden_outcomes(trial.inputs.work, trial.mined, tests)

    with pytest.raises(UnusablePatch, match=r"changes only files that judge it: tests/test_shop\.py"):
        with_trial(repo, tmp_path, mined, work)


def test_proposed_tests_cover_the_statements_of_the_answer_or_not(
    repo: GitRepository, tmp_path: Path
) -> None:
    mined = mine_shop(repo)
    covering = PatchedFile("tests/test_tea.py", PROPOSED)
    other = PatchedFile("tests/test_sum.py", PROPOSED.replace('label({"name": "Tea"}) == "tea"', "label"))

    proposals = [
        ProposedTests((ProposedTest("tests/test_tea.py::test_tea", ""),), (), (covering,)),
        ProposedTests((ProposedTest("tests/test_sum.py::test_tea", ""),), (), (other,)),
        ProposedTests(),
    ]

    async def work(trial: Trial) -> list[dict[str, float]]:
        return [await proposed_test_rewards(trial.inputs.work, trial.gold, [tests]) for tests in proposals]

    rewards = with_trial(repo, tmp_path, mined, work)
    assert [found["gold_coverage"] for found in rewards] == [1.0, 0.0, 0.0]
    assert [found["has_valid_test"] for found in rewards] == [1.0, 1.0, 0.0]
