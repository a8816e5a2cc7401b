"""Edits applied to text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wardround.findings import Edit, Span
from wardround.text.line_index import LineIndex


def apply(text: str, edits: Iterable[Edit]) -> str:
    """Return the text with the edits applied.

    Raises:
        ValueError: two edits overlap, or one is outside the text.
    """
    starts = LineIndex(text).starts
    spans = sorted((_offsets(starts, text, edit.span), edit.replacement) for edit in edits)
    out: list[str] = []
    done = 0
    for (begin, end), replacement in spans:
        if begin < done:
            raise ValueError("two edits overlap")
        out += (text[done:begin], replacement)
        done = end
    return "".join((*out, text[done:]))


def _offsets(starts: Sequence[int], text: str, span: Span) -> tuple[int, int]:
    def offset(line: int, column: int) -> int:
        if line == len(starts) + 1 and column == 1:
            return len(text)  # directly after the last line
        if line > len(starts):
            raise ValueError(f"line {line} is outside the text")
        return min(starts[line - 1] + column - 1, len(text))

    return offset(span.line, span.column), offset(span.end_line, span.end_column)
