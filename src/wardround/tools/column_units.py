"""Columns in the units of tools, converted to code points."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from wardround.findings import RawFinding, Span
from wardround.text.line_ends import NewlinePositions
from wardround.text.line_index import has_lone_returns, with_newlines
from wardround.tools.tool import Columns, Tool


def convert_positions(results: Sequence[RawFinding], content: bytes, tool: Tool) -> list[RawFinding]:
    """Convert a tool's positions in a file to lines that end at newlines, and columns of code points."""
    text = content.decode("utf-8", "replace") if tool.returns_end_lines and b"\r" in content else ""
    if not has_lone_returns(text):
        return _to_code_points(results, content, tool.columns)
    positions = NewlinePositions(text)
    found = _to_code_points(results, with_newlines(text).encode("utf-8", "replace"), tool.columns)
    return [positions.result(result) for result in found]


def _to_code_points(results: Sequence[RawFinding], content: bytes, columns: Columns) -> list[RawFinding]:
    """Convert columns counted in bytes or UTF-16 units to code points."""
    if columns is Columns.CODE_POINTS or content.isascii():
        return list(results)
    lines = content.split(b"\n")

    def column(line: int, value: int) -> int:
        data = lines[line - 1] if line <= len(lines) else b""
        if columns is Columns.UTF16:
            units = data.decode("utf-8", "replace").encode("utf-16-le")[: 2 * (value - 1)]
            return len(units.decode("utf-16-le", "replace")) + 1
        return len(data[: value - 1].decode("utf-8", "replace")) + 1

    def convert(span: Span) -> Span:
        return Span(span.line, column(span.line, span.column), span.end_line,
                    column(span.end_line, span.end_column))  # fmt: skip

    return [replace(result, span=convert(result.span)) for result in results]
