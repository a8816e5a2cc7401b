"""The comments of TypeScript, JSX, Vue and Svelte that could address wardround."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wardround.specialists import Comment

_ADDRESS = r"(//|/\*+|<!--)\s*(?=wardround:)"
_ENDS = {"//": "\n", "<!--": "-->"}
_QUOTED = r'"(?:\\.|[^"\\])*"|' r"'(?:\\.|[^'\\])*'|" r"`(?:\\.|[^`\\])*`"


def comments(text: str) -> Iterable[Comment]:
    """Yield every comment that addresses wardround, also ``{/* */}`` between JSX elements and ``<!-- -->``.

    The text of a comment ends with the comment, not with the line; the marker inside a string is not a
    comment.
    """
    if "wardround:" not in text:
        return
    for number, line in enumerate(text.split("\n"), 1):
        found = re.search(_ADDRESS, line)
        if found is None or _is_quoted(line, found.start()):
            continue
        end = _ENDS.get(found[1], "*/")
        yield Comment(number, line[found.end() :].partition(end)[0].strip(), found.start(1) + 1)


def _is_quoted(line: str, place: int) -> bool:
    """Return True if a position is inside a string of its line; JSX text may contain a single apostrophe."""
    return any(quoted.start() < place < quoted.end() for quoted in re.finditer(_QUOTED, line))
