"""The lines that a run of tests recorded in the sandbox."""

from __future__ import annotations

import msgspec

from wardround.context.line_coverage.context_lines import ContextLines

_DECODE = msgspec.json.Decoder(list[tuple[str, dict[str, str]]]).decode
_MOST_DIGITS = 500_000
"""Hexadecimal digits for the lines of a file: two million lines."""


def recorded_lines(content: bytes) -> list[ContextLines]:
    """Return the lines by context and file; none if the process was ended while it wrote them."""
    try:
        return [
            _row(context, path, digits[:_MOST_DIGITS])
            for context, files in _DECODE(content)
            for path, digits in files.items()
        ]
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
        return []


def _row(context: str, path: str, digits: str) -> ContextLines:
    test, _, phase = context.rpartition("|")
    lines = int.from_bytes(bytes.fromhex(digits), "little")
    return ContextLines(path, test, phase if test else "run", lines)
