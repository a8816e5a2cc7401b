"""The hidden tests of an instance, run on a patch in the sandbox; the stages never see their results."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.authoring.candidate import make_candidate
from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.repair.observation import observe
from wardround.authoring.stages import Patch
from wardround.authoring.work import Work
from wardround.context.run_evidence import TestOutcome
from wardround.errors import SandboxError
from wardround_lab.experiments.instances.model import MinedInstance

STEP = "hidden-tests"
BUDGET_S = 300.0
"""CPU seconds for the hidden tests of one patch."""


async def hidden_outcomes(work: Work, mined: MinedInstance, patch: Patch) -> dict[str, TestOutcome]:
    """Return the outcomes of the hidden tests with a patch; none of tests that did not run.

    The result is recorded in the sequence of the trial. Edits of files that judge a patch are left out.

    Raises:
        UnusablePatch: the patch changes nothing else.
        SandboxError: nothing could be run with any patch.
        EnvironmentUnavailable: the project has no environment.
    """
    judging_files = JudgingFiles(work.host.specialists)
    candidate = make_candidate(work.repository, mined.base, patch, judging_files)
    tests = (*mined.fail_to_pass, *mined.pass_to_pass)

    async def run() -> dict[str, TestOutcome]:
        return observed_outcomes(work, candidate.commit, tests)

    return await work.effects.run(STEP, (candidate.commit, tests), dict[str, TestOutcome], run)


def observed_outcomes(work: Work, commit: str, tests: Sequence[str]) -> dict[str, TestOutcome]:
    """Run tests of a commit, and return their outcomes by id.

    Raises:
        SandboxError: nothing could be run.
        EnvironmentUnavailable: the project has no environment.
    """
    run = work.project_run(commit, tests)
    found = observe(
        work.repository, commit, tests, run.environment, BUDGET_S, environ=work.environ,
        log=work.logs / "hidden-tests.log", isolation=run.isolation, project=run.root, is_everything=False,
    )  # fmt: skip
    if not found.tests:
        raise SandboxError(f"the hidden tests cannot be run: {found.problem}")
    return {test.id: test.outcome for test in found.tests}
