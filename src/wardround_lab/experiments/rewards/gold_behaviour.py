"""The strict measure of patches: they behave as the answer on the arguments that the tests pass."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.authoring.candidate import Candidate, make_candidate
from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.selection.normal_patch import normal_patch
from wardround.authoring.stages import Patch
from wardround.authoring.steps.alike import compare_candidates
from wardround.authoring.work import Work
from wardround_lab.experiments.instances.gold import Gold

_PYTHON = ".py"


async def behave_as_gold(work: Work, patches: Sequence[Patch], gold: Gold) -> list[bool | None]:
    """Return for each patch True if all compared calls have the same results as with the answer.

    Compared are the functions that any of the patches or the answer edits, on the arguments that all tests of
    the base pass to them, the hidden ones included, and on recombinations of these. A patch with the same
    normal form as the answer is the same. The result is recorded in the sequence of the trial.

    Returns:
        None for patches whose calls could not be compared.

    Raises:
        UnusablePatch: a patch changes nothing but files that judge it.
    """
    judging_files = JudgingFiles(work.host.specialists)

    def candidate(patch: Patch) -> Candidate:
        return make_candidate(work.repository, work.instance.base, patch, judging_files)

    answer, candidates = candidate(Patch(gold.files, "gold")), [candidate(patch) for patch in patches]
    is_same = [_python_forms(item) == _python_forms(answer) for item in candidates]
    others = [item for item, same in zip(candidates, is_same, strict=True) if not same]
    if not others:
        return [True] * len(patches)
    found = await compare_candidates(work, [answer, *others])
    results = iter(
        [digest == found.digests[0] for digest in found.digests[1:]]
        if found.is_known
        else [None] * len(others)
    )
    return [True if same else next(results) for same in is_same]


def _python_forms(candidate: Candidate) -> dict[str, str]:
    forms = dict(normal_patch(candidate.patch))
    return {
        path: form for path, form in forms.items() if path.endswith(_PYTHON) and path not in candidate.refused
    }
