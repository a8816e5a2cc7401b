"""The strict measure of a patch: it behaves as the answer on the arguments that the tests pass."""

from __future__ import annotations

from wardround.authoring.candidate import Candidate, make_candidate
from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.selection.normal_patch import normal_patch
from wardround.authoring.stages import Patch
from wardround.authoring.work import Work
from wardround.change.change_source import GitChangeSource
from wardround.context.run_evidence import BehaviourRun, RunState
from wardround.workflows.change_run import run_change
from wardround_lab.experiments.instances.gold import Gold

STEP = "gold-behaviour"
_PYTHON = ".py"


async def behaves_as_gold(work: Work, patch: Patch, gold: Gold) -> bool | None:
    """Return True if no compared call has another result with a patch than with the answer.

    Compared are the functions in which the two differ, on the arguments that all tests of the base pass to
    them, the hidden ones included. Patches with the same normal form behave alike without a run. The result
    is recorded in the sequence of the trial.

    Returns:
        None if no call could be compared, or not all of them.

    Raises:
        UnusablePatch: the patch changes nothing but files that judge it.
    """
    judging_files = JudgingFiles(work.host.specialists)
    base = work.instance.base
    candidate = make_candidate(work.repository, base, patch, judging_files)
    answer = make_candidate(work.repository, base, Patch(gold.files, "gold"), judging_files)
    if _python_forms(candidate) == _python_forms(answer):
        return True

    async def run() -> BehaviourRun:
        return _comparison(work, candidate, answer)

    return _has_no_difference(
        await work.effects.run(STEP, (candidate.commit, answer.commit), BehaviourRun, run)
    )


def _python_forms(candidate: Candidate) -> dict[str, str]:
    forms = dict(normal_patch(candidate.patch))
    return {
        path: form for path, form in forms.items() if path.endswith(_PYTHON) and path not in candidate.refused
    }


def _comparison(work: Work, candidate: Candidate, answer: Candidate) -> BehaviourRun:
    change = work.repository.between(candidate.commit, answer.commit)
    source = GitChangeSource(work.repository, change)
    evidence = run_change(source, change, ("behaviour",), work.isolation, work.progress)
    assert evidence.behaviour is not None
    return evidence.behaviour


def _has_no_difference(run: BehaviourRun) -> bool | None:
    if any(function.differing for function in run.compared):
        return False
    return True if run.conditions.state is RunState.COMPLETE and run.compared else None
