"""The report for people: grouped by file, with the lines, the reason, the fix, and one closing line."""

from __future__ import annotations

import difflib
import re
import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from wardround.findings import Finding, Severity, Status, SuggestedFix, Unreviewed
from wardround.fixes.edits import apply
from wardround.reports import harmless
from wardround.review import Review
from wardround.rules import Rule
from wardround.verdict.gate import Outcome

WIDTH = 80
_PER_RULE_AND_FILE = 5
"""How many findings of one rule a file shows; the rest are counted."""
_FIX_LINES = 12
_STRING = re.compile(r"""("{3}|'{3}|"|')(.*?)(\1|$)""")

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


def render(review: Review, style: Style = plain) -> str:
    """The whole report; the last line sums it up."""
    shown = [f for f in review.visible if f.status is not Status.SUPPRESSED]
    lines: list[str] = []
    for path, group in groupby(shown, key=lambda f: f.file):
        lines += [style(harmless(path), "bold"), *_file(review, list(group), style)]
    lines += _not_reviewed(review.unreviewed, style)
    lines.append(closing_line(review, style))
    return "\n".join(lines) + "\n"


def _file(review: Review, findings: Sequence[Finding], style: Style) -> Iterator[str]:
    source = (review.text_of(findings[0].file) or "").split("\n")
    counts: Counter[str] = Counter()
    for finding in findings:
        counts[finding.rule] += 1
        if counts[finding.rule] <= _PER_RULE_AND_FILE:
            yield from _finding(finding, source, style)
    for rule, count in sorted(counts.items()):
        if count > _PER_RULE_AND_FILE:
            yield f"  and {count - _PER_RULE_AND_FILE} more of {rule} in this file"
    yield ""


def _finding(finding: Finding, source: Sequence[str], style: Style) -> Iterator[str]:
    place = f"{finding.span.line}:{finding.span.column}"
    label = finding.severity.label
    note = {Status.CAUSED: " (caused by this change)", Status.EXISTING: " (was there before)"}
    head = f"  {place} {label}  "
    body = _wrapped(f"{harmless(finding.message)}  [{finding.rule}]{note.get(finding.status, '')}", 4)
    yield head.replace(label, style(label, label)) + body[0].lstrip()
    yield from body[1:]
    yield from _frame(finding, source, style)
    also = [s for s in finding.sources if s != finding.rule]
    if finding.rationale:
        yield from _labelled("why", finding.rationale)
    if also:
        yield from _labelled("also", ", ".join(also))
    if finding.suggested_fix is not None and not finding.masked:
        yield from _fix(finding.suggested_fix, source, style)
    yield ""


def _labelled(label: str, text: str) -> list[str]:
    lines = _wrapped(" ".join(text.split()), 9)
    return [f"    {label:<4} {lines[0].lstrip()}", *lines[1:]]


def _wrapped(text: str, indent: int) -> list[str]:
    pad = " " * indent
    return textwrap.wrap(
        text, WIDTH, initial_indent=pad, subsequent_indent=pad, break_on_hyphens=False, break_long_words=False
    ) or [pad]


def _frame(finding: Finding, source: Sequence[str], style: Style) -> Iterator[str]:
    """The line the finding points at, with the place underlined."""
    number = finding.span.line
    if number > len(source):
        return
    gutter = f"{number:>6} | "
    line, start, end = _window(source[number - 1].removesuffix("\r"), finding, WIDTH - len(gutter))
    if finding.masked:
        line = masked(line)
    yield style(gutter, "dim") + line
    mark = "^" * max(1, min(end, len(line) + 1) - start)
    yield (
        style(" " * (len(gutter) - 2) + "| ", "dim") + " " * (start - 1) + style(mark, finding.severity.label)
    )


