"""Columns as tools count them, turned into code points."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from wardround.findings import RawResult, Span
from wardround.tools.tool import Columns


def in_code_points(results: Sequence[RawResult], content: bytes, columns: Columns) -> list[RawResult]:
    """Turn columns counted in bytes or UTF-16 units into code points."""
    if not results or content.isascii():
        return list(results)
    lines = content.split(b"\n")

    def column(line: int, value: int) -> int:
        data = lines[line - 1] if line <= len(lines) else b""
        if columns is Columns.UTF16:
            units = data.decode("utf-8", "replace").encode("utf-16-le")[: 2 * (value - 1)]
            return len(units.decode("utf-16-le", "replace")) + 1
        return len(data[: value - 1].decode("utf-8", "replace")) + 1

    def converted(span: Span) -> Span:
        return Span(span.line, column(span.line, span.column), span.end_line,
                    column(span.end_line, span.end_column))  # fmt: skip

    return [replace(result, span=converted(result.span)) for result in results]
