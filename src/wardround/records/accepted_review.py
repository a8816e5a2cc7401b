"""Find a record that may replace a review, and the result of that review."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.review_context import ReviewContext, build_context
from wardround.change.change_source import FileTexts
from wardround.change.diff import Change
from wardround.change.revisions import is_object_id
from wardround.conclusion import read_policies
from wardround.config.schema import Config
from wardround.errors import WardroundError
from wardround.execution.review_run import PlannedTools, ReviewRun
from wardround.findings import Finding, Severity, Span, ToolRun
from wardround.planes.evidence import FindingEvidence
from wardround.policy.conclude import Conclusion
from wardround.policy.gate import gate
from wardround.policy.loading import policy_file
from wardround.policy.schema import Policy
from wardround.records.acceptance import PresentReview, age_fault, differences, missing_evidence
from wardround.records.reading import evidence_fault, parse_record
from wardround.records.record import ReviewRecord, components_of, recorded_request
from wardround.records.verify import verify_record
from wardround.review_result import PendingConclusion, ReviewResult
from wardround.session import ReviewSession
from wardround.storage.digest import sha256
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from securesystemslib.signer import Key


class Candidate(msgspec.Struct, frozen=True):
    """The bytes of a record, and where they are from, for messages."""

    name: str
    data: bytes


class Accepted(msgspec.Struct, frozen=True):
    """A record that replaces a review, and the result."""

    data: bytes
    review: ReviewResult


class Refused(msgspec.Struct, frozen=True):
    """A record that is not accepted, and the reasons, a phrase each."""

    name: str
    reasons: tuple[str, ...]


class AcceptableReview(msgspec.Struct, frozen=True):
    """A review of commits, for which earlier records of the same review may be accepted.

    Attributes:
        trusted: the keys whose records count.
        now: with a time zone.
        started: the reading of the monotonic clock.
    """

    context: ReviewContext
    policies: tuple[Policy, ...]
    present: PresentReview
    review: ChangeUnderReview
    trusted: tuple[Key, ...]
    now: datetime
    started: float

    def choose(self, candidates: Iterable[Candidate]) -> tuple[Accepted | None, tuple[Refused, ...]]:
        """Return the first record that may be accepted, if all that may agree on the verdict.

        Args:
            candidates: the newest first.
        """
        fitting: list[tuple[Candidate, ReviewRecord, tuple[str, ...]]] = []
        refused = []
        for candidate in candidates:
            record, signers, reasons = self._judge(candidate)
            if record is None or reasons:
                refused.append(Refused(candidate.name, reasons))
            else:
                fitting.append((candidate, record, signers))
        if not fitting:
            return None, tuple(refused)
        first, record, signers = fitting[0]
        others = [
            other_record for other_record, other, _ in fitting[1:] if _decision(other) != _decision(record)
        ]
        if others:
            reason = f"{others[0].name} has another verdict for the same input"
            return None, (*refused, Refused(first.name, (reason,)))
        return Accepted(first.data, self._result(first, record, signers)), tuple(refused)

    def _judge(self, item: Candidate) -> tuple[ReviewRecord | None, tuple[str, ...], tuple[str, ...]]:
        """Return the record with its signers, and the reasons against it."""
        verified = verify_record(item.data, self.trusted, further_checks=(evidence_fault,))
        if verified.problem is not None:
            return None, (), (f"it does not hold: {verified.problem}",)
        try:
            record = parse_record(item.data, item.name)
        except WardroundError as cause:
            return None, (), (str(cause),)
        limit = timedelta(days=self.review.config.root.recording.accept_days)
        fault = age_fault(datetime.fromisoformat(verified.created), self.now, limit)
        reasons = [*missing_evidence(record), *differences(record, self.present)]
        if self.present.missing:
            reasons.append(self.present.missing)
        return record, verified.signers, (*reasons, *((fault,) if fault else ()))

    def _result(self, item: Candidate, record: ReviewRecord, signers: tuple[str, ...]) -> ReviewResult:
        """Return the result of the recorded review, without source text, reasons and fixes of findings."""
        evidence, request, config = record.evidence, self.review.request, self.review.config
        findings = tuple(self._to_finding(finding) for finding in evidence.findings)
        digest = sha256(item.data).hexdigest()
        note = (
            f"the verdict {record.verdict.name} ({record.verdict.tier}) was accepted from the record "
            f"sha256:{digest} signed by the key {', '.join(signers)}; nothing was run again"
        )
        default = "block" if request.profile is Profile.CI else "pass"
        conclusion = Conclusion(
            self.context.document, evidence, record.signals, record.verdict, self.policies
        )
        return ReviewResult(
            context=self.context,
            pending=PendingConclusion.of(conclusion),
            reviewed=tuple(sorted(file.file.path for file in self.context.claimed)),
            findings=findings,
            unreviewed=(),
            runs=tuple(ToolRun(tool.tool, tool.version, 0, 0, 0.0, tool.digest) for tool in evidence.tools),
            gate=gate(findings, (), evidence.fail_level),
            filter_mode=request.filter_mode or config.root.filter_mode,
            profile=request.profile,
            blocks_on_inconclusive=config.root.inconclusive.get(request.profile.value, default) == "block",
            seconds=time.monotonic() - self.started,
            contents={},
            text_of=FileTexts(self.review.source, self.context.change).head,
            config=config,
            request=request,
            notes=(note,),
            verbose=request.verbose,
        )

    def _to_finding(self, item: FindingEvidence) -> Finding:
        return Finding(
            item.fingerprint,
            item.rule,
            item.defect_class,
            item.plane,
            item.specialist,
            Severity.from_label(item.severity),
            item.file,
            Span(item.line, item.column, item.end_line, item.end_column),
            item.message,
            "",
            item.status,
            item.confidence,
            item.sources,
            masked=self.review.host.catalogue.rule(item.rule).masked,
            claim=item.claim or None,
        )


def acceptable_review(session: ReviewSession, trusted: Sequence[Key], current: datetime) -> AcceptableReview:
    """Describe the review that would run now; no tool is run but for its version.

    Raises:
        ConfigError: the configuration of a file or a policy is wrong.
    """
    started = time.monotonic()
    review = session.under_review
    policies = read_policies(review)
    context = build_context(review)
    with ReviewRun(review, context, session.resources) as run:
        planned = run.planned_tools()
    present = _present_review(context, review, policies, planned)
    present = replace(present, coverage_file=_coverage_file(review.source.root, review.config))
    return AcceptableReview(context, policies, present, review, tuple(trusted), current, started)


def _coverage_file(root: Path, config: Config) -> str:
    from wardround.context.line_coverage.work_tree import DEFAULT_FILES  # loads grammars

    names = config.root.coverage_files or DEFAULT_FILES
    return next((name for name in names if (root / name).is_file()), "")


def is_acceptable(change: Change) -> bool:
    """Return True if records of the change can be accepted: commits determine everything that it is part
    of.
    """
    return all(map(is_object_id, (change.base, change.target, change.head)))


def _present_review(
    context: ReviewContext, review: ChangeUnderReview, policies: Sequence[Policy], planned: PlannedTools
) -> PresentReview:
    request, root = review.request, review.config.root
    model = root.language_model
    is_barred = request.offline and model.needs_network
    return PresentReview(
        context=context.id,
        profile=request.profile.value,
        fail_level=request.fail_level or root.fail_level,
        target_branch=request.target_branch,
        policy_file=policy_file(root.policy),
        request=recorded_request(request, request.parts_to_run(review.config)),
        policies=tuple((policy.name, policy.digest) for policy in policies),
        components=components_of(review.config, review.host),
        programs=planned.programs,
        models=planned.models,
        required_models=planned.required_models,
        uses_language_model=model.is_used_by(request.profile.value) and not is_barred,
        missing=planned.missing,
    )


def _decision(record: ReviewRecord) -> tuple[str, str, str]:
    return record.verdict.name, record.verdict.tier, record.evidence.gate
