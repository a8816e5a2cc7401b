"""The part of a review after its findings: its evidence, and the conclusion that follows from it.

A review for a commit has no reader for this part, and does not load this module.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import ChangeSource
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.code_context import CodeContext
from wardround.context.review_context import ReviewContext
from wardround.context.surface.published import PublishedSurface
from wardround.execution.review_run import RawReview
from wardround.findings import ENTIRE_CHANGE, RawFinding, Unreviewed
from wardround.host import PluginHost
from wardround.planes.analysed_change import AnalysedChange
from wardround.planes.analyses import Analyses, analyse_change, code_context
from wardround.planes.collect_evidence import collect_evidence, missing_evidence
from wardround.planes.evidence import Evidence, Exchange, MissingEvidence
from wardround.planes.language_model.in_review import consult
from wardround.policy.conclude import Conclusion, conclude
from wardround.policy.gate import Gate, GateOutcome
from wardround.policy.loading import load_policy, load_policy_file, policy_file
from wardround.policy.schema import Policy
from wardround.processors.model import ChangeTexts, ReviewFindings
from wardround.review import PendingConclusion, ReviewResult
from wardround.specialists import Specialist


class Consulted(msgspec.Struct, frozen=True):
    """The code around a change, and what a language model states about it.

    Attributes:
        notes: sentences for people.
    """

    code: CodeContext = CodeContext()
    model_results: tuple[RawFinding, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    notes: tuple[str, ...] = ()


class Reviewed(msgspec.Struct, frozen=True, eq=False):
    """The results of a review that its conclusion follows from.

    Attributes:
        hidden: what is not reviewed under the settings of the target alone.
    """

    context: ReviewContext
    results: RawReview
    review: ReviewFindings
    texts: ChangeTexts
    gate: Gate
    specialists: Sequence[Specialist]
    hidden: tuple[Unreviewed, ...] = ()


class Concluding(msgspec.Struct, frozen=True, eq=False):
    """The settings and the policies under which a review is concluded."""

    source: ChangeSource
    host: PluginHost
    config: Config
    request: ReviewRequest
    policies: tuple[Policy, ...]

    def consult(
        self, context: ReviewContext, results: RawReview, is_stopped: Callable[[], bool]
    ) -> Consulted:
        """Find the code context of a change and use the language model, if one is configured.

        Args:
            is_stopped: True once the review is cancelled, which cancels the calls.
        """
        code = code_context(self.source, context.change, self.request)
        found = consult(self.source, results, code, self.host, self.config, self.request, is_stopped)
        return Consulted(code, found.results, found.exchanges, found.notes)

    def conclude(self, reviewed: Reviewed, consulted: Consulted, published: PublishedSurface) -> Conclusion:
        """Analyse a change and derive the verdict on it."""
        context, request, config = reviewed.context, self.request, self.config
        changed = AnalysedChange(
            self.source, context, request, config, reviewed.specialists, consulted.code, published
        )
        return self.of_analyses(reviewed, analyse_change(changed, consulted.exchanges))

    def of_analyses(self, reviewed: Reviewed, analyses: Analyses) -> Conclusion:
        """Derive the verdict on an analysed change."""
        evidence = self._evidence(reviewed, analyses)
        hidden = tuple(map(missing_evidence, reviewed.hidden))
        evidence = replace(evidence, missing=(*evidence.missing, *hidden))
        return conclude(reviewed.context.document, evidence, self.policies)

    def _evidence(self, reviewed: Reviewed, analyses: Analyses) -> Evidence:
        return collect_evidence(
            reviewed.results,
            reviewed.context.claimed,
            reviewed.texts,
            reviewed.review.findings,
            reviewed.review.unreviewed,
            reviewed.specialists,
            analyses,
            reviewed.context.document.ran,
            profile=self.request.profile.value,
            gate=reviewed.gate.outcome.value,
            fail_level=reviewed.gate.fail_level,
            target_branch=self.request.target_branch,
            policy_file=policy_file(self.config.root.policy),
        )


def open_concluding(
    source: ChangeSource, host: PluginHost, config: Config, request: ReviewRequest
) -> Concluding:
    """Read the policies of a review.

    Raises:
        ConfigError: one of them is missing or not valid.
    """
    return Concluding(source, host, config, request, read_policies(source, config, request))


def read_policies(source: ChangeSource, config: Config, request: ReviewRequest) -> tuple[Policy, ...]:
    """Read the policy of the repository from the trusted side, and the floor of the organisation.

    Raises:
        ConfigError: one of them is missing or not valid.
    """
    side = request.trusted_side
    own = load_policy(config.root.policy, lambda path: source.read(path, side))
    if request.policy_floor is None:
        return (own,)
    return own, load_policy_file(request.policy_floor, "--policy-floor")


def without_review(review: ReviewResult, reason: str) -> ReviewResult:
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
