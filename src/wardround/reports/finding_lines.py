"""One finding in the text report: its position and message, the line of code, the reason and the fix."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from wardround.findings import Finding, Severity, Status, SuggestedFix
from wardround.reports.claim_lines import claim_lines
from wardround.reports.finding_code import fix_diff
from wardround.reports.secret_lines import contains_no_value, mask_line, opens_inside_string
from wardround.reports.terminal import columns, label_lines, line_width, visible_character, visible_part, wrap
from wardround.review_result import ReviewResult
from wardround.text.escaping import one_line

_NOTE = {Status.CAUSED: " (caused by this change)", Status.EXISTING: " (was there before)"}
_FIX_LINES = 12
_REASON_LINES = 2
"""Number of lines of a reason that are shown; ``--verbose`` and ``explain`` show all of them."""
_CUT = "\u2026"

Style = Callable[[str, str], str]
Link = Callable[[str, str], str]
"""(text, address) -> the content as a link."""


def skip_link(text: str, address: str) -> str:
    """No link."""
    return text


def link_text(text: str, address: str) -> str:
    """Text that a terminal opens an address for; see OSC 8. Terminals that do not support it show the
    text.
    """
    if not address.startswith("https://") or not address.isascii() or not address.isprintable():
        return text
    return f"\x1b]8;;{address}\x1b\\{text}\x1b]8;;\x1b\\"


class FindingLines:
    """Renders the findings of one review."""

    def __init__(self, review: ReviewResult, style: Style, link: Link) -> None:
        self._style = style
        self._link = link
        self._is_verbose = review.verbose
        self._notes = {} if review.change.all_files else _NOTE
        self._explained: set[str] = set()

    def brief(self, finding: Finding) -> Iterator[str]:
        """Yield the place and the message; of an error, the fix as well."""
        yield from self._headline(finding)
        fix = finding.suggested_fix
        if finding.severity is Severity.ERROR and fix is not None and not finding.masked:
            yield from label_lines("fix", one_line(fix.description))

    def full(self, finding: Finding, source: Sequence[str]) -> Iterator[str]:
        """Yield everything about a finding; the reason of a rule is shown once in a report.

        Args:
            source: the lines of its file.
        """
        yield from self._headline(finding)
        yield from self._frame(finding, source)
        if finding.rationale and finding.rule not in self._explained:
            yield from self._reason(finding.rationale)
        self._explained.add(finding.rule)
        if finding.claim is not None:
            yield from claim_lines(finding.claim, self._shown_line(finding, source))
        also = [source for source in finding.sources if source != finding.rule]
        if also:
            yield from label_lines("also", one_line(", ".join(also)))
        if finding.suggested_fix is not None and not finding.masked:
            yield from self._fix(finding.suggested_fix, source)
        yield ""

    def _shown_line(self, finding: Finding, source: Sequence[str]) -> str:
        """Return the line that the frame of a finding shows; empty without a frame."""
        number = finding.span.line
        return "" if finding.commit or number > len(source) else source[number - 1]

    def _headline(self, finding: Finding) -> list[str]:
        label = finding.severity.label
        head = f"  {finding.span.line}:{finding.span.column} {label}  "
        rule = f"[{one_line(finding.rule)}]"
        text = f"{one_line(finding.message)} {rule}{self._notes.get(finding.status, '')}"
        lines = wrap(text, 4, head, head.replace(label, self._style(label, label)))
        if finding.url is None:
            return lines
        return [_replace_last(line, rule, self._link(rule, finding.url)) for line in lines]

    def _reason(self, reason: str) -> list[str]:
        lines = label_lines("why", reason)
        if self._is_verbose or len(lines) <= _REASON_LINES:
            return lines
        return [*lines[: _REASON_LINES - 1], f"{lines[_REASON_LINES - 1]} {_CUT}"]

    def _frame(self, finding: Finding, source: Sequence[str]) -> Iterator[str]:
        """Yield the line of the finding, with its span underlined."""
        number = finding.span.line
        if finding.commit or number > len(source):
            return
        gutter = f"{number:>6} | "
        line = source[number - 1].removesuffix("\r")
        if finding.masked:
            inside = opens_inside_string(source, number)
            if inside or not contains_no_value(line, finding.file):
                line = mask_line(line, inside=inside)
        line, start, end = visible_part(line, finding.span, line_width() - len(gutter))
        yield self._style(gutter, "dim") + line
        mark = self._style("^" * (end - start), finding.severity.label)
        yield self._style(" " * (len(gutter) - 2) + "| ", "dim") + " " * start + mark

    def _fix(self, fix: SuggestedFix, source: Sequence[str]) -> Iterator[str]:
        """Yield the fix as a small diff."""
        body = fix_diff(fix, source)
        if not body:
            return
        safety = "" if fix.safe else " (unsafe; check it first)"
        yield from label_lines("fix", one_line(fix.description) + safety)
        for line in body[:_FIX_LINES]:
            yield self._style(_diff_line(line), "add" if line[0] == "+" else "remove")
        if len(body) > _FIX_LINES:
            yield f"         ({len(body) - _FIX_LINES} more lines)"


def _diff_line(line: str) -> str:
    """Return a line of a diff, cut to the width."""
    width = line_width()
    text = f"         {line[0]} {''.join(visible_character(char) for char in line[1 : width + 1])}"
    while columns(text) > width:
        text = text[:-1]
    return text


def _replace_last(line: str, part: str, replacement: str) -> str:
    """Return a line in which the last occurrence of a part is replaced."""
    before, found, after = line.rpartition(part)
    return f"{before}{replacement}{after}" if found else line
