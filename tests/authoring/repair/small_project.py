"""A small project with a defect, its observation, and the validation of edits given as texts."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

import msgspec

from tests.conftest import GitRepository
from wardround.authoring.repair.model import Candidate, Observation, Validation
from wardround.authoring.repair.observation import observe
from wardround.authoring.repair.validation import validate
from wardround.change.repository import Repository
from wardround.workflows.environments.existing_python import existing_python


class Project(msgspec.Struct, frozen=True):
    """Files at one commit, of which a test fails."""

    repo: GitRepository
    files: Mapping[str, str]
    failing: tuple[str, ...]
    isolation: str = "none"

    def observed(self, budget_s: float = 20.0) -> Observation:
        with Repository(self.repo.root) as repository:
            return observe(
                repository, repository.commit("HEAD"), self.failing,
                existing_python(self.repo.root, {"VIRTUAL_ENV": sys.prefix}), budget_s,
                environ=os.environ, log=self.repo.root.parent / "observation.log", isolation=self.isolation,
            )  # fmt: skip

    def validated(
        self, observation: Observation, *edits: tuple[str, str], path: str = "", budget_s: float = 30.0
    ) -> Validation:
        """Validate edits, each a text that the file has once and its replacement."""
        candidates = [self.candidate(path or next(iter(self.files)), *edit) for edit in edits]
        with Repository(self.repo.root) as repository:
            return validate(
                repository, repository.commit("HEAD"), candidates, observation,
                existing_python(self.repo.root, {"VIRTUAL_ENV": sys.prefix}), budget_s,
                environ=os.environ, log=self.repo.root.parent / "validation.log", isolation=self.isolation,
            )  # fmt: skip

    def candidate(self, path: str, old: str, new: str) -> Candidate:
        text = self.files[path]
        assert text.count(old) == 1, old
        start = text.index(old)
        return Candidate(path, "", start, start + len(old), new, "edit", 0.5)


def project(repo: GitRepository, files: Mapping[str, str], *failing: str, isolation: str = "none") -> Project:
    """Commit the files of a project; the first one is that of the candidates."""
    repo.commit(dict(files))
    return Project(repo, files, failing, isolation)


def verdicts(validation: Validation) -> dict[int, str]:
    """Return the first test that each listed candidate fails, without the name of its file."""
    return {result.index: result.failed_test.rpartition("::")[2] for result in validation.results}
