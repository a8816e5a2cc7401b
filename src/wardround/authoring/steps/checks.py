"""The review of a candidate by tools, checks and models, before anything of it runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from wardround.authoring.candidate import Candidate
from wardround.authoring.steps.objection import Objection
from wardround.authoring.work import Work
from wardround.change.change_source import GitChangeSource
from wardround.config.request import ReviewRequest
from wardround.context.run_evidence import RunEvidence, RunPart
from wardround.execution.fork_executor import ForkExecutor
from wardround.execution.resources import Resources
from wardround.findings import Severity
from wardround.reports.json import as_dict
from wardround.review import run_review
from wardround.session import ReviewSession
from wardround.tools.tool import Profile

NAME = "checks"
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


class VerdictNote(msgspec.Struct, frozen=True):
    """The verdict of the policy, in the fields of the JSON report."""

    name: str
    tier: str
    policy: str = ""
    reasons: tuple[str, ...] = ()


class GapNote(msgspec.Struct, frozen=True):
    """Something that was not reviewed."""

    file: str
    reason: str
    tool: str = ""


class CandidateReview(msgspec.Struct, frozen=True):
    """The review of a candidate: the part of its JSON report that a packet shows."""

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

    step = NAME if evidence is None else "verdict"
    return await work.effects.run(step, (candidate.commit, evidence), CandidateReview, review)


def _review(work: Work, candidate: Candidate, evidence: RunEvidence | None) -> CandidateReview:
    parts: tuple[RunPart, ...] = () if evidence is None else ("tests", "behaviour")
    request = ReviewRequest(profile=Profile.CI, run=parts, ticket=work.instance.ticket)
    source = GitChangeSource(work.repository, candidate.change(work.repository))
    resources = Resources(progress=work.progress, executor=ForkExecutor())
    known = evidence or RunEvidence()
    with ReviewSession(
        source, work.host, request, resources, runner=lambda *_: known
    ) as session:
        report = as_dict(run_review(session))
    return msgspec.convert(msgspec.to_builtins(report), CandidateReview)


def objections(review: CandidateReview) -> Iterator[Objection]:
    """Yield the new findings for which a candidate is rejected: errors."""
    for finding in review.new_findings:
        if finding.severity == Severity.ERROR.label:
            yield Objection(NAME, f"{finding.rule}: {finding.message}", f"{finding.file}:{finding.line}")


def by_specialist(findings: Sequence[FindingNote]) -> dict[str, list[FindingNote]]:
    """Return findings by the specialist that reports them."""
    groups: dict[str, list[FindingNote]] = {}
    for finding in findings:
        groups.setdefault(finding.specialist, []).append(finding)
    return groups
