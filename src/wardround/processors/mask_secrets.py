"""Secrets in what is about to be printed: what a check for secrets sees is hidden wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property

from msgspec.structs import replace

from wardround.checks.lazy import LazyPattern
from wardround.checks.source import SourceFile
from wardround.errors import PLUGIN_EXCEPTIONS
from wardround.findings import Edit, Finding, Span, Status
from wardround.specialists import Specialist

_QUOTES = LazyPattern(r"[\"'`]+")
_LITERAL = LazyPattern(r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\\n])*`""")
_TELLING = 6
"""Characters from which on a string found to be a secret is looked for elsewhere."""
_COULD_HOLD_ONE = LazyPattern(r"[A-Za-z0-9_-]{20}")
_PRINTED = frozenset({Status.NEW, Status.CAUSED})


class SecretMasker:
    """The secrets in the files of some findings, and how they are kept out of reports.

    What is secret is what stands in the strings of findings that say so, and what the checks that look for
    secrets in any text see in the same files, on old lines too. Of a file in which one of them crashes no
    line is shown.

    Args:
        printed: the statuses whose findings may be printed.
    """

    def __init__(
        self,
        findings: Sequence[Finding],
        specialists: Iterable[Specialist],
        text_of: Callable[[str], str | None],
        printed: Collection[Status] = _PRINTED,
    ) -> None:
        self._any_text = [s for s in specialists if s.reviews_all_text]
        shown = {f.file for f in findings if f.status in printed or f.masked}
        self._files = {path: (text_of(path) or "").split("\n") for path in sorted(shown)}
        self._lines: set[tuple[str, int]] = set()
        secrets: set[str] = set()
        for finding in findings:
            if finding.masked:
                self._lines |= _lines_of(finding.file, finding.span)
                secrets.update(_strings(self._files[finding.file], finding.span))
        for path, lines in self._files.items():
            seen = self._seen(path, "\n".join(lines))
            if seen is None:
                self._lines |= {(path, number) for number, _ in enumerate(lines, 1)}
            for span in seen or ():
                self._lines |= _lines_of(path, span)
                secrets.update(_long_enough(_QUOTES.split(_within(lines, span))))
        self._secrets = sorted(secrets, key=lambda secret: (-len(secret), secret))

    @cached_property
    def _seeing(self) -> list[Specialist]:
        """Who looks for secrets; asked when there is something to be printed."""
        return [s for s in self._any_text if any(check.MASKED for check in s.checks)]

    def _seen(self, path: str, text: str) -> list[Span] | None:
        """Where secrets stand in a text; None where nobody can tell, since a check crashed."""
        found: list[Span] = []
        for specialist in self._seeing:
            checks = [check for check in specialist.checks if check.MASKED]
            try:
                found += [result.span for result in specialist.run_checks(checks, SourceFile(path, text))]
            except PLUGIN_EXCEPTIONS:
                return None
        return found

    def finding(self, finding: Finding) -> Finding:
        """A finding as it may be printed: its message without secrets, its lines masked if they hold one."""
        message = self.text(finding.message)
        if message == finding.message and not self._exposes_secret(finding):
            return finding
        return replace(finding, message=message, masked=True, suggested_fix=None)

    def text(self, text: str) -> str:
        """A text as it may be printed."""
        for secret in self._secrets:
            text = text.replace(secret, f"{secret[:2]}***")
        if _COULD_HOLD_ONE.search(text):
            seen = self._seen("message", text)
            if seen is None:
                return "***"
            for span in sorted(seen, reverse=True):
                lines = text.split("\n")
                before = "\n".join([*lines[: span.line - 1], lines[span.line - 1][: span.column - 1]])
                after = "\n".join([lines[span.end_line - 1][span.end_column - 1 :], *lines[span.end_line :]])
                text = f"{before}***{after}"
        return text

    def _exposes_secret(self, finding: Finding) -> bool:
        """Whether the lines a finding shows, or its fix, hold a secret."""
        edits = finding.suggested_fix.edits if finding.suggested_fix else ()
        shown = _lines_of(finding.file, finding.span).union(*(_lines_shown_by(edit) for edit in edits))
        if not self._lines.isdisjoint(shown):
            return True
        texts = [edit.replacement for edit in edits]
        texts += self._files.get(finding.file, [])[finding.span.line - 1 : finding.span.end_line]
        return any(_stands_in(secret, text) for secret in self._secrets for text in texts)


def _stands_in(secret: str, text: str) -> bool:
    """Return True if a secret is in a text: a plain word, such as the name of a database, as a word."""
    if not secret.isalpha():
        return secret in text
    return re.search(rf"(?<![A-Za-z]){re.escape(secret)}(?![A-Za-z])", text) is not None


def _lines_of(path: str, span: Span) -> set[tuple[str, int]]:
    """The lines that hold a part of a place; it may end where the next one begins."""
    ends_before = span.end_column == 1 and span.end_line > span.line
    return {(path, line) for line in range(span.line, span.end_line + (not ends_before))}


def _lines_shown_by(edit: Edit) -> set[tuple[str, int]]:
    """The lines of which an edit changes a part, so that they stand in the diff of a fix."""
    keeps_next = edit.replacement.endswith("\n") or (not edit.replacement and edit.span.column == 1)
    return _lines_of(edit.file, edit.span) | (set() if keeps_next else {(edit.file, edit.span.end_line)})


def _within(lines: Sequence[str], span: Span) -> str:
    """The text of a place."""
    inside = list(lines[span.line - 1 : span.end_line])
    if not inside:
        return ""
    inside[-1] = inside[-1][: span.end_column - 1] if span.end_column > 1 else inside[-1]
    inside[0] = inside[0][span.column - 1 :]
    return "\n".join(inside)


def _strings(lines: Sequence[str], span: Span) -> list[str]:
    """The contents of the strings in a place, line by line; of one that goes on, all that follows."""
    text = _within(lines, span)
    literals = [match[0][1:-1] for match in _LITERAL.finditer(text)]
    return _long_enough([*literals, *_QUOTES.split(_LITERAL.sub(" ", text))[1:]])


def _long_enough(parts: Iterable[str]) -> list[str]:
    """The lines of some texts; what is short could be any word."""
    return [line.strip() for part in parts for line in part.split("\n") if len(line.strip()) >= _TELLING]
