"""The statements that enclose a line, by indentation: for each language that is laid out with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

_MOST_LINES = 600
"""Lines above a line that are searched."""
_CLOSING = (")", "]", "}", "*/", "<", "'''", '"""', "else", "elif", "except", "finally")
_MOST_DECORATORS = 30
_DEEPEST = 12
"""Blocks around a line that are returned."""


def enclosing_lines(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the numbers of the lines that open the blocks around a line, the innermost first; 1-based."""
    indent, found = indentation(lines[number - 1]), 0
    for above in range(number - 1, max(0, number - _MOST_LINES), -1):
        line = lines[above - 1]
        text = line.strip()
        if not text or text.startswith(_CLOSING):
            continue
        width = indentation(line)
        if width < indent:
            indent, found = width, found + 1
            yield above
        if indent == 0 or found == _DEEPEST:
            return


def decorators(lines: Sequence[str], number: int) -> list[int]:
    """Return the numbers of the decorators directly above a definition, those of several lines included."""
    width, found = indentation(lines[number - 1]), []
    for above in range(number - 1, max(0, number - _MOST_DECORATORS), -1):
        line = lines[above - 1]
        text = line.strip()
        if not text or (indentation(line) <= width and not text.startswith(("@", ")", "]", "}"))):
            break
        if text.startswith("@") and indentation(line) == width:
            found.append(above)
    return found


def indentation(line: str) -> int:
    """Return the number of blanks that a line begins with; a tab counts as four."""
    body = line.lstrip(" \t")
    return len(line[: len(line) - len(body)].replace("\t", "    "))
