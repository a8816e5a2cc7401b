"""A CI run fetches what its clone lacks, and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.delivery.checkout import Checkout


@pytest.mark.parametrize("kept", ["blob:none", "tree:0"])
def test_folders_and_files_that_a_partial_clone_lacks_are_fetched(
    repo: GitRepository, tmp_path: Path, kept: str
) -> None:
    repo.commit({"src/a.py": "a = 1\n", "b.py": "b = 1\n"})
    repo.commit({"src/a.py": "a = 2\n"})
    for option in ("allowFilter", "allowAnySHA1InWant"):
        repo.git("config", f"uploadpack.{option}", "true")
    clone = tmp_path / "clone"
    repo.git("clone", "-q", "--no-checkout", f"--filter={kept}", f"file://{repo.root}", clone)
    for may_fetch, expected in ((False, None), (True, b"a = 1\n")):
        with Repository(clone) as repository:
            base, head = repository.commit("HEAD~1"), repository.commit("HEAD")
            Checkout(repository, os.environ, may_fetch=may_fetch).complete(head, base)
        with Repository(clone) as repository:
            blob = repo.git("rev-parse", "HEAD~1:src/a.py").strip()
            assert repository.blobs.get(blob) == expected
