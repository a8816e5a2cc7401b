"""The sequence of the steps: retrieve, patch, specialists, checks, tests, verifier, revise."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wardround.authoring.attempt import Attempt
from wardround.authoring.candidate import Candidate, UnusablePatch, make_candidate, unified_diff
from wardround.authoring.context.localization import with_text
from wardround.authoring.endpoint.roles import Role
from wardround.authoring.endpoint.verifier import Judgement
from wardround.authoring.judging_files import JudgingFiles
from wardround.authoring.run_inputs import RunInputs
from wardround.authoring.selection.thread import select
from wardround.authoring.stages import Localization, LocalizationResult, Patch, PatchGeneration, Selection
from wardround.authoring.steps import checks, specialists, tests, verifier
from wardround.authoring.steps.behaviour import compare
from wardround.authoring.steps.objection import Objection
from wardround.authoring.work import Work
from wardround.context.run_evidence import RunEvidence

_MOST_EVALUATIONS = 4
"""Evaluations of one round: the right patch, if one is plausible, is among the first four in search order.

Source: measured on 86 instances of a lab; see docs/authoring.md.
"""


class Stages(msgspec.Struct, frozen=True, eq=False):
    """The stages of a run.

    Attributes:
        verifier: the role of an endpoint; None verifies by runs alone.
    """

    localization: Localization
    generation: PatchGeneration
    selection: Selection
    verifier: Role | None = None


class Loop:
    """One run of the steps.

    Attributes:
        localization: the code that the task is about; None until it is found.
        attempts: the evaluated patches so far.
        rounds: the number of rounds that began.
    """

    def __init__(self, work: Work, stages: Stages, inputs: RunInputs) -> None:
        self._work = work
        self._stages = stages
        self._shown_tests = inputs.failing_tests.shown_tests
        self._judging_files = JudgingFiles(work.host.specialists)
        self.attempts = inputs.attempts
        self.localization: LocalizationResult | None = None
        self.rounds = 0

    async def run(self) -> Attempt | None:
        """Return the accepted patch; None if no round has one."""
        instance_id = self._work.instance.id
        self._work.progress("retrieve: code of the task")
        localization = await self._stages.localization.run(instance_id)
        self.localization = localization
        previous: list[Patch] = []
        for number in range(1, self._work.settings.rounds + 1):
            self.rounds = number
            self._work.progress(f"patch: round {number} of {self._work.settings.rounds}")
            proposals, _ = await self._stages.generation.run(localization, instance_id)
            if proposals == previous:  # a generator that does not learn from rejected patches
                return None
            previous = proposals
            accepted = await self._first_accepted(self._new(proposals))
            if accepted is not None:
                return accepted
        return None

    def _new(self, proposals: Sequence[Patch]) -> list[Patch]:
        tree = self._work.repository.tree(self._work.instance.base)
        known = {attempt.diff for attempt in self.attempts}
        return [patch for patch in proposals if unified_diff(tree, patch.files) not in known]

    async def _first_accepted(self, patches: list[Patch]) -> Attempt | None:
        for _ in range(min(_MOST_EVALUATIONS, len(patches))):
            patch = await select(self._stages.selection, patches, self._work.instance.id)
            patches.remove(patch)
            attempt = await self._evaluate(patch)
            self.attempts.append(attempt)
            if attempt.is_accepted:
                return attempt
        return None

    async def _evaluate(self, patch: Patch) -> Attempt:
        repository, base = self._work.repository, self._work.instance.base
        attempt = Attempt(self.rounds, patch.author, patch.reason, "", metadata=patch.metadata)
        try:
            candidate = make_candidate(repository, base, patch, self._judging_files)
        except UnusablePatch as cause:
            refused = (Objection("patch", str(cause)),)
            diff = unified_diff(repository.tree(base), patch.files)
            return msgspec.structs.replace(attempt, diff=diff, objections=refused)
        if patch.metadata.get("is_weak") and not self._work.settings.proposes_weak:
            reason = f"not proposed, as the evidence is weak: {patch.metadata.get('doubts')}"
            objections = (Objection("patch", reason),)
            return msgspec.structs.replace(attempt, diff=candidate.diff, objections=objections)
        attempt = msgspec.structs.replace(
            attempt, diff=candidate.diff, commit=candidate.commit, refused=candidate.refused
        )
        attempt = await self._review(attempt, candidate)
        if not attempt.objections:
            attempt = await self._test(attempt, candidate)
        return attempt if attempt.objections else await self._verify(attempt, candidate)

    async def _review(self, attempt: Attempt, candidate: Candidate) -> Attempt:
        self._work.progress("specialists and checks: review of the candidate")
        review = await checks.review_candidate(self._work, candidate)
        found = (*specialists.objections(specialists.advice_of(review)), *checks.objections(review))
        return msgspec.structs.replace(attempt, review=review, objections=found)

    async def _test(self, attempt: Attempt, candidate: Candidate) -> Attempt:
        self._work.progress("tests: the whole suite with the candidate")
        run = await tests.run_suite(self._work, candidate)
        found = tuple(tests.objections(run, self._work.instance.failing_tests))
        return msgspec.structs.replace(attempt, tests=run, objections=found)

    async def _verify(self, attempt: Attempt, candidate: Candidate) -> Attempt:
        self._work.progress("verifier: behaviour before and after the candidate")
        behaviour = await compare(self._work, candidate)
        evidence = RunEvidence(attempt.tests, behaviour)
        verdict = await checks.review_candidate(self._work, candidate, evidence)
        attempt = msgspec.structs.replace(attempt, behaviour=behaviour, verdict=verdict)
        judgement = await self._judgement(attempt, candidate)
        if judgement is None:
            return attempt
        found = tuple(verifier.objections(judgement))
        return msgspec.structs.replace(attempt, judgement=judgement, objections=found)

    async def _judgement(self, attempt: Attempt, candidate: Candidate) -> Judgement | None:
        role = self._stages.verifier
        if role is None or attempt.behaviour is None:
            return None
        shown = self._shown_tests()
        return await verifier.verify(
            role, self._work.instance, candidate, attempt.behaviour, shown, self._context()
        )

    def _context(self) -> str:
        """Return the text of the localization, as the author gets it."""
        if self.localization is None:
            return ""
        work = self._work
        return with_text(work.repository, work.instance.base, self.localization, work.settings.tokens).text
