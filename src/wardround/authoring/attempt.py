"""One evaluated patch: what each step found."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from wardround.authoring.endpoint.verifier import Judgement
from wardround.authoring.stages import Value
from wardround.authoring.steps.checks import CandidateReview
from wardround.authoring.steps.objection import Objection
from wardround.context.run_evidence import BehaviourRun, TestsRun


class Attempt(msgspec.Struct, frozen=True):
    """A patch with the results of the steps that it reached.

    Attributes:
        round: number of the round, from 1.
        commit: id of the commit with the patch; empty if it could not be made.
        refused: edits of files that judge the patch, which were left out.
        objections: the reasons for which it was rejected; none if it is accepted.
        review: the review without runs; ``verdict`` has the one with them.
        judgement: that of a verifier; None without one.
    """

    round: int
    author: str
    reason: str
    diff: str
    commit: str = ""
    metadata: Mapping[str, Value] = {}
    refused: tuple[str, ...] = ()
    objections: tuple[Objection, ...] = ()
    review: CandidateReview | None = None
    tests: TestsRun | None = None
    behaviour: BehaviourRun | None = None
    verdict: CandidateReview | None = None
    judgement: Judgement | None = None

    @property
    def is_accepted(self) -> bool:
        """True if no step objects."""
        return bool(self.commit) and not self.objections
