"""One review as a page of the tab of reviews."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from wardround.planes.evidence import FindingEvidence
from wardround.planes.signal import Signal
from wardround_lab.dashboard import markup
from wardround_lab.dashboard.downloads import record_download
from wardround_lab.dashboard.markup import Cell, Column, Link, Table
from wardround_lab.dashboard.views.review import ExplainedLine, Review

_SIGNALS = (
    Column("Plane"),
    Column("Status", "tag"),
    Column("Severity", "tag"),
    Column("Confidence", "number"),
    Column("Findings", "number"),
    Column("Missing evidence"),
)
_FINDINGS = (
    Column("Severity", "tag"),
    Column("Rule", "code"),
    Column("Place", "code"),
    Column("Finding"),
    Column("Status", "tag"),
    Column("Plane"),
)
_LINES = (
    Column("Effect", "tag"),
    Column("Line of the policy", "code"),
    Column("At least", "tag"),
    Column("Because"),
)
_MISSING = (Column("File", "code"), Column("Specialist"), Column("Tool"), Column("Reason"))


def review_page(review: Review) -> Markup:
    """Return the page of one review."""
    return markup.join(
        markup.actions(Link("All reviews", {"tab": "reviews"}), record_download(review.stored.digest)),
        markup.section(_title(review), _facts(review)),
        markup.section("Why this verdict", *_reasons(review)),
        markup.section(
            "Signals", markup.table(Table("", _SIGNALS, [_signal(item) for item in review.signals]))
        ),
        markup.section(f"Findings ({len(review.findings)})", _findings(review.findings)),
        _missing(review),
    )


def _title(review: Review) -> str:
    subject = next(iter(review.record.evidence.messages), "").partition("\n")[0]
    return subject or f"Review of {review.stored.repository}"


def _facts(review: Review) -> Markup:
    stored, record = review.stored, review.record
    origin = record.origin
    pairs: list[tuple[str, Cell]] = [
        ("Verdict", markup.tag(stored.verdict)),
        ("Tier", stored.tier),
        ("Gate", markup.tag(record.gate.outcome)),
        ("Signature", markup.join(markup.tag(review.signature.state), markup.note(review.signature.detail))),
        ("Time (UTC)", markup.minutes(stored.created)),
        ("Repository", stored.repository),
        ("Author", stored.author or None),
        ("Base", stored.base or None),
        ("Head", stored.head or None),
        ("Policy", review.verdict.policy),
        ("Pull request", origin.change_request if origin and origin.change_request else None),
        ("Version", record.components.version),
        ("Record", f"sha256:{stored.digest}"),
        ("Size", f"{review.size:,} bytes"),
    ]
    return markup.facts((label, value) for label, value in pairs if value is not None)


def _reasons(review: Review) -> Sequence[Markup]:
    texts = [_reason(reason.text, reason.policy, reason.planes) for reason in review.verdict.reasons]
    effective = [line for line in review.lines if line.effect != "does not apply"]
    others = [line for line in review.lines if line.effect == "does not apply"]
    folded = markup.fold(f"{len(others)} lines of the policy do not apply", _lines(others))
    return [markup.items(texts), _lines(effective), *([folded] if others else [])]


def _reason(text: str, policy: str, planes: Sequence[str]) -> str:
    source = policy or ", ".join(planes)
    return f"{text} ({source})" if source else text


def _lines(lines: Sequence[ExplainedLine]) -> Markup:
    rows = [[item.effect, item.line.line, item.line.verdict, item.line.text] for item in lines]
    return markup.table(Table("", _LINES, rows))


def _signal(signal: Signal) -> Sequence[Cell]:
    return [
        signal.plane,
        signal.status,
        signal.severity,
        signal.confidence,
        len(signal.findings),
        "; ".join(signal.reasons) or None,
    ]


def _findings(findings: Sequence[FindingEvidence]) -> Markup:
    if not findings:
        return markup.note("The review has no findings.")
    rows: list[Sequence[Cell]] = [
        [
            finding.severity,
            Link(finding.rule, {"tab": "rules", "rule": finding.rule}),
            f"{finding.file}:{finding.line}",
            finding.message,
            finding.status,
            finding.plane,
        ]
        for finding in findings
    ]
    return markup.table(Table("", _FINDINGS, rows))


def _missing(review: Review) -> Markup:
    missing = review.record.evidence.missing
    if not missing:
        return Markup()
    rows = [[item.file, item.specialist, item.tool, item.reason] for item in missing]
    return markup.section("Not reviewed", markup.table(Table("", _MISSING, rows)))
