"""A plan is written whole, or one sentence has the reason."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from wardround.change.repository import Repository
from wardround.errors import UsageError
from wardround.setup_plan.application import apply_plan
from wardround.setup_plan.model import FileChange, Plan

if TYPE_CHECKING:
    from tests.conftest import GitRepository

PLAN = Plan((FileChange("a/b/new.yml", None, b"1\n"), FileChange("old.yml", b"1\n", b"2\n")))


def test_all_files_are_written(repo: GitRepository) -> None:
    repo.write("old.yml", "1\n")
    with Repository(repo.root) as repository:
        assert apply_plan(repository, PLAN) == []
    assert (repo.read("a/b/new.yml"), repo.read("old.yml")) == (b"1\n", b"2\n")


def test_a_file_that_changed_meanwhile_stays(repo: GitRepository) -> None:
    repo.write("old.yml", "3\n")
    with Repository(repo.root) as repository:
        assert apply_plan(repository, PLAN) == ["old.yml"]
    assert repo.read("old.yml") == b"3\n"


def test_a_disk_that_cannot_be_written_takes_one_sentence(
    repo: GitRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("old.yml", "1\n")
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with Repository(repo.root) as repository, pytest.raises(UsageError) as rejected:
        apply_plan(repository, PLAN)
    assert str(rejected.value) == (
        f"{repo.root} cannot be written, so nothing was; make it writable, and run it again"
    )
    assert repo.git("ls-files", "--others").split() == ["old.yml"]
