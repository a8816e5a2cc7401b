"""The vote over behaviour: patches that behave alike are one group, and the cheapest evidence comes first."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.authoring.selection.label_project import (
    BROKEN,
    CASEFOLD,
    CODE,
    FAULT,
    FILES,
    GUARDED,
    LOWER,
    replacement,
    selected,
)
from tests.conftest import GitRepository
from wardround.authoring.stages import Patch, PatchedFile


@pytest.fixture(autouse=True)
def _project(repo: GitRepository) -> None:
    repo.commit(FILES)


def test_the_larger_group_by_results_of_recorded_calls_wins_whatever_function_is_edited(
    repo: GitRepository, tmp_path: Path
) -> None:
    text = CODE.replace(f"    return {FAULT}", f"    return {LOWER}")
    elsewhere = Patch(
        (PatchedFile("shop.py", text.replace("label(item).title", "label(item).lower().title")),), "a"
    )
    found = selected(repo, tmp_path, "vote", [replacement(CASEFOLD), replacement(LOWER), elsewhere])
    assert (found.index, found.steps) == (1, ("retrieve", "selection-tests", "alike"))
    assert found.reasons == ("vote: 2 of 3 patches behave alike, 3 differ in code",)


def test_patches_with_the_same_normal_form_are_one_vote_without_a_run(
    repo: GitRepository, tmp_path: Path
) -> None:
    with_comment = replacement(LOWER, "    # no name is an empty label\n")
    found = selected(repo, tmp_path, "vote", [with_comment, replacement(LOWER)])
    assert (found.index, found.steps) == (0, ())
    assert found.reasons == ("vote: 2 of 2 patches behave alike, 1 differ in code",)


def test_behaviour_is_not_compared_where_tests_decide(repo: GitRepository, tmp_path: Path) -> None:
    patches = [replacement(BROKEN), replacement(LOWER), replacement(LOWER, "    # a comment\n")]
    found = selected(repo, tmp_path, "vote", patches, isolation="none")
    assert (found.index, found.steps) == (1, ("retrieve", "selection-tests"))


def test_without_a_comparison_no_patches_are_alike_and_the_first_wins(
    repo: GitRepository, tmp_path: Path
) -> None:
    patches = [replacement(CASEFOLD), replacement(LOWER), replacement(GUARDED)]
    found = selected(repo, tmp_path, "vote", patches, isolation="none")
    assert found.index == 0
    assert found.reasons == (
        "vote: 1 of 3 patches behave alike, 3 differ in code; behaviour unknown: functions are compared with "
        "isolation only; choose one, or leave --sandbox out",
    )


def test_patches_of_several_files_are_tested_by_the_whole_suite(repo: GitRepository, tmp_path: Path) -> None:
    new = PatchedFile("names.py", "EMPTY = ''\n")
    patches = [
        msgspec.structs.replace(patch, files=(new, *patch.files))
        for patch in (replacement(BROKEN), replacement(LOWER), replacement(LOWER, "    # a comment\n"))
    ]
    found = selected(repo, tmp_path, "vote", patches, isolation="none")
    assert (found.index, found.steps) == (1, ("tests", "tests"))


def test_unusable_patches_have_no_vote(repo: GitRepository, tmp_path: Path) -> None:
    of_tests = Patch((PatchedFile("tests/test_shop.py", ""),), "a")
    unchanged = Patch((PatchedFile("shop.py", CODE),), "a")
    assert selected(repo, tmp_path, "vote", [of_tests, unchanged, replacement(LOWER)]).index == 2
    assert selected(repo, tmp_path, "vote", [of_tests, unchanged]).index == 0
