"""The line of a failure that names it, in the output of a test framework or an interpreter."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence

from wardround.lazy import LazyPattern

_MARK = "E  "
"""The prefix of the lines of an error in the output of pytest."""
_TRACEBACK = "Traceback"
_SYNTAX_FRAME = LazyPattern(r'\s*File "(.{1,2000})", line (\d{1,7})$')
"""The first line of a syntax error: the file that Python cannot parse."""
_SYNTAX_ERROR = LazyPattern(r"(?:Syntax|Indentation|Tab)Error: ")
_SCRIPT_ERROR = LazyPattern(r"\s*(?:Uncaught )?(?:[A-Z]\w{0,80})?(?:Error|Exception)(?: \[\w{1,80}\])?: \S")
_SCRIPT_FRAME = LazyPattern(r"\s+at .{1,2000}:\d{1,7}\)?$")


def error_line(text: str) -> str:
    """Return the first line of the error that an output shows; the lines after it only explain it.

    That is the first that pytest marks, the first after the frames of the last traceback, or the first that
    begins like an error of JavaScript; in other output, the last line that is not a frame. A syntax error has
    its file and line.
    """
    lines = [line for line in text.splitlines() if line.strip() and not _SCRIPT_FRAME.match(line)]
    found = next(_error_lines(lines), "").strip()
    return found + _syntax_error_location(lines) if _SYNTAX_ERROR.match(found) else found


def _syntax_error_location(lines: Sequence[str]) -> str:
    """Return the last file of a frame and its line, as Python appends them to the message."""
    frames = [_SYNTAX_FRAME.match(line.removeprefix(_MARK)) for line in lines]
    last = next((frame for frame in reversed(frames) if frame is not None), None)
    return "" if last is None else f" ({posixpath.basename(last[1])}, line {last[2]})"


def _error_lines(lines: Sequence[str]) -> Iterator[str]:
    marked = [line.removeprefix(_MARK) for line in lines if line.startswith(_MARK)]
    if marked and _SYNTAX_FRAME.match(marked[0]):
        yield from (line for line in marked if _SYNTAX_ERROR.match(line.strip()))
    yield from marked
    yield from _lines_after_traceback(lines)
    yield from (line for line in lines if _SCRIPT_ERROR.match(line))
    yield from reversed(lines)


def _lines_after_traceback(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines after the last header of a traceback that belong to no frame."""
    headers = [at for at, line in enumerate(lines) if line.lstrip(" |+").startswith(_TRACEBACK)]
    for line in lines[headers[-1] + 1 :] if headers else ():
        if not line.lstrip("|").startswith(" "):
            yield line
