"""The report for people: grouped by file, with the lines, the reason, the fix, and one closing line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from msgspec.structs import replace

from wardround.findings import MERGE_CONFLICT, UNMERGED, Finding, Severity, Status, Unreviewed
from wardround.own_command import use_own_command
from wardround.policy.gate import GateOutcome
from wardround.reports.finding_lines import FindingLines, Link, Style, skip_link
from wardround.reports.terminal import disable_wrapping, wrap
from wardround.reports.unreviewed_groups import UnreviewedGroup, unreviewed_groups
from wardround.review_result import ReviewResult
from wardround.text.escaping import one_line

if TYPE_CHECKING:
    from wardround.processors.triage import RuleGroupFold, Triage

_MOST_OF_ALL_FILES = 200
"""The number of findings that a review of all files shows, the most severe; ``--all`` and the reports for
programs have the others."""
_PER_RULE_AND_FILE = 5
"""Number of findings of one rule that a file shows if anything is folded; the rest are counted."""
_MOST_IN_FULL = 10
"""The number of findings that are shown with lines, reasons and fixes; more are shown in a line each."""
_MORE = "wardround: --verbose shows the lines, the reasons and the fixes"

_CODES = {
    "error": "31;1",
    "warn": "33;1",
    "info": "36;1",
    "dim": "2",
    "bold": "1",
    "add": "32",
    "remove": "31",
}


def plain(text: str, style: str) -> str:
    """No style."""
    return text


def colour(text: str, style: str) -> str:
    """Text in the terminal's colours."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def render(review: ReviewResult, style: Style = plain, link: Link = skip_link) -> str:
    """Return the complete report; the last line summarises it, or states how to see the omitted findings."""
    lines = _headline(review, style)
    shown = _most_severe(review, shown_findings(review))
    groups = _group_by_file(shown)
    finding_lines = FindingLines(review, style, link)
    is_compact = not review.verbose and len(shown) > _MOST_IN_FULL
    most = None if review.triage is None else _PER_RULE_AND_FILE
    before = ""
    for path, group in groups:
        lines += [] if path == before else [style(one_line(path), "bold")]
        lines += _file(review, group, finding_lines, most, is_compact)
        before = path
    lines += _omitted_findings_line(review, shown)
    lines += _folded_lines(review, style)
    lines += _unreviewed_lines(review.unreviewed, style)
    lines += statements(review, style)
    folded = len(review.triage.folded) if review.triage is not None else 0
    lines.append(summary_line(review, style) + (f", {folded} folded" if folded else ""))
    lines += [_MORE] if is_compact else []
    return "\n".join(lines) + "\n"


def statements(review: ReviewResult, style: Style = plain) -> list[str]:
    """Return the lines of a review besides its findings, from notes to the verdict."""
    notes = [line for note in review.notes for line in _hint_lines(note, 2, "note: ")]
    if review.is_for_commit:
        return notes
    from wardround.reports.conclusion_lines import conclusion_lines  # most commits show none of them

    return [*notes, *conclusion_lines(review, style)]


def _headline(review: ReviewResult, style: Style) -> list[str]:
    """Return the files with merge conflicts: other findings are meaningless before these are resolved."""
    files = [u.file for u in review.unreviewed if u.reason == UNMERGED]
    files += [
        f.file
        for f in review.open_findings
        if f.defect_class == MERGE_CONFLICT and f.status in review.counted
    ]
    if not files:
        return []
    named = _join_names(sorted(set(files)), "file")
    what = "a merge conflict" if len(set(files)) == 1 else "merge conflicts"
    first, *rest = wrap(f"{what} in {named}: resolve {_it_or_them(len(set(files)))} first", 2, "")
    return [style(first, "error"), *(style(line, "error") for line in rest), ""]


def _counted_only(counts: Counter[str], most: int | None) -> list[str]:
    """Return the rules of a file with more findings than are shown."""
    over = [(rule, count - most) for rule, count in sorted(counts.items()) if most and count > most]
    return [
        f"  and {count} more of {rule} in this file: --all shows {_it_or_them(count)}" for rule, count in over
    ]


