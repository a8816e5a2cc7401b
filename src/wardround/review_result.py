"""The result of a review, which front ends render."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Self

import msgspec

from wardround.assignment.review_context import ReviewContext
from wardround.change.diff import Change, ChangedFile
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config, FilterMode
from wardround.findings import INTRODUCED, Finding, Status, ToolRun, Unreviewed
from wardround.policy.gate import Gate, GateOutcome
from wardround.policy.verdict import VerdictName
from wardround.processors.visibility import open_findings, visible_findings
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from wardround.assignment.change_under_review import ChangeUnderReview
    from wardround.execution.review_run import RawReview
    from wardround.policy.conclude import Conclusion
    from wardround.processors.model import PipelineInputs, ReviewFindings
    from wardround.processors.triage import Triage
    from wardround.review_history import ReviewHistory


class PendingConclusion(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The conclusion of a review, derived when it is first read, while the source of the change is open."""

    derive: Callable[[], Conclusion]

    @classmethod
    def of(cls, conclusion: Conclusion) -> Self:
        """Return one that is derived already."""
        return cls(lambda: conclusion)

    @cached_property
    def conclusion(self) -> Conclusion:
        """The signals of the planes and the verdict."""
        return self.derive()


class ReviewResult(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The result of a review.

    Attributes:
        context: the reviewed change, ticket and code graph.
        pending: what becomes the conclusion.
        reviewed: the paths that a specialist reviewed.
        findings: all of them, in order; ``visible`` are those that pass the filter mode.
        config: the configuration that applied.
        request: the settings of the caller.
        contents: fingerprint -> the identity of a finding without its path.
        text_of: path -> the content at the head.
        notes: sentences for people: hunks that models did not review, tools that are not installed.
        judge: the id of the judge that estimated the findings; empty if none did.
        triage: ranks and folds the displayed findings; without it, everything visible is shown in order.
            Reports for programs do not depend on it.
        verbose: the text report shows each finding with its lines.
        unstaged: configuration files that differ in the work tree from the staged version, which was used.
        is_for_commit: people are shown nothing of the conclusion, and its verdict is never to decline.
        read_history: reads the earlier reviews of the repository; None where no store is used.
    """

    context: ReviewContext
    pending: PendingConclusion
    reviewed: tuple[str, ...]
    findings: tuple[Finding, ...]
    unreviewed: tuple[Unreviewed, ...]
    runs: tuple[ToolRun, ...]
    gate: Gate
    filter_mode: FilterMode
    profile: Profile
    blocks_on_inconclusive: bool
    seconds: float
    contents: Mapping[str, str]
    text_of: Callable[[str], str | None]
    config: Config
    request: ReviewRequest
    notes: tuple[str, ...] = ()
    judge: str = ""
    triage: Triage | None = None
    verbose: bool = False
    unstaged: tuple[str, ...] = ()
    is_for_commit: bool = False
    read_history: Callable[[], ReviewHistory | None] | None = None

    @cached_property
    def history(self) -> ReviewHistory | None:
        """The earlier reviews of the repository, read when a report first needs them; None without store."""
        return None if self.read_history is None else self.read_history()

    @property
    def conclusion(self) -> Conclusion:
        """The signals of the planes and the verdict."""
        return self.pending.conclusion

    @property
    def change(self) -> Change:
        """The reviewed change."""
        return self.context.change

    @cached_property
    def visible(self) -> tuple[Finding, ...]:
        """The findings that pass the filter mode, in order."""
        return visible_findings(self.findings, self._files, self.filter_mode)

    @property
    def open_findings(self) -> tuple[Finding, ...]:
        """The visible findings that are not suppressed, in order."""
        return open_findings(self.findings, self._files, self.filter_mode)

    @cached_property
    def _files(self) -> dict[str, ChangedFile]:
        return {file.path: file for file in self.change.files}

    @property
    def counted(self) -> tuple[Status, ...]:
        """The statuses that count for the gate: in a review of all files, everything exists already."""
        return (Status.EXISTING,) if self.change.all_files else INTRODUCED

    @property
    def filtered_count(self) -> int:
        """The number of findings that the filter mode removes."""
        return len(self.findings) - len(self.visible)

    @property
    def exit_status(self) -> int:
        """0 pass, 1 blocked by the gate or the verdict, 4 inconclusive where that blocks.

        A crash is never 1: the verdict of an inconclusive review follows from what is missing.
        """
        if self.gate.outcome is GateOutcome.BLOCKED or self.is_declined:
            return 1
        if self.gate.outcome is GateOutcome.INCONCLUSIVE and self.blocks_on_inconclusive:
            return 4
        return 1 if self.is_blocked_by_verdict else 0

    @property
    def is_declined(self) -> bool:
        """Return True if a policy declines the change."""
        return self._has_verdict and self.conclusion.verdict.is_declined

    @property
    def is_blocked_by_verdict(self) -> bool:
        """Return True if the verdict is one of those that block, or stricter."""
        if not self._has_verdict:
            return False
        failing = map(VerdictName, self.request.failing_verdicts(self.config))
        return self.conclusion.verdict.name.strictness >= min(name.strictness for name in failing)

    @property
    def _has_verdict(self) -> bool:
        """False for all files, about which no policy decides, and for a commit that no policy declines."""
        return not (self.change.all_files or self.is_for_commit)


def result_of(
    findings: ReviewFindings,
    results: RawReview,
    inputs: PipelineInputs,
    context: ReviewContext,
    review: ChangeUnderReview,
    decided: Gate,
    pending: PendingConclusion,
    started: float,
) -> ReviewResult:
    """Return the result of a review that is decided."""
    request, settings = review.request, review.config.root
    default = "block" if request.profile is Profile.CI else "pass"
    names = zip(findings.findings, findings.content_names, strict=True)
    return ReviewResult(
        context=context,
        pending=pending,
        reviewed=tuple(sorted(results.claimed)),
        findings=findings.findings,
        unreviewed=findings.unreviewed,
        runs=tuple(results.head.runs),
        gate=decided,
        filter_mode=inputs.filter_mode,
        profile=request.profile,
        blocks_on_inconclusive=settings.inconclusive.get(request.profile.value, default) == "block",
        seconds=time.monotonic() - started,
        config=inputs.config,
        request=request,
        contents={finding.fingerprint: name for finding, name in names},
        text_of=inputs.texts.head,
        notes=(*results.notes, *findings.notes),
        judge=findings.judge,
        triage=findings.triage,
        verbose=request.verbose,
    )
