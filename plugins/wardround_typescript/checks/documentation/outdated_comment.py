"""TS095: outdated comment."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from wardround.checks.base import Check
from wardround.checks.cases import code
from wardround.checks.lazy import LazyPattern
from wardround.findings import Plane, Severity
from wardround.semantics.docdrift.checks import describe, stale_comments
from wardround.semantics.semdiff.replacements import SwapKind
from wardround_typescript.check import SCRIPTS, is_test_path

if TYPE_CHECKING:
    from wardround.semantics.docdrift.stale_comments import StalePhrase as Found

_QUOTED = LazyPattern(r"\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`")
_CHOICE = LazyPattern(
    r"(?i)\b(?:must|should|can|may|has to|one of|any of|either|only|valid|invalid|allowed|supported"
    r"|expect(?:s|ed)?|unknown|use|choose|pick|give)\b"
)
"""How a message lists the allowed values."""
_PLAIN_WORDS = LazyPattern(r"(?<![\w-])[A-Za-z]{2,} [A-Za-z]{2,}(?![\w:-])")
"""Two words in a row, absent from lists of classes, sizes or colours."""
_REMARK = LazyPattern(r"//.*|/\*.*?\*/")
_WISH = LazyPattern(r"\b(?:TODO|FIXME)\b")
_ENTRY = LazyPattern(r"^[\s/*-]*(?:@\w+\s+(?:\{[^}]*\}\s*)?\[?([\w$.]+)|`([\w$.]+)`)")
"""The subject of a line in a list of options."""
_PRINTED = LazyPattern(r"\$\{[^}]*?([\w$]+)\}\s?(?:s|secs?|seconds?|min|minutes?|h|hours?)\b")
_NUMBER = LazyPattern(r"\d+(?:\.\d+)?")
_THOUSAND = 1_000


class OutdatedComment(Check):
    """A comment, message or help text contradicts this change.

    It states a number, a default, a unit, a bound, a kind of result or a value that the change replaced right
    next to it. Readers rely on the old behaviour. Update the text in the same commit, or give the number a
    name and build the text from it.
    """

    ID = "TS095"
    NAME = "outdated-comment"
    DEFECT_CLASS = "stale-words"
    PLANE = Plane.CONTRACT
    SEVERITY = Severity.INFO
    CASE_PATH = "a.ts"
    VALID = [
        code("""
            // Three attempts in all: the carrier bans who knocks more often.
            export const patiently = retry({
              attempts: 0,
            });
        """),
        code(
            """
            program.option('-n, --lines <count>', 'entries to show, 100 unless given', parse, 100)
            """,
            base="""
            program.option('-n, --lines <count>', 'entries to show, 500 unless given', parse, 500)
            """,
        ),
    ]
    INVALID = [
        code(
            """
            // «Three» attempts in all: the carrier bans who knocks more often.
            export const patiently = retry({
              attempts: 8,
            });
            """,
            base="""
            // Three attempts in all: the carrier bans who knocks more often.
            export const patiently = retry({
              attempts: 3,
            });
            """,
        ),
        code(
            """
            program.option('-n, --lines <count>', 'entries to show, «500» unless given', parse, 100)
            """,
            base="""
            program.option('-n, --lines <count>', 'entries to show, 500 unless given', parse, 500)
            """,
        ),
    ]

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return SCRIPTS, ()

    def run(self) -> None:
        from wardround.semantics.docdrift.comment_lines import SCRIPT
        from wardround.semantics.docdrift.stale_verbs import stale_verbs  # not needed where nothing changed

        found = stale_comments(self.source, SCRIPT)
        if not found:
            return
        deeds = stale_verbs(self.source.base_text or "", self.source.text, SCRIPT, self.source.is_added)
        for one in found:
            if one in deeds and self._is_remark(one):
                continue
            if self._is_worded(one) and self._is_about(one) and self._is_other(one):
                self.report(*describe(one))

    def _is_remark(self, one: Found) -> bool:
        """Return True if the comment states the removed value in other words than the code."""
        before = self.source.lines[one.line - 1][: one.column - 1]
        return before.lstrip().startswith(("*", "/*", "//")) or "//" in _QUOTED.sub("", before)

    def _is_worded(self, one: Found) -> bool:
        """Return True for a statement of fact; quotes must hold no query, list or new value."""
        line, place = self.source.lines[one.line - 1], one.column - 1
        if self._is_remark(one):
            return _WISH.search(line) is None
        text = next((m[0] for m in _QUOTED.finditer(line) if m.start() <= place < m.end()), None)
        if text is not None and (_PLAIN_WORDS.search(text) is None or self._is_new(one, text)):
            return False
        if one.swap.kind is SwapKind.STRING and not one.swap.was:
            return not is_test_path(self.source.path) and _CHOICE.search(line) is not None
        return True

    def _is_new(self, one: Found, text: str) -> bool:
        """Return True if the text is what the change added."""
        swap = one.swap
        return one.line == swap.line and swap.kind is SwapKind.STRING and text[1:-1] == swap.new

    def _is_about(self, one: Found) -> bool:
        """Return True if the text is about the replaced value and not about another option.

        A caller that multiplies a value in seconds still receives it in seconds.
        """
        line, swap = self.source.lines[one.line - 1], one.swap
        if swap.new.startswith("*") and not swap.old.startswith(("*", "/")):
            printed = {match[1] for match in _PRINTED.finditer(line)}
            return printed.isdisjoint(swap.key.split())
        entry = _ENTRY.match(line) if self._is_remark(one) and swap.kind is SwapKind.NUMBER else None
        name = (entry[1] or entry[2]).rpartition(".")[2] if entry else ""
        return not (swap.key and name != swap.key and name.lower().endswith(swap.key.lower()))

    def _is_other(self, one: Found) -> bool:
        """Return True if the stated value is removed, not only written in another unit or at another
        position.
        """
        swap = one.swap
        if swap.kind is SwapKind.STRING and swap.was:
            now = self.source.lines[swap.line - 1]
            return re.search(rf"[\"'`]{re.escape(swap.old)}[\"'`]", now) is None
        was, became = (each.replace("_", "") for each in (swap.old, swap.new))
        if swap.kind is SwapKind.NUMBER and _NUMBER.fullmatch(was) and _NUMBER.fullmatch(became):
            if swap.was and one.line != swap.line and self._still_contains(swap.old, swap.line):
                return False
            stated = re.search(rf"(?<![\d.]){re.escape(swap.old)}(?![\d.])", one.phrase)
            return not (stated and float(became) == _THOUSAND * float(was))
        return True

    def _still_contains(self, number: str, place: int) -> bool:
        line = self.source.lines[place - 1]
        return re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", _REMARK.sub("", line)) is not None
