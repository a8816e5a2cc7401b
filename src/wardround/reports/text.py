"""The report for people: grouped by file, with the lines, the reason, the fix, and one closing line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from wardround.checks.lazy import LazyPattern
from wardround.findings import (
    MERGE_CONFLICT,
    UNMERGED,
    Finding,
    Severity,
    Span,
    Status,
    SuggestedFix,
    Unreviewed,
)
from wardround.fixes.edits import apply
from wardround.policy.gate import GateOutcome
from wardround.review import ReviewResult
from wardround.text.escaping import one_line

if TYPE_CHECKING:
    from wardround.processors.triage import RuleGroupFold

WIDTH = 80
_PER_RULE_AND_FILE = 5
"""How many findings of one rule a file shows where anything is folded; the rest are counted."""
_MOST_IN_FULL = 10
"""How many findings are shown with lines, reasons and fixes; more are shown in a line each."""
_MORE = "wardround: --verbose shows the lines, the reasons and the fixes"
_SHORTEST_MESSAGE = 24
_NOTE = {Status.CAUSED: " (caused by this change)", Status.EXISTING: " (was there before)"}
_FIX_LINES = 12
_BEFORE_STRING = LazyPattern(
    r"""(\s*(?:-\s+)?(?:(?:export|const|let|var|val|final|static|private|public|readonly|return|await|def|set)\s+)*"""
    r"""(?:[A-Za-z_][\w.]{0,60}(?:\s*:\s*[A-Za-z_.\[\]| ]{1,40})?\s*(?::=|=>|[=(:+]{1,2})\s*)?"""
    r"""(?:[A-Za-z_.]{1,60}\s*[=(:]\s*)?[\s(\[{]*[A-Za-z]{0,2}(?:"{3}|'{3}|["'`]))(.*)"""
)
"""What may stand before a string in a line whose secret is somewhere: names and operators, no bare value."""
_VALUE_LIKE = LazyPattern(r"(?=[A-Za-z_.]*\d)[\w.]{16,}")
_PYTHON = (".py", ".pyi", ".pyw")
_REFERENCE = LazyPattern(r"\$\{\{[^{}]*\}\}|\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*")
"""A variable of a shell, a Dockerfile or a workflow, without a default."""
_NAME_WITHOUT_VALUE = LazyPattern(
    r"\s*(?:(?:ARG|ENV)\s+[A-Z][A-Z0-9_]*\s*=?|(?:export\s+|-\s+)?[A-Za-z_]\w*\s*[=:])\s*"
)
_NO_SECRET = LazyPattern(
    r"""(?<=environ\[)(["'])\w+\1|(?<=getenv\()(["'])\w+\2|(?<=environ\.get\()(["'])\w+\3"""
    r"""|(["'])[a-z_]+\4(?=\s*:)|(["'])(?:none|[HREP]S\d{3})\5"""
)
"""Strings of Python that name something: a variable of the environment, a key, an algorithm."""
_QUOTE_OR_COMMENT = LazyPattern(r"[\"'#]")
_HIDDEN = 8
"""How much of a line must follow a string's start before two characters of it may be shown."""

Style = Callable[[str, str], str]
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


def coloured(text: str, style: str) -> str:
    """Text in the terminal's colours."""
    return f"\x1b[{_CODES[style]}m{text}\x1b[0m"


def render(review: ReviewResult, style: Style = plain) -> str:
    """The whole report; the last line sums it up, or says how to see more of many findings."""
    lines = _headline(review, style)
    groups = _by_file(review)
    is_compact = not review.verbose and sum(len(group) for _, group in groups) > _MOST_IN_FULL
    if is_compact:
        lines += _compact(review, groups, style)
    else:
        explained: set[str] = set()
        for path, group in groups:
            lines += [style(one_line(path), "bold"), *_file(review, group, style, explained)]
    lines += _folded(review, style)
    lines += _not_reviewed(review.unreviewed, style)
    lines += [line for note in review.notes for line in _wrapped(one_line(note), 2, "note: ")]
    folded = len(review.triage.folded) if review.triage is not None else 0
    lines.append(summary_line(review, style) + (f", {folded} folded" if folded else ""))
    lines += [_MORE] if is_compact else []
    return "\n".join(lines) + "\n"


def _headline(review: ReviewResult, style: Style) -> list[str]:
    """The files with merge conflicts: nothing else counts before these are resolved."""
    files = [u.file for u in review.unreviewed if u.reason == UNMERGED]
    files += [
        f.file
        for f in review.open_findings
        if f.defect_class == MERGE_CONFLICT and f.status in (Status.NEW, Status.CAUSED)
    ]
    if not files:
        return []
    named = _listed(sorted(set(files)))
    what = "a merge conflict" if len(set(files)) == 1 else "merge conflicts"
    first, *rest = _wrapped(f"{what} in {named}: resolve {_it_or_them(len(set(files)))} first", 2, "")
    return [style(first, "error"), *(style(line, "error") for line in rest), ""]


def _compact(
    review: ReviewResult, groups: Sequence[tuple[str, Sequence[Finding]]], style: Style
) -> Iterator[str]:
    """Many findings, a line each: files with errors first, and in a file the errors, with what fixes them."""
    most = None if review.triage is None else _PER_RULE_AND_FILE
    for path, group in sorted(groups, key=lambda pair: -max(f.severity for f in pair[1])):
        yield style(one_line(path), "bold")
        counts: Counter[str] = Counter()
        for finding in sorted(group, key=lambda f: -f.severity):
            counts[finding.rule] += 1
            if most is None or counts[finding.rule] <= most:
                yield from _in_a_line(finding, style)
        yield from _counted_only(counts, most)
        yield ""


def _in_a_line(finding: Finding, style: Style) -> Iterator[str]:
    label = finding.severity.label
    head = f"  {finding.span.line}:{finding.span.column} {label}  "
    tail = f" [{one_line(finding.rule)}]{_NOTE.get(finding.status, '')}"
    message = _cut(one_line(finding.message), max(WIDTH - len(head) - columns(tail), _SHORTEST_MESSAGE))
    yield head.replace(label, style(label, label)) + message + tail
    fix = finding.suggested_fix
    if finding.severity is Severity.ERROR and fix is not None and not finding.masked:
        yield from _labelled("fix", _cut(one_line(fix.description), WIDTH - 9))


def _cut(text: str, width: int) -> str:
    """Text of at most so many columns; a cut is shown."""
    if columns(text) <= width:
        return text
    while columns(text) >= width:
        text = text[:-1]
    return f"{text.rstrip()}{_CUT}"


def _counted_only(counts: Counter[str], most: int | None) -> list[str]:
    """The rules of a file of which more was found than is shown."""
    over = [(rule, count - most) for rule, count in sorted(counts.items()) if most and count > most]
    return [
        f"  and {count} more of {rule} in this file: --all shows {_it_or_them(count)}" for rule, count in over
    ]


def _by_file(review: ReviewResult) -> list[tuple[str, list[Finding]]]:
    """The findings that are not folded: in the order of places, or the first to look at first.

    Of one rule, those of a file stay together.
    """
    shown, triage = review.open_findings, review.triage
    if triage is None:
        return [(path, list(group)) for path, group in groupby(shown, key=lambda f: f.file)]
    files: dict[str, dict[str, list[Finding]]] = {}
    for finding in sorted(shown, key=lambda f: triage.order[f.fingerprint]):
        if finding.fingerprint not in triage.folded:
            files.setdefault(finding.file, {}).setdefault(finding.rule, []).append(finding)
    return [
        (path, [f for group in rules.values() for f in sorted(group, key=lambda f: f.sort_key)])
        for path, rules in files.items()
    ]


def _folded(review: ReviewResult, style: Style) -> list[str]:
    """What is counted only, a line for each rule."""
    if review.triage is None or not review.triage.folded:
        return []
    folded: dict[str, list[Finding]] = {}
    total = Counter(f.rule for f in review.open_findings)
    for finding in review.open_findings:
        if finding.fingerprint in review.triage.folded:
            folded.setdefault(finding.rule, []).append(finding)
    crowds = {crowd.rule: crowd for crowd in review.triage.crowds}
    lines = [style("folded", "bold")]
    for rule, findings in sorted(folded.items()):
        more = " more" if len(findings) < total[rule] else ""
        them = _it_or_them(len(findings))
        text = f"{len(findings)}{more} of {rule} in {_named_files(findings)}: --all shows {them}"
        if rule in crowds:
            text += _offer(crowds[rule])
        lines += _wrapped(text, 4, "  ")
    return [*lines, ""]


def _it_or_them(count: int) -> str:
    return "it" if count == 1 else "them"


def _named_files(findings: Sequence[Finding]) -> str:
    return _listed(list(dict.fromkeys(f.file for f in findings)))


def _listed(paths: Sequence[str]) -> str:
    """The first of some paths, and how many more there are."""
    files = [one_line(path) for path in paths]
    named, more = ", ".join(files[:3]), len(files) - 3
    return f"{named} and {more} more file{'' if more == 1 else 's'}" if more > 0 else named


def _offer(crowd: RuleGroupFold) -> str:
    """What to do about many findings of one rule, in place of looking at each."""
    sweep = "mend them in one sweep"
    if crowd.fixable:
        sweep = f"wardround review --fix mends {crowd.fixable} in one sweep"
    return f"; {crowd.known} of this rule are known here: {sweep}, or accept them: wardround baseline write"


def _file(
    review: ReviewResult, findings: Sequence[Finding], style: Style, explained: set[str]
) -> Iterator[str]:
    """The findings of one file; why a rule matters is said once in a report, and kept in ``explained``."""
    source = (review.text_of(findings[0].file) or "").split("\n")
    most = len(findings) if review.triage is None else _PER_RULE_AND_FILE
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.rule] += 1
        if counts[finding.rule] <= most:
            yield from _finding(finding, source, style, finding.rule not in explained)
            explained.add(finding.rule)
    folded = _counted_only(counts, most)
    yield from folded
    if folded:
        yield ""


def _finding(finding: Finding, source: Sequence[str], style: Style, explain: bool) -> Iterator[str]:
    place = f"{finding.span.line}:{finding.span.column}"
    label = finding.severity.label
    head = f"  {place} {label}  "
    text = f"{one_line(finding.message)}  [{one_line(finding.rule)}]{_NOTE.get(finding.status, '')}"
    yield from _wrapped(text, 4, head, head.replace(label, style(label, label)))
    yield from _frame(finding, source, style)
    also = [s for s in finding.sources if s != finding.rule]
    if finding.rationale and explain:
        yield from _labelled("why", finding.rationale)
    if also:
        yield from _labelled("also", one_line(", ".join(also)))
    if finding.suggested_fix is not None and not finding.masked:
        yield from _fix(finding.suggested_fix, source, style)
    yield ""


def _labelled(label: str, text: str) -> list[str]:
    return _wrapped(" ".join(text.split()), 9, f"    {label:<4} ")


def _wrapped(text: str, indent: int, head: str | None = None, styled_head: str | None = None) -> list[str]:
    """Text in lines of at most ``WIDTH`` columns, all but the first indented; a head takes that one's indent.

    Args:
        styled_head: what is printed for the head, which is as wide.
    """
    pad = " " * indent
    head = pad if head is None else head
    lines = [head if styled_head is None else styled_head]
    used, is_fresh = len(head), True
    for piece in _pieces(text, WIDTH - indent):
        width = columns(piece)
        if used + width + (not is_fresh) > WIDTH and not (is_fresh and used == indent):
            lines.append(pad)
            used, is_fresh = indent, True
        lines[-1] += piece if is_fresh else f" {piece}"
        used, is_fresh = used + width + (not is_fresh), False
    return lines


def _pieces(text: str, limit: int) -> Iterator[str]:
    """The words of a text, in parts where one is wider than a line."""
    for word in text.split():
        piece, used = "", 0
        for char in word if columns(word) > limit else ():
            if used + columns(char) > limit:
                yield piece
                piece, used = "", 0
            piece, used = piece + char, used + columns(char)
        yield piece or word


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text
    )


def _frame(finding: Finding, source: Sequence[str], style: Style) -> Iterator[str]:
    """The line the finding points at, with the place underlined."""
    number = finding.span.line
    if number > len(source):
        return
    gutter = f"{number:>6} | "
    line = source[number - 1].removesuffix("\r")
    if finding.masked:
        inside = _opens_inside_string(source, number)
        if inside or not holds_no_value(line, finding.file):
            line = masked(line, inside=inside)
    line, start, end = _window(line, finding.span, WIDTH - len(gutter))
    yield style(gutter, "dim") + line
    mark = "^" * (end - start)
    yield style(" " * (len(gutter) - 2) + "| ", "dim") + " " * start + style(mark, finding.severity.label)


def _window(line: str, span: Span, width: int) -> tuple[str, int, int]:
    """A line as it can be shown: tabs as spaces, control characters visible, cut to the width.

    Returns:
        The text, and the columns from and to which it is to be marked, 0-based.
    """
    begin = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    far = max(0, begin - width)  # what is further off is never shown, and lines can be long
    line = line[far : begin + 2 * width]
    begin, end = begin - far, min(end - far, len(line))
    cells = [_cell(char) for char in line]
    widths = [columns(cell) for cell in cells]
    start, total = sum(widths[:begin]), sum(widths)
    stop = max(start + 1, sum(widths[:end]))
    left = gone = 0
    while total - gone > width and gone < start - width // 3:
        gone += widths[left]
        left += 1
    right, used = left, 0
    while right < len(cells) and used + widths[right] <= width:
        used += widths[right]
        right += 1
    start = min(start - gone, width - 1)
    shown = cells[left:right]
    if (far or left) and shown and start > 0:
        shown[0] = _CUT * widths[left]
    if right < len(cells) and stop - gone < used:
        shown[-1] = _CUT * widths[right - 1]
    return "".join(shown), start, max(start + 1, min(stop - gone, width))


_CUT = "\u2026"
"""Stands where a line is cut."""


def _cell(char: str) -> str:
    if char == "\t":
        return "    "
    return one_line(char)


def masked(line: str, *, inside: bool = False) -> str:
    """A line with a secret, reduced to what stands before the first string and a hint of two characters.

    Args:
        inside: the line begins inside a string, so that none of it may be shown.
    """
    match = None if inside else _BEFORE_STRING.match(line)
    if match is None or _VALUE_LIKE.search(match[1]):
        return f"{line[: len(line) - len(line.lstrip())]}***"
    hint = match[2][:2] if len(match[2]) > _HIDDEN else ""
    return f"{match[1]}{hint}***"


def holds_no_value(line: str, path: str) -> bool:
    """Return True if no secret can stand in a line: it has names, and no value but by reference."""
    rest = _REFERENCE.sub("", line)
    if not path.endswith(_PYTHON):
        return _NAME_WITHOUT_VALUE.fullmatch(rest) is not None
    rest = _NO_SECRET.sub("", rest)
    return not _QUOTE_OR_COMMENT.search(rest) and not _VALUE_LIKE.search(rest)


def _opens_inside_string(source: Sequence[str], number: int) -> bool:
    """Whether a string of several lines is open where a line begins."""
    before = "\n".join(source[: number - 1])
    return any(before.count(quotes) % 2 for quotes in ('"""', "'''"))


def _fix(fix: SuggestedFix, source: Sequence[str], style: Style) -> Iterator[str]:
    """The fix as a small diff."""
    before = "\n".join(source)
    try:
        after = apply(before, fix.edits)
    except ValueError:
        return
    yield from _labelled(
        "fix", one_line(fix.description) + ("" if fix.safe else " (look before you apply it)")
    )
    import difflib

    diff = list(difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0))[2:]
    body = [line for line in diff if not line.startswith("@@")]
    for line in body[:_FIX_LINES]:
        text = f"         {line[0]} {''.join(_cell(c) for c in line[1 : WIDTH + 1])}"
        while columns(text) > WIDTH:
            text = text[:-1]
        yield style(text, "add" if line[0] == "+" else "remove")
    if len(body) > _FIX_LINES:
        yield f"         ({len(body) - _FIX_LINES} more lines)"


def _not_reviewed(unreviewed: Sequence[Unreviewed], style: Style) -> list[str]:
    if not unreviewed:
        return []
    lines = [style("not reviewed", "warn")]
    ordered = sorted(unreviewed, key=lambda u: (u.tool, u.reason, u.file))
    for (tool, reason), group in groupby(ordered, key=lambda u: (u.tool, u.reason)):
        files = [one_line(u.file) for u in group]
        named = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
        who = "" if reason.startswith((f"{tool} ", "it ")) else f"{tool}: "
        lines += _wrapped(f"{named}: {who}{one_line(reason)}", 4, "  ")
    return [*lines, ""]


def summary_line(review: ReviewResult, style: Style = plain) -> str:
    """Gate, counts, time, and what was not reviewed, in one line."""
    brought = [f for f in review.visible if f.status in (Status.NEW, Status.CAUSED)]
    counts = Counter(f.severity for f in brought)
    named = [f"{counts[s]} {_plural(s, counts[s])}" for s in reversed(Severity) if counts[s]]
    outcome = review.gate.outcome
    colour = {GateOutcome.PASS: "add", GateOutcome.BLOCKED: "error", GateOutcome.INCONCLUSIVE: "warn"}[
        outcome
    ]
    files = len(review.reviewed)
    nothing = "no findings" if files or review.unreviewed else "nothing to review"
    parts = [
        ", ".join(named) or nothing,
        f"{files} file{'' if files == 1 else 's'}",
        f"{review.seconds:.2f} s",
    ]
    shown = {id(f) for f in review.visible}
    older = sum(1 for f in review.findings if f.status is Status.EXISTING and id(f) not in shown)
    suppressed = sum(1 for f in review.findings if f.status is Status.SUPPRESSED)
    if older:
        parts.append(f"{older} older not shown")
    if suppressed:
        parts.append(f"{suppressed} suppressed")
    if review.unreviewed:
        parts.append(f"{len({u.file for u in review.unreviewed})} not fully reviewed")
    return f"wardround: {style(outcome.value, colour)} - {', '.join(parts)}"


def _plural(severity: Severity, count: int) -> str:
    word = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "note"}[severity]
    return word if count == 1 else f"{word}s"
