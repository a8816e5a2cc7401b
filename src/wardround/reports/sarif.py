"""SARIF 2.1.0, the subset that GitHub's code scanning reads, within GitHub's limits.

Sources: OASIS SARIF 2.1.0; https://docs.github.com/en/code-security/reference/code-scanning/sarif-files
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote

import msgspec

from wardround import __version__
from wardround.analyses.repetitions import RATIONALE, RULE, RepetitionNote, Repetitions, repetition_notes
from wardround.change.diff import ChangedFile
from wardround.change.encoding import escape_undecodable
from wardround.findings import Finding, Plane, Severity, Span, Status, SuggestedFix, Unreviewed
from wardround.reports import truncate
from wardround.reports.run import run_counts
from wardround.review_result import ReviewResult
from wardround.text.escaping import json_text

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "wardround/v1"

MAX_RESULTS = 25_000
"""GitHub rejects a run with more."""
SHOWN_RESULTS = 5_000
"""GitHub shows the most severe ones of a run."""
MAX_TAGS = 20
"""GitHub rejects a rule with more."""
MAX_GZIP_BYTES = 10_000_000
"""GitHub rejects a file that is larger when compressed; its documentation states 10 MB."""
MAX_NOTIFICATIONS = 1_000
_MAX_TEXT = 1_024
"""The length to which GitHub cuts a description."""

_LEVEL = {Severity.INFO: "note", Severity.WARN: "warning", Severity.ERROR: "error"}
_SECURITY_SEVERITY = {Severity.INFO: "2.0", Severity.WARN: "5.5", Severity.ERROR: "8.0"}
"""The middles of GitHub's bands low, medium and high; a static check never reports critical."""
_PRECISION = ((0.9, "high"), (0.6, "medium"), (0.0, "low"))


def render(review: ReviewResult) -> str:
    """Return the report as one SARIF log with one run; content that exceeds GitHub's limits is truncated and
    counted.
    """
    text, retained = _render_log(review, MAX_RESULTS)
    while retained and len(gzip.compress(text.encode(), compresslevel=6, mtime=0)) > MAX_GZIP_BYTES:
        text, retained = _render_log(review, retained * 3 // 4)
    return text


def _render_log(review: ReviewResult, limit: int) -> tuple[str, int]:
    """Return the log with at most ``limit`` results, and the number of findings among them."""
    findings = _most_severe(review.visible, limit)
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(review, findings, limit)]}
    return json_text(msgspec.json.format(msgspec.json.encode(log), indent=1)) + "\n", len(findings)


def _most_severe(findings: Sequence[Finding], limit: int) -> Sequence[Finding]:
    """Return at most ``limit`` findings, by severity and then by position, in their old order."""
    if len(findings) <= limit:
        return findings
    ranked = sorted(range(len(findings)), key=lambda index: (-findings[index].severity, index))
    return [findings[index] for index in sorted(ranked[:limit])]


def _run(review: ReviewResult, findings: Sequence[Finding], limit: int) -> dict[str, Any]:
    by_rule: dict[str, list[Finding]] = {}
    for finding in findings:
        by_rule.setdefault(finding.rule, []).append(finding)
    index = {rule: number for number, rule in enumerate(sorted(by_rule))}
    files = {file.path: file for file in review.change.files}
    any_suppressed = any(f.status is Status.SUPPRESSED for f in findings)
    every_note = list(repetition_notes(review.conclusion.evidence.notes_of(Repetitions)))
    notes = every_note[: limit - len(findings)]
    omitted_notes = len(every_note) - len(notes)
    omitted = len(review.visible) - len(findings) + omitted_notes
    run = run_counts(review.conclusion.context.ran)
    return {
        "tool": {
            "driver": {
                "name": "wardround",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [
                    *(_rule(rule, by_rule[rule]) for rule in index),
                    *([_REPETITION_RULE] if notes else []),
                ],
            }
        },
        "automationDetails": {"id": f"wardround/{review.profile.value}/"},
        "originalUriBaseIds": {ROOT: {"description": {"text": "The root of the repository."}}},
        "columnKind": "unicodeCodePoints",
        "invocations": [
            _invocation(review.unreviewed, _limit_notes(review.visible, findings, omitted_notes))
        ],
        "results": [
            *(_result(f, index[f.rule], files, any_suppressed) for f in findings),
            *(_repetition(note, len(index), any_suppressed) for note in notes),
        ],
        "properties": {
            "base": review.change.base,
            "head": review.change.head,
            "target": review.change.target,
            "context": review.context.id,
            "verdict": review.conclusion.verdict.name.value,
            "tier": review.conclusion.verdict.tier.value,
            "policy": review.conclusion.verdict.policy,
            **({"omitted": omitted} if omitted else {}),
            **({"judge": review.judge} if review.judge else {}),
            **({"run": run} if run else {}),
            "tools": [
                {"name": run.tool, "version": run.version, **({"digest": run.digest} if run.digest else {})}
                for run in review.runs
            ],
        },
    }


