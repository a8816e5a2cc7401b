"""A project before and after a change, compared in the real sandbox."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass

from tests.conftest import GitRepository
from wardround.change.repository import Repository
from wardround.context.run_evidence import BehaviourDifference, BehaviourRun
from wardround.workflows.behaviour.compare import compare_behaviour
from wardround.workflows.behaviour.limits import BehaviourLimits
from wardround.workflows.environments.existing_python import existing_python

ENVIRON = {"VIRTUAL_ENV": sys.prefix}


def compared(
    repo: GitRepository,
    base: Mapping[str, str],
    head: Mapping[str, str],
    request: str = "",
    limits: BehaviourLimits | None = None,
) -> BehaviourRun:
    """Commit base and head, and compare them."""
    first = repo.commit(base)
    for path in base:
        if path not in head:
            (repo.root / path).unlink()
    repo.commit(head)
    with Repository(repo.root) as repository:
        change = repository.between(first, "HEAD")
        environment = existing_python(repo.root, ENVIRON)
        return compare_behaviour(
            repository, change, environment, request=request, limits=limits or BehaviourLimits()
        )


@dataclass(frozen=True)
class Results:
    """A comparison, by the names of the functions."""

    run: BehaviourRun

    def difference(self, name: str) -> BehaviourDifference | None:
        return next((item for item in self.run.differences if item.function == name), None)

    def texts(self, name: str) -> tuple[str, str | None, str | None]:
        """The call, and its result or exception at base and head."""
        item = self.difference(name)
        assert item is not None, f"{name}: {self.reason(name) or self.inputs(name)}"
        return item.call, item.before.returned or item.before.raised, item.after.returned or item.after.raised

    def reason(self, name: str) -> str:
        """The reason for which a function was not compared; empty if it was."""
        return next((item.reason for item in self.run.not_compared if item.function == name), "")

    def inputs(self, name: str) -> tuple[int, int] | None:
        return next(
            ((item.inputs, item.differing) for item in self.run.compared if item.function == name), None
        )
