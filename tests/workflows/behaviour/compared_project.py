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
    """Commit both sides, and compare them."""
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
        return next((one for one in self.run.differences if one.function == name), None)

    def texts(self, name: str) -> tuple[str, str | None, str | None]:
        """The call, and what it returned or raised on each side."""
        one = self.difference(name)
        assert one is not None, f"{name}: {self.reason(name) or self.inputs(name)}"
        return one.call, one.before.returned or one.before.raised, one.after.returned or one.after.raised

    def reason(self, name: str) -> str:
        """The reason for which a function was not compared; empty if it was."""
        return next((one.reason for one in self.run.not_compared if one.function == name), "")

    def inputs(self, name: str) -> tuple[int, int] | None:
        return next(((one.inputs, one.differing) for one in self.run.compared if one.function == name), None)
