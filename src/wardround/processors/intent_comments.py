"""Comments next to a finding that state that the code is intended.

Such a comment lowers a warning to a note in reports: its author knows of the problem. Errors and findings
about security are never lowered, and signals and verdicts count the warning.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from wardround.findings import Finding, Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.processors.model import ChangeTexts, PipelineInputs, ReviewFindings

_COMMENT = LazyPattern(r"(?:^|(?<=[\s;{}(),]))(?:#|//|--|/\*+|<!--|\*(?=\s))\s*(?P<text>\S.*)$")
_ONLY_COMMENT = LazyPattern(r"^\s*(?:#|//|--|/\*|<!--|\*(?:\s|/|$))")
_STATES = LazyPattern(
    r"(?i)\bintention(?:al(?:ly)?)?\b|\bon purpose\b|\bdeliberate(?:ly)?\b|\bby design\b|\bharmless\b"
    r"|\bbest[ -]effort\b|\bfire[ -]and[ -]forget\b|\b(?:this|it) is (?:fine|safe|ok|okay|expected)\b"
    r"|\b(?:safe|fine|ok) (?:because|since|here|as)\b|\bexpected (?:here|to)\b"
    r"|\b(?:only|just) (?:for|in) tests?\b|\bno need (?:to|for)\b|\bnothing to do\b"
    r"|\bdoes(?:n'?t| not) matter\b|\b(?:can|may) be (?:safely )?ignored\b|\b(?:safely|silently) ignor\w+"
    r"|\bignor(?:e|es|ed|ing) (?:all |any |the )?errors?\b"
    r"|\bcan(?:not|'?t) (?:fail|happen)\b|\bnever (?:happens|fails|null|none|empty)\b"
)
_DOUBTS = LazyPattern(
    r"(?i)\b(?:todo|fixme|xxx|hack)\b|\bunintention"
    r"|\bnot (?:intention|on purpose|deliberate|safe|fine|ok|harmless)"
    r"|\bshould(?:n'?t| not)? (?:be|not)\b|\bmust not\b|\?\s*(?:\*/)?$"
)
_ABOVE = 3
"""Lines of a comment above a finding that are read, the nearest ones."""
_WITHIN = 3
"""Lines below the first of a finding in which an empty block has its comment."""


class LowerIntended:
    """Lower warnings to notes where a comment next to them states that the code is intended.

    Not where warnings block a change that is not trusted: its own comments would let it pass.
    """

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if not inputs.is_trusted and inputs.fail_level in ("info", "warn"):
            return review
        findings = (
            _lower_severity(finding) if _is_intended(finding, inputs.texts) else finding
            for finding in review.findings
        )
        return replace(review, findings=tuple(findings))


def _lower_severity(finding: Finding) -> Finding:
    return replace(finding, severity=Severity.INFO, counted=finding.severity_of_rule)


def _is_intended(finding: Finding, texts: ChangeTexts) -> bool:
    if finding.severity is not Severity.WARN or finding.plane is Plane.SECURITY or not finding.is_of_rule:
        return False
    text = texts.head(finding.file)
    return text is not None and is_stated_as_intended(text.split("\n"), finding.span)


def is_stated_as_intended(lines: Sequence[str], span: Span) -> bool:
    """Return True if a comment on the line, directly above it or in the block it opens states the intent."""
    text = " ".join(_comments_near(lines, span))
    return _STATES.search(text) is not None and _DOUBTS.search(text) is None


def _comments_near(lines: Sequence[str], span: Span) -> Iterator[str]:
    """The texts of the comments above a finding, on its line, and in a short block below it, in order."""
    if not 0 < span.line <= len(lines):
        return
    first = span.line - 1
    start = first
    while start > max(first - _ABOVE, 0) and _ONLY_COMMENT.match(lines[start - 1]):
        start -= 1
    end = first + 1
    while end < min(first + 1 + _WITHIN, len(lines)) and _ONLY_COMMENT.match(lines[end]):
        end += 1
    last = min(end, len(lines) - 1) if span.end_line > span.line else end - 1
    for line in lines[start : last + 1]:
        comment = _COMMENT.search(line)
        if comment is not None:
            yield comment["text"]