# Rules


def _rule(rule: str, findings: Sequence[Finding]) -> dict[str, Any]:
    """Return a rule as its findings describe it."""
    severity = max(finding.severity for finding in findings)
    rationales = (finding.rationale for finding in findings if finding.rationale)
    why = " ".join(next(rationales, "").split())
    url = next((finding.url for finding in findings if finding.url), None)
    described: dict[str, Any] = {
        "id": rule,
        "name": findings[0].defect_class,
        "shortDescription": {"text": truncate(_first_sentence(why) or rule, _MAX_TEXT)},
        "fullDescription": {"text": truncate(why or rule, _MAX_TEXT)},
        "help": _help(rule, why, url),
        "defaultConfiguration": {"level": _LEVEL[severity]},
        "properties": _rule_properties(findings, severity),
    }
    if url is not None:
        described["helpUri"] = url
    return described


def _rule_properties(findings: Sequence[Finding], severity: Severity) -> dict[str, Any]:
    planes = {finding.plane for finding in findings}
    named = sorted(plane.value for plane in planes)
    named += sorted({finding.defect_class for finding in findings} - set(named))
    likelihood = min(finding.likelihood for finding in findings)
    properties: dict[str, Any] = {
        "tags": sorted(named[:MAX_TAGS]),
        "precision": next(name for least, name in _PRECISION if likelihood >= least),
    }
    if Plane.SECURITY in planes:
        properties["security-severity"] = _SECURITY_SEVERITY[severity]
    return properties


def _first_sentence(text: str) -> str:
    end = text.find(". ")
    return text if end < 0 else text[: end + 1]


def _help(rule: str, why: str, url: str | None) -> dict[str, str]:
    waive = f"wardround: ignore[{rule}] the reason"
    text = f"{why}\n\nTo suppress it once, in a comment on that line: {waive}".lstrip()
    markdown = f"{why}\n\nTo suppress it once, in a comment on that line: `{waive}`".lstrip()
    if url is not None:
        text += f"\n\nMore: {url}"
        markdown += f"\n\n[More about {rule}]({url})"
    return {"text": text, "markdown": markdown}


# Results


def _result(
    finding: Finding, rule_index: int, files: Mapping[str, ChangedFile], with_suppressions: bool
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule_index,
        "level": _LEVEL[finding.severity],
        "message": {"text": _message(finding.message)},
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": _artifact(finding.file),
                    "region": _region(finding.span),
                }
            }
        ],
        "partialFingerprints": {FINGERPRINT: finding.fingerprint},
        "baselineState": _baseline_state(finding, files),
    }
    if with_suppressions:  # if one result of a run has suppressions, all must
        result["suppressions"] = _suppressions(finding)
    if finding.suggested_fix is not None and not finding.masked:
        result["fixes"] = [_fix(finding.suggested_fix)]
    result["properties"] = {
        "status": finding.status.value,
        "sources": list(finding.sources),
        "specialist": finding.specialist,
        "confidence": finding.likelihood,
    }
    if finding.claim is not None:
        result["properties"]["claim"] = msgspec.to_builtins(finding.claim)
    if finding.estimate is not None:
        result["rank"] = round(100 * finding.estimate.worth, 1)
        result["properties"]["estimate"] = {
            "worth": finding.estimate.worth,
            "wrong": finding.estimate.wrong,
            "derivation": finding.estimate.derivation,
        }
    return result


_REPETITION_RULE = {
    "id": RULE,
    "name": "repetition",
    "shortDescription": {"text": RATIONALE},
    "fullDescription": {"text": RATIONALE},
    "help": {"text": RATIONALE, "markdown": RATIONALE},
    "defaultConfiguration": {"level": "note"},
    "properties": {"tags": ["repetition"], "precision": "medium"},
}


