"""The lines and branches that a run of tests recorded in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from wardround.context.line_coverage.context_lines import ContextLines
from wardround.workflows.run_output import has_too_many_values

Branches = Mapping[str, Mapping[int, tuple[int, int]]]
"""Path -> line -> the ways out of the line, and how many of them were taken."""
MOST_DATA_BYTES = 256 * 1024 * 1024
"""The size of the recorded lines of a process."""
_MOST_DIGITS = 500_000
"""Hexadecimal digits for the lines of a file: two million lines."""


class _Recorded(msgspec.Struct, frozen=True):
    rows: list[tuple[str, dict[str, str]]]
    branches: dict[str, dict[int, tuple[int, int]]] = {}


_DECODE = msgspec.json.Decoder(_Recorded).decode


def recorded_lines(content: bytes | None) -> tuple[list[ContextLines], Branches]:
    """Return the lines by context and file, and the branches.

    Args:
        content: None, or incomplete, if the process was ended before it wrote them; then there are none, as
            with more values than any recording has.
    """
    if content is None or has_too_many_values(content):
        return [], {}
    try:
        found = _DECODE(content)
        rows = [
            _row(context, path, digits[:_MOST_DIGITS])
            for context, files in found.rows
            for path, digits in files.items()
        ]
    except (msgspec.MsgspecError, UnicodeDecodeError, ValueError):
        return [], {}
    return rows, found.branches


def _row(context: str, path: str, digits: str) -> ContextLines:
    test, _, phase = context.rpartition("|")
    lines = int.from_bytes(bytes.fromhex(digits), "little")
    return ContextLines(path, test, phase if test else "run", lines)
