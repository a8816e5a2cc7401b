from __future__ import annotations

import re
from typing import ClassVar

from wardround.checks.base import Check
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_text.kinds import (
    LONGEST_READ,
    LinePart,
    TextKind,
    is_for_tests,
    is_minified,
    is_unread,
    kind_of,
    part_at,
)

_ZERO_WIDTH = "\u200b-\u200d\u2060-\u2064\ufeff\u034f\u180b-\u180f"
_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_IN_NAME = LazyPattern(
    f"(?<=[A-Za-z0-9_$])[{_ZERO_WIDTH}{_TAGS}]+(?=[A-Za-z0-9_$])"
    f"|(?<=[A-Za-z_$])[{_SELECTORS}]+|(?<=[0-9])[{_SELECTORS}]+(?!\u20e3)(?=[A-Za-z0-9_$])"
    "|(?<![\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3])[\u3164\uffa0\u115f\u1160]+"
)
"""After or between letters; after a digit, a selector makes a keycap. Hangul fillers count as letters."""
_PAYLOAD = LazyPattern(
    f"[{_SELECTORS}]{{3,}}|(?<![\U0001f3f4{_TAGS}])[{_TAGS}]{{2,}}|[\u200b-\u200d\u2060-\u2064\ufeff]{{5,}}"
)
"""More than any emoji or script needs; tags follow a flag."""


class InvisibleCharacter(Check):
    """Invisible characters are part of a name or form a hidden text.

    Zero-width characters, variation selectors and Hangul fillers make two different names look the same, or
    make a variable invisible. Long runs of variation selectors or tag characters carry hidden data: code that
    a loader decodes, or instructions for a language model. Remove them, or write them as escapes. Emoji, and
    joiners in words of other scripts, are not reported, and neither are names in the lines of minified files,
    which nobody reads; hidden data in them is.
    """

    ID = "TX003"
    NAME = "invisible-character"
    PLANE: ClassVar[Plane] = Plane.SECURITY
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    DEFECT_CLASS: ClassVar[str | None] = "hidden-unicode"
    VALID = [
        code("""
            x = '\U0001f468\u200d\U0001f469\u200d\U0001f467 \u2764\ufe0f 1\ufe0f\u20e3'
        """),
        code("""
            x = '\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645'
        """),
    ]
    INVALID = [
        code("""
            is«\u200c»Admin = True
        """),
        code(
            """
            const {a,«\u3164»} = q;
            """,
            path="a.js",
        ),
    ]

    def run(self) -> None:
        if self.source.text.isascii():
            return
        patterns = (_PAYLOAD, _IN_NAME) if self._is_code else (_PAYLOAD,)
        if not any(pattern.search(self.source.text) for pattern in patterns):
            return
        skips_long_lines = is_minified(self.source.text)
        for number, line in enumerate(self.source.lines, 1):
            match = next(filter(None, (pattern.search(line) for pattern in patterns)), None)
            if match is not None and not (skips_long_lines and _is_in_unread_name(line, match)):
                self._report(number, line, match)

    @property
    def _is_code(self) -> bool:
        return kind_of(self.source.path) is TextKind.CODE

    def _report(self, number: int, line: str, match: re.Match[str]) -> None:
        shown = " ".join(f"U+{ord(sign):04X}" for sign in match[0][:3])
        what = f"invisible characters ({shown})" if len(match[0]) > 1 else f"invisible character {shown}"
        span = Span(number, match.start() + 1, number, match.end() + 1)
        severity = Severity.WARN if self._is_weak(line, match) else None
        self.report(span, f"{what}; remove or escape", severity=severity)

    def _is_weak(self, line: str, match: re.Match[str]) -> bool:
        """Return True if a match is in a test, in a line that nobody reads, or harmless outside code."""
        if is_for_tests(self.source.path) or len(line) > LONGEST_READ:
            return True
        in_code = self._is_code and part_at(self.source.path, line, match.start()) is LinePart.CODE
        return not in_code and match.re.pattern != _PAYLOAD.pattern


def _is_in_unread_name(line: str, match: re.Match[str]) -> bool:
    return is_unread(line) and match.re.pattern == _IN_NAME.pattern
