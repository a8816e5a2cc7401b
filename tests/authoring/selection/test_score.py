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


def test_tests_decide_before_new_findings_and_these_before_the_size(
    repo: GitRepository, tmp_path: Path
) -> None:
    patches = [replacement(BROKEN), replacement(LOWER, SILENT), replacement(GUARDED), replacement(LOWER)]
    found = selected(repo, tmp_path, "score", patches, isolation="none")
    assert (found.index, found.steps) == (3, ("retrieve", "selection-tests", "checks", "checks", "checks"))
    assert "of 4 different patches 3 are the best by tests, 2 of these by findings" in found.reasons[0]


def test_the_only_patch_needs_no_evidence(repo: GitRepository, tmp_path: Path) -> None:
    found = selected(repo, tmp_path, "score", [replacement(LOWER)])
    assert (found.index, found.steps) == (0, ())
