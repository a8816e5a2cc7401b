from __future__ import annotations

import re
import unicodedata
from typing import ClassVar

from wardround.checks.base import Check
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code
from wardround_text.kinds import (
    LONGEST_READ,
    TextKind,
    is_for_tests,
    is_minified,
    is_source_map,
    is_unread,
    kind_of,
)

_CONTROLS = LazyPattern("[\u202a-\u202e\u2066-\u2069]")
_OVERRIDES = LazyPattern("[\u202d\u202e]")


class BidirectionalControl(Check):
    """A bidirectional control character changes the order in which a line is displayed.

    Embeddings, overrides and isolates of the Unicode bidirectional algorithm reorder the text that follows on
    the screen but not in the file, so code that runs is displayed as a comment or a string (CVE-2021-42574).
    Remove the character, or write it as an escape. Arabic and Hebrew text does not need it. In prose only
    overrides are reported; translations are not checked, since these characters are common there, and neither
    are source maps and the lines of minified files, which nobody reads.
    """

    ID = "TX002"
    NAME = "bidirectional-control"
    PLANE: ClassVar[Plane] = Plane.SECURITY
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    DEFECT_CLASS: ClassVar[str | None] = "hidden-unicode"
    URL = "https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing"
    VALID = [
        code("""
            x = "\u05e9\u05dc\u05d5\u05dd"  # \u0645\u0631\u062d\u0628\u0627
        """),
        code(r"""
            x = "\u202e"
        """),
    ]
    INVALID = [
        code("""
            if user != 'admin«\u202e» \u2066# ok':
                pass
        """),
        code(
            """
            const a = 1; /*«\u202e» } \u2066if (admin)*/
            """,
            path="a.ts",
        ),
    ]

    def run(self) -> None:
        kind = kind_of(self.source.path)
        controls = self._controls(kind)
        if controls is None:
            return
        is_code = kind is TextKind.CODE
        skips_long_lines = is_code and is_minified(self.source.text)
        is_weak = not is_code or is_for_tests(self.source.path)
        for number, line in enumerate(self.source.lines, 1):
            match = controls.search(line)
            if match is not None and not (skips_long_lines and is_unread(line)):
                self._report(number, match, is_weak=is_weak or len(line) > LONGEST_READ)

    def _controls(self, kind: TextKind) -> LazyPattern | None:
        """Return the pattern of the control characters that the file may not contain; None if it contains
        none.
        """
        if self.source.text.isascii() or kind is TextKind.TRANSLATION:
            return None
        controls = _OVERRIDES if kind is TextKind.PROSE else _CONTROLS
        if controls.search(self.source.text) is None or is_source_map(self.source.path, self.source.text):
            return None
        return controls

    def _report(self, number: int, match: re.Match[str], *, is_weak: bool) -> None:
        name = f"U+{ord(match[0]):04X} {unicodedata.name(match[0])}"
        span = Span(number, match.start() + 1, number, match.end() + 1)
        text = f"{name} changes the order in which this line is displayed; remove or escape it"
        self.report(span, text, severity=Severity.WARN if is_weak else None)
