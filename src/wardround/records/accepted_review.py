"""Finding a record that may take the place of a review, and the result of that review."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from wardround.change.change_source import ChangeSource, FileTexts
from wardround.change.diff import Change
from wardround.change.revisions import is_object_id
from wardround.conclusion import read_policies
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.review_context import ReviewContext, build_context
from wardround.errors import WardroundError
from wardround.execution.review_run import PlannedTools, ReviewRun
from wardround.findings import Finding, Severity, Span, ToolRun
from wardround.host import PluginHost
from wardround.planes.evidence import FindingEvidence
from wardround.policy.conclude import Conclusion
from wardround.policy.gate import gate
from wardround.policy.loading import policy_file
from wardround.policy.schema import Policy
from wardround.records.acceptance import PresentReview, age_fault, differences, missing_evidence
from wardround.records.reading import evidence_fault, parse_record
from wardround.records.record import ReviewRecord, components_of, recorded_request
from wardround.records.verify import verify_record
from wardround.review import PendingConclusion, ReviewResult
from wardround.storage.digest import sha256
from wardround.tools.process import Processes
from wardround.tools.tool import Profile

if TYPE_CHECKING:
    from securesystemslib.signer import Key


class Candidate(msgspec.Struct, frozen=True):
    """The bytes of a record, and where they are from, for messages."""

    name: str
    data: bytes


class Accepted(msgspec.Struct, frozen=True):
    """A record that takes the place of a review, and the result."""

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
    config: Config
    request: ReviewRequest
    host: PluginHost
    text_of: Callable[[str], str | None]
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
        for one in candidates:
            record, signers, reasons = self._judge(one)
            if record is None or reasons:
                refused.append(Refused(one.name, reasons))
            else:
                fitting.append((one, record, signers))
        if not fitting:
            return None, tuple(refused)
        first, record, signers = fitting[0]
        others = [one for one, other, _ in fitting[1:] if _decision(other) != _decision(record)]
        if others:
            reason = f"{others[0].name} has another verdict for the same input"
            return None, (*refused, Refused(first.name, (reason,)))
        return Accepted(first.data, self._result(first, record, signers)), tuple(refused)

    def _judge(self, one: Candidate) -> tuple[ReviewRecord | None, tuple[str, ...], tuple[str, ...]]:
        """Return the record with its signers, and the reasons against it."""
        verified = verify_record(one.data, self.trusted, further_checks=(evidence_fault,))
        if verified.problem is not None:
            return None, (), (f"it does not hold: {verified.problem}",)
        try:
            record = parse_record(one.data, one.name)
        except WardroundError as cause:
            return None, (), (str(cause),)
        limit = timedelta(days=self.config.root.recording.accept_days)
        fault = age_fault(datetime.fromisoformat(verified.created), self.now, limit)
        reasons = [*missing_evidence(record), *differences(record, self.present)]
        if self.present.missing:
            reasons.append(self.present.missing)
        return record, verified.signers, (*reasons, *((fault,) if fault else ()))

    def _result(self, one: Candidate, record: ReviewRecord, signers: tuple[str, ...]) -> ReviewResult:
        """Return the result of the recorded review, without source text, reasons and fixes of findings."""
        evidence, request, root = record.evidence, self.request, self.config.root
        findings = tuple(self._finding(finding) for finding in evidence.findings)
        digest = sha256(one.data).hexdigest()
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
            filter_mode=request.filter_mode or root.filter_mode,
            profile=request.profile,
            blocks_on_inconclusive=root.inconclusive.get(request.profile.value, default) == "block",
            seconds=time.monotonic() - self.started,
            contents={},
            text_of=self.text_of,
            config=self.config,
            request=request,
            notes=(note,),
            verbose=request.verbose,
        )

    def _finding(self, one: FindingEvidence) -> Finding:
        return Finding(
            one.fingerprint,
            one.rule,
            one.defect_class,
            one.plane,
            one.specialist,
            Severity.named(one.severity),
            one.file,
            Span(one.line, one.column, one.end_line, one.end_column),
            one.message,
            "",
            one.status,
            one.confidence,
            one.sources,
            masked=self.host.catalogue.rule(one.rule).masked,
        )


def acceptable_review(
    source: ChangeSource,
    change: Change,
    host: PluginHost,
    config: Config,
    request: ReviewRequest,
    trusted: Sequence[Key],
    now: datetime,
) -> AcceptableReview:
    """Describe the review that would run now; no tool is run but for its version.

    Raises:
        ConfigError: the configuration of a file or a policy is wrong.
    """
    started = time.monotonic()
    policies = read_policies(source, config, request)
    context = build_context(source, change, host, config, request)
    with ReviewRun(source, context, host, config, request, Processes()) as run:
        planned = run.planned_tools()
    present = _present(context, config, request, host, policies, planned)
    present = replace(present, coverage_file=_coverage_file(source.root, config))
    text_of = FileTexts(source, context.change).head
    return AcceptableReview(
        context, policies, present, config, request, host, text_of, tuple(trusted), now, started
    )


def _coverage_file(root: Path, config: Config) -> str:
    from wardround.context.line_coverage.work_tree import DEFAULT_FILES  # loads grammars

    names = config.root.coverage_files or DEFAULT_FILES
    return next((name for name in names if (root / name).is_file()), "")


def is_acceptable(change: Change) -> bool:
    """Return True if records of the change can be accepted: commits determine everything it is part of."""
    return all(map(is_object_id, (change.base, change.target, change.head)))


def _present(
    context: ReviewContext,
    config: Config,
    request: ReviewRequest,
    host: PluginHost,
    policies: Sequence[Policy],
    planned: PlannedTools,
) -> PresentReview:
    root, language_model = config.root, config.root.language_model
    uses_language_model = language_model.is_used_by(request.profile.value)
    return PresentReview(
        context=context.id,
        profile=request.profile.value,
        fail_level=request.fail_level or root.fail_level,
        target_branch=request.target_branch,
        policy_file=policy_file(root.policy),
        request=recorded_request(request, request.parts_to_run(config)),
        policies=tuple((policy.name, policy.digest) for policy in policies),
        components=components_of(config, host),
        programs=planned.programs,
        models=planned.models,
        required_models=planned.required_models,
        uses_language_model=uses_language_model and not request.offline,
        missing=planned.missing,
    )


def _decision(record: ReviewRecord) -> tuple[str, str, str]:
    return record.verdict.name, record.verdict.tier, record.evidence.gate
