"""The behaviour of the patched functions on recorded arguments, before and after the patch."""

from __future__ import annotations

from wardround.authoring.candidate import Candidate
from wardround.authoring.work import Work
from wardround.change.change_source import GitChangeSource
from wardround.context.run_evidence import BehaviourRun
from wardround.workflows.change_run import run_change

NAME = "behaviour"


async def compare(work: Work, candidate: Candidate) -> BehaviourRun:
    """Compare the patched functions on the same arguments. Failures to run them are in the result."""

    async def run() -> BehaviourRun:
        change = candidate.change(work.repository)
        source = GitChangeSource(work.repository, change)
        evidence = run_change(source, change, ("behaviour",), work.isolation, work.progress)
        assert evidence.behaviour is not None
        return evidence.behaviour

    return await work.effects.run(NAME, candidate.commit, BehaviourRun, run)