def _repetition(note: RepetitionNote, rule_index: int, with_suppressions: bool) -> dict[str, Any]:
    location = {
        "artifactLocation": _artifact(note.path),
        "region": _region(Span(note.line, 1, note.end_line, 2)),
    }
    return {
        "ruleId": RULE,
        "ruleIndex": rule_index,
        "level": "note",
        "message": {"text": _message(note.message)},
        "locations": [{"physicalLocation": location}],
        "partialFingerprints": {FINGERPRINT: note.fingerprint},
        "baselineState": "new",
        **({"suppressions": []} if with_suppressions else {}),
    }


def _suppressions(finding: Finding) -> list[dict[str, str]]:
    if finding.status is not Status.SUPPRESSED:
        return []
    if finding.dismissal_reason:
        return [{"kind": "external", "justification": _message(finding.dismissal_reason)}]
    return [{"kind": "inSource"}]


def _message(text: str) -> str:
    """Return a message without text that SARIF would read as a link, cut to a sane length."""
    return truncate(escape_undecodable(text), _MAX_TEXT).replace("](", "] (") or "(no message)"


def _baseline_state(finding: Finding, files: Mapping[str, ChangedFile]) -> str:
    """Return ``new`` or ``unchanged``; for a suppressed finding, its line decides."""
    if finding.status is Status.SUPPRESSED:
        file = files.get(finding.file)
        return "new" if file is not None and file.is_added_line(finding.span.line) else "unchanged"
    return "unchanged" if finding.status is Status.EXISTING else "new"


def _artifact(path: str) -> dict[str, str]:
    """Return a location in the repository: percent-encoded bytes, so that every path can be named."""
    return {"uri": quote(path.encode("utf-8", "surrogateescape"), safe="/"), "uriBaseId": ROOT}


def _region(span: Span) -> dict[str, int]:
    return {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }


def _fix(fix: SuggestedFix) -> dict[str, Any]:
    changes: dict[str, list[dict[str, Any]]] = {}
    for edit in fix.edits:
        replacement = {
            "deletedRegion": _region(edit.span),
            "insertedContent": {"text": escape_undecodable(edit.replacement)},
        }
        changes.setdefault(edit.file, []).append(replacement)
    return {
        "description": {"text": _message(fix.description)},
        "artifactChanges": [
            {"artifactLocation": _artifact(path), "replacements": replacements}
            for path, replacements in changes.items()
        ],
    }


# Unreviewed files


def _invocation(unreviewed: Sequence[Unreviewed], limits: Iterable[str]) -> dict[str, Any]:
    notes = [_unreviewed_notification(u) for u in unreviewed[:MAX_NOTIFICATIONS]]
    notes += _exceeding_entries(unreviewed[MAX_NOTIFICATIONS:])
    notes += [{"level": "warning", "message": {"text": text}} for text in limits]
    return {"executionSuccessful": not unreviewed, "toolExecutionNotifications": notes}


def _limit_notes(visible: Sequence[Finding], kept: Sequence[Finding], omitted_notes: int) -> Iterator[str]:
    """Yield a sentence for each limit of GitHub that the review exceeds."""
    if len(kept) < len(visible):
        left = Counter(f.severity for f in visible) - Counter(f.severity for f in kept)
        named = ", ".join(f"{left[s]} {s.label}" for s in reversed(Severity) if left[s])
        yield (
            f"{len(visible) - len(kept)} of {len(visible)} findings were omitted from this file, "
            f"which GitHub would reject otherwise: {named}; the JSON report has them all"
        )
    if omitted_notes:
        yield f"{omitted_notes} notes about repetitions were omitted from this file; the text report has them"
    if len(kept) > SHOWN_RESULTS:
        yield (
            f"this file has {len(kept)} findings; GitHub shows the {SHOWN_RESULTS} most severe, "
            "and the JSON report has them all"
        )


def _unreviewed_notification(unreviewed: Unreviewed) -> dict[str, Any]:
    file, reason = escape_undecodable(unreviewed.file), escape_undecodable(unreviewed.reason)
    text = f"{unreviewed.tool} did not review {file}: {reason}"
    return {
        "level": "error",
        "message": {"text": truncate(text, _MAX_TEXT).replace("](", "] (")},
        "locations": [{"physicalLocation": {"artifactLocation": _artifact(unreviewed.file)}}],
    }


def _exceeding_entries(unreviewed: Iterable[Unreviewed]) -> list[dict[str, Any]]:
    """Return the entries that exceed the limit, as one number for each tool."""
    counts = Counter(u.tool for u in unreviewed)
    return [
        {"level": "error", "message": {"text": f"{tool} did not review {count} more"}}
        for tool, count in sorted(counts.items())
    ]
