"""The Markdown report: outcome, verdict, planes, findings with their code and fix, and what was not reviewed.

It is made from the review itself. Everything of the change is escaped, or in a fence that is longer than any
in it; text that exceeds a limit ends at a finding, and the rest is counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from wardround.findings import Finding, Severity, SuggestedFix, Unreviewed
from wardround.lazy import LazyPattern
from wardround.planes.signal import Signal
from wardround.reports import statements, text, truncate
from wardround.reports.finding_code import code_lines, fix_diff
from wardround.reports.rule_address import linkable_address
from wardround.reports.unreviewed_groups import unreviewed_groups
from wardround.review_result import ReviewResult
from wardround.text.escaping import markdown_code, markdown_text, one_line

_MOST_FIX_LINES = 20
_LONGEST_LINE = 200
_LONGEST_TEXT = 2_000
_LONGEST_LIST = 50
_LABELS = {Severity.ERROR: "Error", Severity.WARN: "Warning", Severity.INFO: "Note"}
_FENCE = LazyPattern(r"`{3,}")
_PLANES = "| Plane | Status | Most severe | Confidence |\n|---|---|---|---|"
_ROOM = 400
"""Bytes for the line that counts what is left out."""


def render(review: ReviewResult) -> str:
    """Return the complete report."""
    return render_within(review, None)


def render_within(review: ReviewResult, most: int | None, headline: str | None = None) -> str:
    """Return the report with at most ``most`` bytes of UTF-8.

    Args:
        headline: a sentence about the comparison.
    """
    before, after = _before_findings(review, headline), _after_findings(review)
    before += _title(review)
    blocks = list(_finding_blocks(review))
    if most is not None:
        blocks = _blocks_within(blocks, most - sum(map(_size, [*before, *after])) - _ROOM)
    return "\n\n".join([*before, *blocks, *after]) + "\n"


def _before_findings(review: ReviewResult, headline: str | None) -> list[str]:
    verdict = review.conclusion.verdict
    blocks = [f"### wardround: {review.gate.outcome.value}"]
    blocks += [] if headline is None else [markdown_text(headline)]
    blocks += bullet_list("", map(one_line, review.gate.reasons))
    if review.change.files:
        approvals = f", {verdict.approvals} approvals" if verdict.approvals else ""
        name = f"**Verdict: {verdict.name}** ({verdict.tier}{approvals})"
        blocks += [name, *bullet_list("", (reason.text for reason in verdict.reasons))]
        blocks += _planes(review.conclusion.signals)
    return blocks


def _planes(signals: Sequence[Signal]) -> Iterator[str]:
    """Yield the table of the planes that apply, with the reasons of those that are inconclusive."""
    applying = [signal for signal in signals if signal.status.value != "not-applicable"]
    if not applying:
        return
    rows = [
        f"| {signal.plane.value} | {signal.status.value} | {signal.severity} | {signal.confidence} |"
        for signal in applying
    ]
    yield "\n".join([_PLANES, *rows])
    yield from bullet_list("", (f"{s.plane.value}: {reason}" for s in applying for reason in s.reasons))


def _title(review: ReviewResult) -> Iterator[str]:
    found = text.shown_findings(review)
    counts = Counter(finding.severity for finding in found)
    named = ", ".join(f"{counts[level]} {level.label}" for level in reversed(Severity) if counts[level])
    if found:
        yield f"#### Findings ({named})"


def _finding_blocks(review: ReviewResult) -> Iterator[str]:
    """Yield one block for each finding: errors first, then by file and line; a reason once for each rule."""
    explained: set[str] = set()
    for path, group in groupby(text.shown_findings(review), key=lambda finding: finding.file):
        source = (review.text_of(path) or "").split("\n")
        for finding in group:
            yield "\n\n".join(_finding_parts(finding, source, explains=finding.rule not in explained))
            explained.add(finding.rule)


def _finding_parts(finding: Finding, source: Sequence[str], *, explains: bool) -> Iterator[str]:
    place = markdown_code(f"{finding.file}:{finding.span.line}")
    message = markdown_text(truncate(finding.message, _LONGEST_TEXT))
    yield f"**{_LABELS[finding.severity]}** {place} {message} ({rule_link(finding.rule, finding.url)})"
    code = [truncate(line.text, _LONGEST_LINE) for line in code_lines(finding, source)]
    yield from [fenced_block(code)] if code else []
    if finding.rationale and explains:
        yield markdown_text(truncate(" ".join(finding.rationale.split()), _LONGEST_TEXT))
    if finding.suggested_fix is not None and not finding.masked:
        yield from _fix(finding.suggested_fix, source)


def rule_link(rule: str, url: str | None) -> str:
    """Return the name of a rule as Markdown, with a link to its page if it has one."""
    address = linkable_address(url)
    return f"[{markdown_code(rule)}]({address})" if address else markdown_code(rule)


def _fix(fix: SuggestedFix, source: Sequence[str]) -> Iterator[str]:
    """Yield the fix as a diff."""
    diff = [truncate(line, _LONGEST_LINE) for line in fix_diff(fix, source)]
    if diff:
        safety = "" if fix.safe else " (check it first)"
        yield f"Fix{safety}: {markdown_text(truncate(fix.description, _LONGEST_TEXT))}"
        yield fenced_block(diff[:_MOST_FIX_LINES], "diff")


def fenced_block(lines: Sequence[str], language: str = "") -> str:
    """Return lines as a block of code that nothing in them can end."""
    body = "\n".join(_printable(line) for line in lines)
    fence = "`" * max(3, 1 + max(map(len, _FENCE.findall(body)), default=2))
    return f"{fence}{language}\n{body}\n{fence}"


def _printable(line: str) -> str:
    """Return a line of code, in which only tabs remain of what cannot be printed."""
    return "\t".join(map(one_line, line.removesuffix("\r").split("\t")))


def _after_findings(review: ReviewResult) -> list[str]:
    return [
        *bullet_list("Not reviewed", unreviewed_lines(review.unreviewed)),
        *bullet_list("Run", statements.run_results(review)),
        *bullet_list("Notes", statements.notes(review)),
        *bullet_list("Not shown", [*statements.held_back(review), *statements.folded_counts(review)]),
        markdown_text(text.summary_line(review)),
    ]


def unreviewed_lines(unreviewed: Sequence[Unreviewed]) -> Iterator[str]:
    """Yield a line for each reason, with the number of files."""
    for group in unreviewed_groups(unreviewed):
        first, *others = group.files
        more = f" and {len(others)} more" if others else ""
        yield f"{first}{more}: {group.sentence}"


def bullet_list(title: str, lines: Iterable[str]) -> list[str]:
    """Return lines of text as blocks of Markdown: a title, and a list that counts what it leaves out."""
    items = [f"- {markdown_text(truncate(line, _LONGEST_TEXT))}" for line in lines]
    if len(items) > _LONGEST_LIST:
        items = [*items[:_LONGEST_LIST], f"- and {len(items) - _LONGEST_LIST} more in report.json"]
    if not items:
        return []
    return [f"**{title}**"] * bool(title) + ["\n".join(items)]


def _blocks_within(blocks: Sequence[str], room: int) -> list[str]:
    """Return the first blocks that fit, and a line with the number of the others."""
    retained: list[str] = []
    for number, block in enumerate(blocks):
        room -= _size(block)
        if room < 0:
            left = len(blocks) - number
            return [*retained, f"and {left} more finding{'' if left == 1 else 's'} in report.json"]
        retained.append(block)
    return retained


def _size(block: str) -> int:
    return len(block.encode("utf-8", "backslashreplace")) + 2
