"""The candidates that behave alike: the same calls have the same results on each."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.authoring.candidate import Candidate
from wardround.authoring.work import Work
from wardround.change.diff import Change
from wardround.config.loader import read_sandbox
from wardround.errors import WardroundError
from wardround.workflows.behaviour.behaviour_classes import BehaviourClasses, behaviour_classes
from wardround.workflows.behaviour.limits import limits_within
from wardround.workflows.behaviour.project_environment import environment_for
from wardround.workflows.environments.model import Environment

NAME = "alike"


class AlikeCandidates(msgspec.Struct, frozen=True):
    """The behaviour of candidates.

    Attributes:
        digests: of each candidate's results; equal ones for candidates that behave alike.
        calls: the number of compared calls; without any, nothing is known.
        problem: one sentence if they could not be run.
    """

    digests: tuple[str, ...] = ()
    calls: int = 0
    problem: str = ""

    @property
    def is_known(self) -> bool:
        """True if a call could be compared."""
        return self.calls > 0


async def compare_candidates(work: Work, candidates: Sequence[Candidate]) -> AlikeCandidates:
    """Run the functions that any of the candidates edits on the same arguments.

    Failures to run them are in the result.
    """

    async def run() -> AlikeCandidates:
        try:
            found = _classes(work, candidates)
        except WardroundError as cause:
            return AlikeCandidates(problem=str(cause))
        return AlikeCandidates(found.digests, found.calls)

    request = [candidate.commit for candidate in candidates]
    return await work.effects.run(NAME, request, AlikeCandidates, run)


def _classes(work: Work, candidates: Sequence[Candidate]) -> BehaviourClasses:
    changes = [candidate.change(work.repository) for candidate in candidates]
    settings = read_sandbox(work.repository.tree(work.instance.base).read)
    return behaviour_classes(
        work.repository,
        changes,
        _environment(work, changes[0]),
        limits=limits_within(settings.limits.wall_s),
        isolation=work.isolation or settings.backend,
        environ=work.environ,
        progress=work.progress,
    )


def _environment(work: Work, change: Change) -> Environment:
    """Return the environment of the tests that define the task; without any, that of the changed files."""
    instance = work.instance
    if instance.failing_tests:
        return work.project_run(instance.base, instance.failing_tests).environment
    return environment_for(work.repository, change, work.environ, progress=work.progress)
