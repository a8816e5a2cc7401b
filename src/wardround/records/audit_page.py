"""The page of a verified record for an auditor: review, result, signers, and the limits of the proof.

Lists are shortened to a number of entries; the count of the others is always a line of the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

import msgspec

from wardround import __version__
from wardround.findings import Severity, Status
from wardround.planes.evidence import FindingEvidence, ToolEvidence
from wardround.planes.signal import PlaneStatus, Signal
from wardround.policy.decide import lines_of
from wardround.records.reading import derivation_note
from wardround.records.record import RecordedOrigin, RecordedPolicy, ReviewRecord
from wardround.records.replay import replay_evidence
from wardround.records.statement import FIRST_SCHEMA, line_names
from wardround.records.verify import Verification

NONE = "none"
_MOST_ROWS = 8
"""Entries of one list on the page."""
_DIGITS = 12
_NOT_NAMED = "not named: the review did not run in a known CI system, or the system does not name it"
_LIMITS = (
    "that the code is free of defects: planes report what their tools and rules detect",
    "who wrote the origin and the time: both are those of the signer's machine, as trustworthy as the key",
    "that the tools ran unmodified: their versions and digests are those that the signer's machine reports",
    "that the commit was merged, or built into an artifact: compare its id where that matters",
)


class Row(msgspec.Struct, frozen=True):
    """One line: a label and its value."""

    label: str
    value: str


class Section(msgspec.Struct, frozen=True):
    """A part of the page."""

    title: str
    rows: tuple[Row, ...]

    @property
    def is_empty(self) -> bool:
        """True if there is nothing of the kind."""
        return self.rows == (Row("-", NONE),)


def audit_page(record: ReviewRecord, found: Verification, threshold: int) -> tuple[Section, ...]:
    """Return the page of a record that holds.

    Args:
        found: the verification of the record's bytes.
        threshold: the number of trusted keys that had to sign.
    """
    return (
        Section("Reviewed", tuple(_reviewed(record, found.created))),
        Section("Reviewed by", tuple(_programs(record))),
        Section("Policy", tuple(_policy(record))),
        Section("Result", tuple(_result(record))),
        Section("Not reviewed", tuple(_not_reviewed(record))),
        Section("Waived", tuple(_waived(record))),
        Section("Signed", tuple(_signed(record, found.signers, threshold))),
        Section("Derived again", tuple(_derived(record))),
        Section("Not proven by this record", tuple(Row("-", text) for text in _LIMITS)),
    )


def _reviewed(record: ReviewRecord, created: str) -> Iterator[Row]:
    document, origin = record.context.document, record.origin or RecordedOrigin()
    yield Row("repository", origin.repository or _NOT_NAMED)
    yield Row("change request", origin.change_request or NONE)
    yield Row("base", document.base)
    if document.target != document.base:
        yield Row("target", document.target)
    yield Row("head", document.head)
    hunks = sum(len(file.hunks) for file in document.files)
    lines = f"+{record.evidence.added_lines} -{record.evidence.removed_lines} lines"
    yield Row("change", f"{_count(len(document.files), 'file')}, {_count(hunks, 'hunk')}, {lines}")
    ticket = document.ticket
    yield Row("ticket", NONE if ticket is None else f"{ticket.key}: {ticket.title}")
    if record.origin is not None:
        yield from _run(record.origin)
    yield Row("time", f"{created}, as the signer states it")


def _run(origin: RecordedOrigin) -> Iterator[Row]:
    commit = f" at {origin.workflow_commit}" if origin.workflow_commit else ""
    yield Row("workflow", f"{origin.workflow}{commit}" if origin.workflow else _NOT_NAMED)
    yield Row("run", origin.workflow_run or _NOT_NAMED)
    yield Row("actor", origin.actor or _NOT_NAMED)


def _programs(record: ReviewRecord) -> Iterator[Row]:
    components = record.components
    yield Row("wardround", f"{components.version}, engine {components.engine or NONE}")
    yield Row("rules", components.rules or NONE)
    yield Row("configuration", f"{components.configuration or NONE}, of the {record.request.trusted_side}")
    plugins = (f"{plugin.name} {plugin.version} ({_short(plugin.digest)})" for plugin in components.plugins)
    yield Row("plugins", _list(plugins))
    yield Row("tools and models", _list(map(_tool, record.evidence.tools)))
    asked = {exchange.served_model or exchange.model for exchange in record.evidence.exchanges}
    yield Row("language model", _list(sorted(asked)))
    yield Row("options", _options(record))
    yield Row("digests", "one that ends in … is shortened; the record has it in full")


def _tool(tool: ToolEvidence) -> str:
    digest = f" ({_short(tool.digest)})" if tool.digest else ""
    return f"{tool.tool} {tool.version}".rstrip() + digest


def _options(record: ReviewRecord) -> str:
    request = record.request
    options = [f"profile {record.evidence.profile}", f"fails at {record.evidence.fail_level}"]
    options += [f"only {', '.join(request.only)}"] if request.only else []
    options += [f"skipped {', '.join(request.skip)}"] if request.skip else []
    options += [] if request.models else ["without models"]
    options += [] if request.baseline else ["without the baseline"]
    options += [f"ran {', '.join(request.run)}"] if request.run else ["nothing of the change was run"]
    return "; ".join(options)


def _policy(record: ReviewRecord) -> Iterator[Row]:
    yield Row("repository", _policy_name(record.policy))
    yield Row("floor", NONE if record.floor is None else _policy_name(record.floor))
    yield Row("target branch", record.evidence.target_branch or "not known")
    deciding = {reason.policy for reason in record.verdict.reasons if reason.policy}
    for policy in record.policies:
        lines = lines_of(
            policy, record.verdict.tier, record.signals, record.context.document, record.evidence
        )
        for line in lines:
            if line.line in deciding:
                yield Row("decides", f"{line.line}: {line.verdict}: {line.text}")


def _policy_name(policy: RecordedPolicy) -> str:
    return f"{policy.name} {policy.digest}"


def _result(record: ReviewRecord) -> Iterator[Row]:
    verdict = record.verdict
    yield Row("verdict", f"{verdict.name}, tier {verdict.tier}")
    yield Row("gate", record.gate.outcome)
    demanded = f"{_count(verdict.approvals, 'approval')} of people"
    yield Row("approvals", demanded if verdict.approvals else "the policy demands no number of them")
    for reason in verdict.reasons:
        if not reason.policy:
            yield Row("reason", reason.text)
    applying = [signal for signal in record.signals if signal.status is not PlaneStatus.NOT_APPLICABLE]
    yield from (Row(f"plane {signal.plane}", _plane(signal)) for signal in applying)
    others = [signal.plane.value for signal in record.signals if signal not in applying]
    yield Row("not applicable", _list(others))
    yield from _findings(record)


def _plane(signal: Signal) -> str:
    found = f"{_count(len(signal.findings), 'finding')}, most severe {signal.severity}"
    reasons = f": {'; '.join(signal.reasons)}" if signal.reasons else ""
    return f"{signal.status}, {found}, confidence {signal.confidence:g}{reasons}"


def _findings(record: ReviewRecord) -> Iterator[Row]:
    introduced = sorted(record.evidence.introduced, key=lambda finding: (-finding.level, finding.file))
    levels = Counter(finding.severity for finding in introduced)
    counts = (f"{levels[level.label]} {level.label}" for level in sorted(Severity, reverse=True))
    yield Row("findings", ", ".join(counts))
    severe = [finding for finding in introduced if finding.level >= Severity.WARN]
    yield from _rows("finding", [_finding(finding) for finding in severe])


def _finding(finding: FindingEvidence) -> str:
    return f"{finding.severity} {finding.rule} {finding.file}:{finding.line}: {finding.message}"


def _not_reviewed(record: ReviewRecord) -> Iterator[Row]:
    evidence = record.evidence
    lines = [
        f"{missing.file} by {missing.tool or missing.specialist}: {missing.reason}"
        for missing in evidence.missing
    ]
    lines += [f"{plane} failed: {reason}" for plane, reason in sorted(evidence.plane_failures.items())]
    lines += [f"partly, {partial.specialist}: {partial.reason}" for partial in evidence.partial]
    lines += [
        f"{file.path}: its content is not in the clone"
        for file in record.context.document.files
        if file.is_incomparable
    ]
    lines += [
        f"{file.path}: no specialist reads files of its kind"
        for file in evidence.files
        if file.is_unjudged and not file.specialists
    ]
    yield from _rows("-", lines) if lines else (Row("-", NONE),)


def _waived(record: ReviewRecord) -> Iterator[Row]:
    waived = record.evidence.waived
    silenced = [finding for finding in record.evidence.introduced if finding.is_silenced]
    lines = [f"{_finding(finding)} [{_waiver(finding)}]" for finding in waived]
    lines += [f"{_finding(finding)} [by the change itself, counts as open]" for finding in silenced]
    if not lines:
        yield Row("-", NONE)
        return
    yield from _rows("-", lines)
    yield Row("-", "the person is in the history of the file with the suppression, dismissal or baseline")


def _waiver(finding: FindingEvidence) -> str:
    if isinstance(finding.waiver, str):
        return f"dismissed: {finding.waiver}"
    if finding.status is Status.SUPPRESSED:
        return "suppressed in the source, where the reason is"
    return "accepted in the baseline"


def _signed(record: ReviewRecord, signers: Sequence[str], threshold: int) -> Iterator[Row]:
    yield from (Row("key", key) for key in signers)
    names = ", ".join(line_names(record.schema))
    yield Row("threshold", f"{threshold} of the trusted keys must sign every statement: {names}")


def _derived(record: ReviewRecord) -> Iterator[Row]:
    replay = replay_evidence(record)
    same = "the same" if replay.agrees else "different"
    yield Row("verdict", f"{same}, derived from the evidence by wardround {__version__}")
    differences = [
        f"{difference.part}: recorded {difference.recorded}, derived {difference.derived}"
        for difference in replay.differences
    ]
    yield from _rows("difference", differences)
    notes = [note for note in (replay.note, derivation_note(record)) if note]
    yield from (Row("note", note) for note in notes)
    digest = "has none" if record.schema == FIRST_SCHEMA else "is that of its content"
    yield Row("record", f"the digest {digest}; the other statements follow from the review")


def _rows(label: str, lines: Sequence[str]) -> Iterator[Row]:
    """Yield the first lines, and the number of the others."""
    yield from (Row(label, line) for line in lines[:_MOST_ROWS])
    if len(lines) > _MOST_ROWS:
        yield Row(label, f"and {len(lines) - _MOST_ROWS} more, which the record has (wardround replay, jq)")


def _list(entries: Iterable[str]) -> str:
    return ", ".join(entries) or NONE


def _short(digest: str) -> str:
    return f"{digest.removeprefix('sha256:')[:_DIGITS]}…" if digest else "no digest"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