def shown_findings(review: ReviewResult) -> list[Finding]:
    """Return the findings that are not folded: errors first, then by file and line, each place and message
    once.
    """
    folded = frozenset() if review.triage is None else review.triage.folded
    unfolded = (finding for finding in review.open_findings if finding.fingerprint not in folded)
    found: dict[tuple[str, tuple[int, int], str], Finding] = {}
    for finding in sorted(unfolded, key=lambda f: (f.severity < Severity.ERROR, f.sort_key)):
        identity = (finding.file, finding.span.start, finding.message)
        first = found.setdefault(identity, finding)
        if first is not finding:
            found[identity] = replace(first, sources=(*first.sources, *finding.sources))
    return list(found.values())


def _most_severe(review: ReviewResult, findings: Sequence[Finding]) -> Sequence[Finding]:
    """Return the findings that are shown: of a change all, of all files the most severe."""
    if not review.change.all_files or review.request.show_all:
        return findings
    ranked = sorted(range(len(findings)), key=lambda index: (-findings[index].severity, index))
    return [findings[index] for index in sorted(ranked[:_MOST_OF_ALL_FILES])]


def _omitted_findings_line(review: ReviewResult, shown: Sequence[Finding]) -> list[str]:
    """Return a line with the number of the findings that ``_most_severe`` excludes."""
    every = shown_findings(review)
    left = len(every) - len(shown)
    if not left:
        return []
    text = f"and {left} more of {len(every)} findings: --all shows {_it_or_them(left)}"
    return [*wrap(text, 2, ""), ""]


def _group_by_file(findings: Sequence[Finding]) -> list[tuple[str, list[Finding]]]:
    """Return the findings that follow one another in one file; a file may have errors, and others later."""
    runs = groupby(findings, key=lambda finding: (finding.severity < Severity.ERROR, finding.file))
    return [(path, list(group)) for (_, path), group in runs]


def _folded_lines(review: ReviewResult, style: Style) -> list[str]:
    """Return the folded findings: a line with the count of each rule, and one for those folded by the
    judge.
    """
    if review.triage is None or not review.triage.folded:
        return []
    by_rule: dict[str, list[Finding]] = {}
    unlikely: list[str] = []
    for finding in review.open_findings:
        if finding.fingerprint not in review.triage.folded:
            continue
        if finding.is_folded:
            unlikely.append(finding.rule)
        else:
            by_rule.setdefault(finding.rule, []).append(finding)
    lines = [style("folded", "bold"), *_folded_rules(review, review.triage, by_rule)]
    if unlikely:
        named = _join_names(unlikely, "rule")
        text = f"{len(unlikely)} less likely ({named}): --all shows {_it_or_them(len(unlikely))}"
        lines += wrap(text, 4, "  ")
    return [*lines, ""]


def _folded_rules(
    review: ReviewResult, triage: Triage, folded: Mapping[str, Sequence[Finding]]
) -> Iterator[str]:
    """Yield the line of each rule with folded findings, by their names."""
    total = Counter(finding.rule for finding in review.open_findings)
    crowds = {crowd.rule: crowd for crowd in triage.crowds}
    for rule, findings in sorted(folded.items()):
        more = " more" if len(findings) < total[rule] else ""
        shown = f"--all shows {_it_or_them(len(findings))}"
        text = f"{len(findings)}{more} of {rule} in {_named_files(findings)}: {shown}"
        offer = _offer(crowds[rule]) if rule in crowds else ""
        yield from _hint_lines(text + offer, 4, "  ")


def _folded_rule(rule: str, findings: Sequence[Finding], total: int) -> str:
    more = " more" if len(findings) < total else ""
    shown = f"--all shows {_it_or_them(len(findings))}"
    return f"{len(findings)}{more} of {rule} in {_named_files(findings)}: {shown}"


def _hint_lines(text: str, indent: int, head: str) -> list[str]:
    """Return a text that may name commands, in lines."""
    return wrap(one_line(use_own_command(text)), indent, head)


