"""A patch is right in the strict measure if the calls of tests have the same results as with the answer."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from tests.authoring.selection.label_project import CASEFOLD, FAILING, FILES, GUARDED, LOWER, replacement
from tests.conftest import GitRepository
from wardround import host
from wardround.authoring.instance import Instance
from wardround.authoring.sequence import Header, SequenceStore, Settings
from wardround.authoring.stages import PatchedFile
from wardround.authoring.steps.route import Route, StageNames
from wardround.authoring.work import Work
from wardround.change.repository import Repository
from wardround_lab.experiments.instances.gold import Gold
from wardround_lab.experiments.rewards.gold_behaviour import behave_as_gold

GOLD = Gold({}, (PatchedFile("CHANGES.md", "- Labels\n"), *replacement(LOWER).files))


def compared(repo: GitRepository, folder: Path, *expressions: str, isolation: str = "") -> list[bool | None]:
    instance = Instance(repo.commit(FILES), "Labels", (FAILING,))
    header = Header(instance, Settings(isolation=isolation), Route(StageNames(), ""), "1.0")
    _, sequence = SequenceStore(folder / "sequences").begin(header)
    environ = {**os.environ, "VIRTUAL_ENV": sys.prefix}
    with Repository(repo.root) as repository:
        work = Work(repository, instance, header.settings, sequence, host.load(), environ, folder)
        patches = [replacement(expression) for expression in expressions]
        return asyncio.run(behave_as_gold(work, patches, GOLD))


def test_the_results_of_the_calls_of_tests_decide(repo: GitRepository, tmp_path: Path) -> None:
    assert compared(repo, tmp_path, CASEFOLD, GUARDED, LOWER) == [False, True, True]


def test_without_a_comparison_only_the_same_code_is_known_to_behave_alike(
    repo: GitRepository, tmp_path: Path
) -> None:
    assert compared(repo, tmp_path, CASEFOLD, LOWER, isolation="none") == [None, True]
