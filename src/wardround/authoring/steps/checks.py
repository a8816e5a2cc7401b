"""The review of a candidate: by tools, checks and models alone, or with the results of its runs."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.authoring.candidate import Candidate
from wardround.authoring.steps.objection import Objection
from wardround.authoring.work import Work
from wardround.change.change_source import GitChangeSource
from wardround.config.request import ReviewRequest
from wardround.context.run_evidence import RUN_PARTS, RunEvidence
from wardround.execution.fork_executor import ForkExecutor
from wardround.execution.resources import Resources
from wardround.reports.json import as_dict
from wardround.review import run_review
from wardround.session import ReviewSession
from wardround.tools.tool import Profile

NAME, VERDICT = "checks", "verdict"
_NEW = ("new", "caused")


class FindingNote(msgspec.Struct, frozen=True):
    """A finding of a candidate, in the fields of the JSON report."""

    rule: str
    severity: str
    plane: str
    specialist: str
    file: str
    line: int
    message: str
    status: str


class SignalNote(msgspec.Struct, frozen=True):
    """The result of one plane, in the fields of the JSON report."""

    plane: str
    status: str
    severity: str | None = None
    reasons: tuple[str, ...] = ()


class VerdictNote(msgspec.Struct, frozen=True):
    """The verdict of the policy, in the fields of the JSON report."""

    name: str
    tier: str
    policy: str = ""
    reasons: tuple[str, ...] = ()


class GapNote(msgspec.Struct, frozen=True):
    """Something that was not reviewed, in the fields of the JSON report."""

    file: str
    reason: str
    tool: str = ""


class CandidateReview(msgspec.Struct, frozen=True):
    """The part of a candidate's JSON report that a packet shows."""

    findings: tuple[FindingNote, ...] = ()
    signals: tuple[SignalNote, ...] = ()
    verdict: VerdictNote | None = None
    unreviewed: tuple[GapNote, ...] = ()

    @property
    def new_findings(self) -> tuple[FindingNote, ...]:
        """The findings that the candidate introduces."""
        return tuple(finding for finding in self.findings if finding.status in _NEW)


async def review_candidate(
    work: Work, candidate: Candidate, evidence: RunEvidence | None = None
) -> CandidateReview:
    """Review a candidate by the configuration of its base.

    Args:
        evidence: the runs of the candidate, for its verdict; None before it ran.
    """

    async def review() -> CandidateReview:
        return _review(work, candidate, evidence)

    step = NAME if evidence is None else VERDICT
    return await work.effects.run(step, (candidate.commit, evidence), CandidateReview, review)


def _review(work: Work, candidate: Candidate, evidence: RunEvidence | None) -> CandidateReview:
    parts = () if evidence is None else RUN_PARTS
    known = evidence or RunEvidence()
    request = ReviewRequest(profile=Profile.CI, run=parts, ticket=work.instance.ticket)
    source = GitChangeSource(work.repository, candidate.change(work.repository))
    resources = Resources(progress=work.progress, executor=ForkExecutor())
    with ReviewSession(source, work.host, request, resources, runner=lambda *_: known) as session:
        report = as_dict(run_review(session))
    return msgspec.convert(msgspec.to_builtins(report), CandidateReview)


def objections(review: CandidateReview) -> Iterator[Objection]:
    """Yield what was not reviewed, for which a candidate cannot be merged without a look at it."""
    for gap in review.unreviewed:
        yield Objection(NAME, f"not reviewed by {gap.tool or 'wardround'}: {gap.reason}", gap.file)