def _it_or_them(count: int) -> str:
    return "it" if count == 1 else "them"


def _named_files(findings: Sequence[Finding]) -> str:
    return _join_names([f.file for f in findings], "file")


def _join_names(names: Sequence[str], kind: str) -> str:
    """Return the first of some names of files or rules, without repetition, and the number of the others."""
    different = list(dict.fromkeys(map(one_line, names)))
    named, more = ", ".join(different[:3]), len(different) - 3
    return f"{named} and {more} more {kind}{'' if more == 1 else 's'}" if more > 0 else named


def _offer(crowd: RuleGroupFold) -> str:
    """Return advice about many findings of one rule, as an alternative to reading each."""
    sweep = "fix them all at once"
    if crowd.fixable:
        sweep = f"wardround review --fix fixes {crowd.fixable} at once"
    known = "" if crowd.known <= crowd.shown else f"; the repository has {crowd.known} findings of this rule"
    return f"{known}; {sweep}, or accept them: wardround baseline write"


def _file(
    review: ReviewResult, findings: Sequence[Finding], lines: FindingLines, most: int | None, is_compact: bool
) -> Iterator[str]:
    """Yield the findings of one file, of each rule at most so many."""
    source = [] if is_compact else (review.text_of(findings[0].file) or "").split("\n")
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.rule] += 1
        if most is None or counts[finding.rule] <= most:
            yield from lines.brief(finding) if is_compact else lines.full(finding, source)
    counted = _counted_only(counts, most)
    yield from counted
    if is_compact or counted:
        yield ""


def _unreviewed_lines(unreviewed: Sequence[Unreviewed], style: Style) -> list[str]:
    if not unreviewed:
        return []
    lines = [style("not reviewed", "warn")]
    for group in unreviewed_groups(unreviewed):
        lines += _unreviewed_group(group)
    return [*lines, ""]


def _unreviewed_group(group: UnreviewedGroup) -> list[str]:
    """Return a group in lines; the command that installs several tools stays on one line, to be copied."""
    if not group.tool and len(group.files) > 1:
        with disable_wrapping():
            return _hint_lines(f"{len(group.files)} files: {group.sentence}", 4, "  ")
    files = [one_line(file) for file in group.files]
    named = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return _hint_lines(f"{named}: {group.sentence}", 4, "  ")


def summary_line(review: ReviewResult, style: Style = plain) -> str:
    """Return gate, counts, time, and the unreviewed files, in one line."""
    counted = (finding for finding in review.visible if finding.status in review.counted)
    counts = Counter(finding.severity for finding in counted)
    levels = [level for level in reversed(Severity) if counts[level]]
    named = [f"{counts[level]} {_plural(level, counts[level])}" for level in levels]
    outcome = review.gate.outcome
    colours = {GateOutcome.PASS: "add", GateOutcome.BLOCKED: "error", GateOutcome.INCONCLUSIVE: "warn"}
    files = len(review.reviewed)
    nothing = "no findings" if files or review.unreviewed else "nothing to review"
    parts = [
        ", ".join(named) or nothing,
        f"{files} file{'' if files == 1 else 's'}",
        f"{review.seconds:.2f} s",
        *_unlisted_counts(review),
    ]
    return f"wardround: {style(outcome.value, colours[outcome])} - {', '.join(parts)}"


def _unlisted_counts(review: ReviewResult) -> Iterator[str]:
    """Yield the counts of findings and files that the report does not list."""
    shown = {id(finding) for finding in review.visible}
    existing = [finding for finding in review.findings if finding.status is Status.EXISTING]
    older = sum(id(finding) not in shown for finding in existing)
    suppressed = sum(finding.status is Status.SUPPRESSED for finding in review.findings)
    if older:
        yield f"{older} older not shown"
    if suppressed:
        yield f"{suppressed} suppressed"
    if review.unreviewed:
        yield f"{len({entry.file for entry in review.unreviewed})} not fully reviewed"


def _plural(severity: Severity, count: int) -> str:
    word = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "note"}[severity]
    return word if count == 1 else f"{word}s"
