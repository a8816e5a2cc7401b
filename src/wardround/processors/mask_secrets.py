"""Secrets in printed texts: every secret that a check reports is masked in every output."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

from msgspec.structs import replace

from wardround.checks.source import SourceFile
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import Edit, Finding, Span, Status
from wardround.lazy import LazyPattern
from wardround.model_claims import ModelClaim
from wardround.processors.model import PipelineInputs, ReviewFindings
from wardround.specialists import Specialist

_QUOTES = LazyPattern(r"[\"'`]+")
_LITERAL = LazyPattern(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`""")
_LEAST_LENGTH = 6
"""Minimum length of a secret that is masked wherever it occurs; a shorter string could be any word."""
_TOKEN_LIKE = LazyPattern(r"[A-Za-z0-9_-]{20}")
_PRINTED = frozenset({Status.NEW, Status.CAUSED})


class MaskSecrets:
    """Mask the secrets in findings, and provide the same masking for other texts."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        masker = _masker(review.findings, inputs)
        findings = tuple(masker.finding(finding) for finding in review.findings)
        return replace(review, findings=findings, mask_text=masker.text)


class MaskNotices:
    """Mask the secrets in notices: those of their files, and those of the files of all findings."""

    def apply(self, review: ReviewFindings, inputs: PipelineInputs) -> ReviewFindings:
        if not review.notices:
            return review
        masker = _masker((*review.findings, *review.notices), inputs)
        notices = tuple(masker.finding(notice) for notice in review.notices)
        return replace(review, notices=notices, mask_text=masker.text)


def _masker(findings: Sequence[Finding], inputs: PipelineInputs) -> SecretMasker:
    printed = _PRINTED if inputs.filter_mode == "added" else frozenset(Status)
    return SecretMasker(findings, inputs.specialists, inputs.texts.head, printed)


class SecretMasker:
    """The secrets in the files of some findings, and their masks.

    Secrets are the strings in findings of rules with ``masked``, and the results of the checks for secrets
    of any text in the same files, on old lines too. If such a check crashes, no line of the file is shown.

    Args:
        printed: the statuses whose findings may be printed.
        paths: further files whose secrets are masked.
    """

    def __init__(
        self,
        findings: Sequence[Finding],
        specialists: Iterable[Specialist],
        text_of: Callable[[str], str | None],
        printed: Collection[Status] = _PRINTED,
        paths: Collection[str] = (),
    ) -> None:
        self._any_text = [specialist for specialist in specialists if specialist.reviews_all_text]
        shown = {finding.file for finding in findings if finding.status in printed or finding.masked}
        self._files = {path: (text_of(path) or "").split("\n") for path in sorted(shown.union(paths))}
        self._lines: set[tuple[str, int]] = set()
        self._texts: set[str] = set()
        for finding in findings:
            if finding.masked:
                self._lines |= _lines_of(finding.file, finding.span)
                self._texts.update(_strings(self._files[finding.file], finding.span))
        for path, lines in self._files.items():
            self._mask_file(path, lines)
        self._secrets = sorted(self._texts, key=lambda secret: (-len(secret), secret))

    def _mask_file(self, path: str, lines: Sequence[str]) -> None:
        """Mask the secrets of a file; all its lines if they cannot be found."""
        spans = self._secret_spans(path, "\n".join(lines))
        if spans is None:
            self._lines |= {(path, number) for number, _ in enumerate(lines, 1)}
            return
        for span in spans:
            self._lines |= _lines_of(path, span)
            self._texts.update(_long_enough(_QUOTES.split(_text_in_span(lines, span))))

    @cached_property
    def _detectors(self) -> list[Specialist]:
        """The specialists with checks for secrets; their checks load when something is printed."""
        return [s for s in self._any_text if any(check.MASKED for check in s.checks)]

    def _secret_spans(self, path: str, text: str) -> list[Span] | None:
        """Return the spans of secrets in a text; None if a check crashed, so that they are unknown."""
        spans: list[Span] = []
        for specialist in self._detectors:
            checks = [check for check in specialist.checks if check.MASKED]
            try:
                spans += [result.span for result in specialist.run_checks(checks, SourceFile(path, text))]
            except PLUGIN_EXCEPTIONS:
                return None
        return spans

    def finding(self, finding: Finding) -> Finding:
        """Return a finding as it may be printed: its texts without secrets, its lines masked if they contain
        one.
        """
        finding = self._add_claim(finding)
        message = self.text(finding.message)
        if message == finding.message and not self._exposes_secret(finding):
            return finding
        return replace(finding, message=message, masked=True, suggested_fix=None)

    def _add_claim(self, finding: Finding) -> Finding:
        claim = finding.claim
        if claim is None:
            return finding
        second = claim.second_pass
        if second is not None:
            second = replace(second, reason=self.text(second.reason), quote=self.text(second.quote))
        return replace(finding, claim=ModelClaim(self.text(claim.quote), second))

    def has_secret(self, path: str, line: int) -> bool:
        """Return True if a line of a file contains a secret, or could not be checked."""
        return (path, line) in self._lines

    @property
    def can_detect(self) -> bool:
        """True if a check for secrets is loaded."""
        return bool(self._detectors)

    def mask_known(self, text: str, shown: int = 2) -> str:
        """Return a text without the secrets of the files, except for their first characters."""
        for secret in self._secrets:
            text = text.replace(secret, f"{secret[:shown]}***")
        return text

    def text(self, text: str) -> str:
        """Return a text as it may be printed."""
        text = self.mask_known(text)
        if _TOKEN_LIKE.search(text):
            spans = self._secret_spans("message", text)
            if spans is None:
                return "***"
            for span in sorted(spans, reverse=True):
                lines = text.split("\n")
                before = "\n".join([*lines[: span.line - 1], lines[span.line - 1][: span.column - 1]])
                after = "\n".join([lines[span.end_line - 1][span.end_column - 1 :], *lines[span.end_line :]])
                text = f"{before}***{after}"
        return text

    def _exposes_secret(self, finding: Finding) -> bool:
        """Return True if the lines a finding shows, or its fix, contain a secret."""
        edits = finding.suggested_fix.edits if finding.suggested_fix else ()
        shown = _lines_of(finding.file, finding.span).union(*(_lines_shown_by(edit) for edit in edits))
        if not self._lines.isdisjoint(shown):
            return True
        texts = [edit.replacement for edit in edits]
        texts += self._files.get(finding.file, [])[finding.span.line - 1 : finding.span.end_line]
        return any(_contains_secret(text, secret) for secret in self._secrets for text in texts)


def _contains_secret(text: str, secret: str) -> bool:
    """Return True if a string contains a secret; one of letters only, such as a name, as a word."""
    if not secret.isalpha():
        return secret in text
    return re.search(rf"(?<![A-Za-z]){re.escape(secret)}(?![A-Za-z])", text) is not None


def _lines_of(path: str, span: Span) -> set[tuple[str, int]]:
    """Return the lines of a span, which may end where the next line begins."""
    ends_before = span.end_column == 1 and span.end_line > span.line
    return {(path, line) for line in range(span.line, span.end_line + (not ends_before))}


def _lines_shown_by(edit: Edit) -> set[tuple[str, int]]:
    """Return the lines that an edit changes, as the diff of a fix shows them."""
    keeps_next = edit.replacement.endswith("\n") or (not edit.replacement and edit.span.column == 1)
    return _lines_of(edit.file, edit.span) | (set() if keeps_next else {(edit.file, edit.span.end_line)})


def _text_in_span(lines: Sequence[str], span: Span) -> str:
    """Return the text of a span."""
    inside = list(lines[span.line - 1 : span.end_line])
    if not inside:
        return ""
    inside[-1] = inside[-1][: span.end_column - 1] if span.end_column > 1 else inside[-1]
    inside[0] = inside[0][span.column - 1 :]
    return "\n".join(inside)


def _strings(lines: Sequence[str], span: Span) -> list[str]:
    """Return the contents of the strings in a span, line by line; an unclosed string extends to its end."""
    text = _text_in_span(lines, span)
    literals = [match[0][1:-1] for match in _LITERAL.finditer(text)]
    return _long_enough([*literals, *_QUOTES.split(_LITERAL.sub(" ", text))[1:]])


def _long_enough(parts: Iterable[str]) -> list[str]:
    """Return the lines of some texts that are long enough for a secret."""
    return [line.strip() for part in parts for line in part.split("\n") if len(line.strip()) >= _LEAST_LENGTH]
