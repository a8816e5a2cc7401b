"""The score orders patches by tests, then by findings, then by size."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.authoring.selection.label_project import BROKEN, FILES, GUARDED, LOWER, replacement, selected
from tests.conftest import GitRepository

SILENT = "    try:\n        item.keys()\n    except:\n        pass\n"


@pytest.fixture(autouse=True)
def _project(repo: GitRepository) -> None:
    repo.commit(FILES)


def test_a_patch_that_breaks_a_test_loses_and_is_not_reviewed(repo: GitRepository, tmp_path: Path) -> None:
    found = selected(repo, tmp_path, "score", [replacement(BROKEN), replacement(LOWER)])
    assert (found.index, found.steps) == (1, ("retrieve", "selection-tests"))
    assert found.reasons == ("score: of 2 different patches 1 are the best by tests, 1 of these by findings",)


def test_new_findings_decide_before_the_size_and_of_equal_patches_the_smaller_wins(
    repo: GitRepository, tmp_path: Path
) -> None:
    patches = [replacement(LOWER, SILENT), replacement(GUARDED), replacement(LOWER)]
    found = selected(repo, tmp_path, "score", patches)
    assert (found.index, found.steps) == (2, ("retrieve", "selection-tests", "checks", "checks", "checks"))
    assert "3 are the best by tests, 2 of these by findings" in found.reasons[0]


def test_the_only_patch_needs_no_evidence(repo: GitRepository, tmp_path: Path) -> None:
    found = selected(repo, tmp_path, "score", [replacement(LOWER)])
    assert (found.index, found.steps) == (0, ())
