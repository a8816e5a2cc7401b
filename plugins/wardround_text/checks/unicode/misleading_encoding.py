from __future__ import annotations

import re
from typing import ClassVar

from wardround.checks.base import Check
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.rules.cases import code

_DECLARED = LazyPattern(r"[ \t\f]*#.*?(coding[:=][ \t]*([-\w.]+))", re.ASCII)
_NO_CODE = LazyPattern(r"[ \t\f]*(?:#.*)?", re.ASCII)
_PYTHON = LazyPattern(r"#!.*\bpython")
_LINE_END = LazyPattern(r"\r\n?|\n")
_PROBE = (
    bytes(set(range(128)) - {ord("\\")})
    + rb"\u0041\x41\101 +AEE- ~{VP~} .xn--bcher-kva. "
    + b"\x1b$B0!\x1b(B \x0e\x0f"
)
"""ASCII text that encodings which are not a superset of ASCII decode differently."""
_EVERY_BYTE = bytes(range(256))


class MisleadingEncoding(Check):
    """A Python file declares an encoding in which the code differs from the displayed text.

    Python decodes the file by its ``coding:`` comment before it parses comments and strings. In UTF-7 or
    ``unicode_escape`` a comment can contain a line end, and the statement after it is executed; in multi-byte
    encodings such as GBK the second byte of a character can be a backslash. Declare UTF-8, or nothing.
    Single-byte encodings such as Latin-1, and multi-byte ones in a pure ASCII file, are harmless and not
    reported.
    """

    ID = "TX001"
    NAME = "misleading-encoding"
    PLANE: ClassVar[Plane] = Plane.SECURITY
    SEVERITY: ClassVar[Severity] = Severity.ERROR
    DEFECT_CLASS: ClassVar[str | None] = "hidden-unicode"
    VALID = [
        code("""
            # -*- coding: utf-8 -*-
            x = 1
        """),
        code("""
            # vim: set fileencoding=latin-1 :
            x = 'caf\xe9'
        """),
    ]
    INVALID = [
        code("""
            # «coding: utf-7»
            # +AAo-import os
        """),
        code("""
            #!/usr/bin/env python
            # -*- «coding: unicode_escape» -*-
        """),
    ]

    def run(self) -> None:
        is_python = self.source.path.endswith((".py", ".pyi", ".pyw"))
        if not is_python and _PYTHON.match(self.source.text) is None:
            return
        found = self._declaration()
        if found is None:
            return
        number, match = found
        if not _is_harmless(match[2], self.source.text):
            span = Span(number, match.start(1) + 1, number, match.end(1) + 1)
            self.report(
                span, f"encoding {match[2]!r} makes Python run other code than is displayed; declare UTF-8"
            )

    def _declaration(self) -> tuple[int, re.Match[str]] | None:
        """Return the line (1-based) and match of the declaration that Python uses, if there is one."""
        for number, line in enumerate(_LINE_END.split(self.source.text, 2)[:2], 1):
            match = _DECLARED.match(line)
            if match is not None:
                return self._editor_line(number), match
            if _NO_CODE.fullmatch(line) is None:
                return None
        return None

    def _editor_line(self, number: int) -> int:
        """Return the line number as editors count, which do not end a line at a lone carriage return."""
        return min(number, len(self.source.lines))


def _is_harmless(name: str, text: str) -> bool:
    """Return True if decoding yields the displayed text."""
    usual = name.lower().replace("_", "-")
    if usual == "utf-8" or usual.startswith("utf-8-"):
        return True
    encoding = re.sub(r"-(?:unix|dos|mac)$", "", usual)
    try:
        if _PROBE.decode(encoding) != _PROBE.decode("ascii"):
            return False
        return text.isascii() or len(_EVERY_BYTE.decode(encoding, "replace")) == len(_EVERY_BYTE)
    except (LookupError, ValueError):  # unknown, not a text encoding, or not a superset of ASCII
        return False