def _window(line: str, finding: Finding, width: int) -> tuple[str, int, int]:
    """A line as it can be shown: tabs as spaces, control characters visible, cut to the width."""
    span = finding.span
    end = span.end_column if span.end_line == span.line else len(line) + 1
    cells = [_cell(char) for char in line]
    start = len("".join(cells[: span.column - 1]))
    stop = max(start + 1, len("".join(cells[: end - 1])))
    text = "".join(cells)
    if len(text) > width:
        left = max(0, min(start - width // 3, len(text) - width))
        text = text[left : left + width]
        start, stop = start - left, min(stop - left, width)
    return text, start + 1, stop + 1


def _cell(char: str) -> str:
    if char == "\t":
        return "    "
    return char if char.isprintable() else "\ufffd"


def masked(line: str) -> str:
    """A line with the contents of its strings reduced to a hint of two characters."""
    return _STRING.sub(lambda m: f"{m[1]}{m[2][:2]}***{m[3]}" if m[2] else m[0], line)


def _fix(fix: SuggestedFix, source: Sequence[str], style: Style) -> Iterator[str]:
    """The fix as a small diff."""
    before = "\n".join(source)
    try:
        after = apply(before, fix.edits)
    except ValueError:
        return
    yield from _labelled("fix", harmless(fix.description) + ("" if fix.safe else " (look before you apply it)"))
    diff = list(difflib.unified_diff(before.split("\n"), after.split("\n"), lineterm="", n=0))[2:]
    body = [line for line in diff if not line.startswith("@@")]
    for line in body[:_FIX_LINES]:
        text = f"         {line[0]} {''.join(_cell(c) for c in line[1:])}"[:WIDTH]
        yield style(text, "add" if line[0] == "+" else "remove")
    if len(body) > _FIX_LINES:
        yield f"         ({len(body) - _FIX_LINES} more lines)"


def _not_reviewed(unreviewed: Sequence[Unreviewed], style: Style) -> list[str]:
    if not unreviewed:
        return []
    lines = [style("not reviewed", "warn")]
    ordered = sorted(unreviewed, key=lambda u: (u.tool, u.reason, u.file))
    for (tool, reason), group in groupby(ordered, key=lambda u: (u.tool, u.reason)):
        files = [harmless(u.file) for u in group]
        named = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
        lines += _wrapped(f"{tool}: {harmless(reason)}: {named}", 2)
    return [*lines, ""]


def closing_line(review: Review, style: Style = plain) -> str:
    """Gate, counts, time, and what was not reviewed, in one line."""
    brought = [f for f in review.visible if f.status in (Status.NEW, Status.CAUSED)]
    counts = Counter(f.severity for f in brought)
    named = [f"{counts[s]} {_plural(s, counts[s])}" for s in reversed(Severity) if counts[s]]
    outcome = review.gate.outcome
    colour = {Outcome.PASS: "add", Outcome.BLOCKED: "error", Outcome.INCONCLUSIVE: "warn"}[outcome]
    files = len(review.reviewed)
    parts = [
        ", ".join(named) or "no findings",
        f"{files} file{'' if files == 1 else 's'}",
        f"{review.seconds:.2f} s",
    ]
    older = sum(1 for f in review.findings if f.status is Status.EXISTING and f not in review.visible)
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


def render_rule(rule: Rule, same_defect: Sequence[str] = ()) -> str:
    """A rule as ``wardround explain`` shows it, with the rules that report the same defect."""
    lines = [f"{rule.id}  {rule.name}", ""]
    for paragraph in rule.why.split("\n\n"):
        lines += [*_wrapped(" ".join(paragraph.split()), 0), ""]
    lines += [
        f"severity      {rule.severity.label}",
        f"plane         {rule.plane}",
        f"defect class  {rule.defect_class}",
        f"reported by   {', '.join(rule.reported_by)}",
    ]
    if same_defect:
        lines.append(f"same defect   {', '.join(same_defect)}")
    if rule.url:
        lines.append(f"more          {rule.url}")
    for title, cases in (("reported", rule.invalid), ("not reported", rule.valid)):
        if cases:
            lines += ["", f"{title}:"]
            for case in cases[:3]:
                lines += ["", *(f"    {line}" for line in case.strip("\n").split("\n"))]
    lines += ["", "to waive it at one place, in a comment on the line or the line above:", ""]
    lines += [f"    wardround: ignore[{rule.id}] the reason", ""]
    lines += ["to change it for a folder, in .wardround.toml or pyproject.toml:", ""]
    lines += ["    [tool.wardround.rules]        # [rules] in .wardround.toml", f'    "{rule.id}" = "off"']
    return "\n".join(lines) + "\n"
