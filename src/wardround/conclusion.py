"""The part of a review after its findings: its evidence, and the verdict derived from it.

A review for a commit has no reader for this part, and does not load this module.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
from msgspec.structs import replace

from wardround.analyses.change_code import code_context
from wardround.analyses.change_view import ChangeView
from wardround.analyses.results import AnalysisResults, analyse
from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import ReviewContext
from wardround.context.code_context import CodeContext
from wardround.context.surface.published import PublishedSurface
from wardround.execution.review_run import RawReview
from wardround.findings import ENTIRE_CHANGE, RawFinding, Unreviewed
from wardround.planes.contributors import measured_sources
from wardround.planes.declared_reviewers import declared_reviewers
from wardround.planes.evidence import Evidence, Exchange, MissingEvidence
from wardround.planes.file_evidence import file_evidence
from wardround.planes.language_model.in_review import consult
from wardround.planes.measured_precision import precision_of
from wardround.planes.result_evidence import (
    change_reviewers,
    missing_evidence,
    partial_evidence,
    recorded_findings,
    tool_evidence,
)
from wardround.policy.conclude import Conclusion, conclude
from wardround.policy.gate import Gate, GateOutcome
from wardround.policy.loading import load_policy, load_policy_file, policy_file
from wardround.policy.schema import Policy
from wardround.processors.model import ChangeTexts, ReviewFindings
from wardround.review_result import PendingConclusion, ReviewResult


class ConsultationResult(msgspec.Struct, frozen=True):
    """The code around a change, and the claims of a language model about it.

    Attributes:
        notes: sentences for people.
    """

    code: CodeContext = CodeContext()
    model_results: tuple[RawFinding, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    notes: tuple[str, ...] = ()


class AnalysedChange(msgspec.Struct, frozen=True):
    """The analysed change, without its findings; empty in a review of all files.

    Attributes:
        messages: messages of the newest commits of the change, newest first.
        exchanges: with a language model.
    """

    messages: tuple[str, ...] = ()
    code: CodeContext = CodeContext()
    exchanges: tuple[Exchange, ...] = ()
    results: AnalysisResults = AnalysisResults()


class ReviewOutcome(msgspec.Struct, frozen=True, eq=False):
    """The results of a review that its conclusion follows from.

    Attributes:
        hidden: content that is not reviewed only because of the settings of the target.
    """

    context: ReviewContext
    results: RawReview
    review: ReviewFindings
    texts: ChangeTexts
    gate: Gate
    hidden: tuple[Unreviewed, ...] = ()


class ConclusionSettings(msgspec.Struct, frozen=True, eq=False):
    """The settings and the policies under which a review is concluded."""

    review: ChangeUnderReview
    policies: tuple[Policy, ...]

    def consult(
        self, context: ReviewContext, results: RawReview, is_stopped: Callable[[], bool]
    ) -> ConsultationResult:
        """Find the code context of a change and use the language model, if one is configured.

        Args:
            is_stopped: True once the review is cancelled, which cancels the calls.
        """
        review = self.review.with_change(context.change)
        code = code_context(review)
        found = consult(review, results, code, is_stopped)
        return ConsultationResult(code, found.results, found.exchanges, found.notes)

    def conclude(
        self, reviewed: ReviewOutcome, consulted: ConsultationResult, published: PublishedSurface
    ) -> Conclusion:
        """Analyse a change and derive the verdict on it."""
        view = ChangeView(self.review, reviewed.context, consulted.code, published)
        analysed = AnalysedChange(view.messages, consulted.code, consulted.exchanges, analyse(view))
        return self.conclude_analysed(reviewed, analysed)

    def conclude_analysed(self, reviewed: ReviewOutcome, analysed: AnalysedChange) -> Conclusion:
        """Derive the verdict on an analysed change."""
        evidence = self._evidence(reviewed, analysed)
        reviewers = declared_reviewers(self.review.host.specialists, evidence)
        evidence = replace(evidence, plane_reviewers=reviewers)
        return conclude(reviewed.context.document, evidence, self.policies)

    def _evidence(self, reviewed: ReviewOutcome, analysed: AnalysedChange) -> Evidence:
        """Collect what the review has established."""
        request, results, context = self.review.request, reviewed.results, reviewed.context
        unreviewed = (*reviewed.review.unreviewed, *reviewed.hidden)
        findings = recorded_findings(reviewed.review.findings)
        rules = {finding.rule for finding in findings}
        sources = measured_sources(analysed.results.sources, context.document.ran, rules)
        return Evidence(
            profile=request.profile.value,
            gate=reviewed.gate.outcome.value,
            fail_level=reviewed.gate.fail_level,
            target_branch=request.target_branch,
            policy_file=policy_file(self.review.config.root.policy),
            files=file_evidence(results, context.claimed, reviewed.texts, analysed.code.moves),
            change_reviewers=change_reviewers(self.review.specialists, reviewed.review.unreviewed),
            findings=findings,
            missing=tuple(map(missing_evidence, unreviewed)),
            tools=tool_evidence(results.head.runs, analysed.results),
            messages=analysed.messages,
            moves=analysed.code.moves,
            neighbours=analysed.code.neighbours,
            exchanges=analysed.exchanges,
            partial=partial_evidence(results, analysed.results),
            precision=precision_of(sources),
            notes=analysed.results.notes,
        )


def open_concluding(review: ChangeUnderReview) -> ConclusionSettings:
    """Read the policies of a review.

    Raises:
        ConfigError: one of them is missing or not valid.
    """
    return ConclusionSettings(review, read_policies(review))


def read_policies(review: ChangeUnderReview) -> tuple[Policy, ...]:
    """Read the policy of the repository and the floor policy of the organisation from the trusted side.

    Raises:
        ConfigError: one of them is missing or not valid.
    """
    own = load_policy(review.config.root.policy, review.read_trusted)
    floor = review.request.policy_floor
    return (own,) if floor is None else (own, load_policy_file(floor, "--policy-floor"))


def unreviewed_result(review: ReviewResult, reason: str) -> ReviewResult:
    """Return the result for a change that could not be reviewed: inconclusive, and no evidence counts."""
    missing = Unreviewed(ENTIRE_CHANGE, "", "wardround", reason)
    decided = Gate(GateOutcome.INCONCLUSIVE, review.gate.fail_level, (reason,))
    former = review.conclusion
    evidence = replace(
        former.evidence,
        gate=decided.outcome.value,
        missing=(MissingEvidence(ENTIRE_CHANGE, "", "wardround", reason),),
    )
    return replace(
        review,
        unreviewed=(missing,),
        gate=decided,
        pending=PendingConclusion.of(conclude(former.context, evidence, former.policies)),
        blocks_on_inconclusive=True,
    )
