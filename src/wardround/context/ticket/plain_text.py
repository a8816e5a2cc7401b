"""Text of strangers, without the characters that hide or reorder what a reader sees, and within limits."""

from __future__ import annotations

import re

MAX_DESCRIPTION = 200_000
"""Characters of a description. GitHub allows 65,536, Jira 32,767 by default."""
MAX_TITLE = 500
MAX_LINE = 2_000
"""Characters of a criterion or of an unparsed part."""

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
"""Controls, zero-width spaces, tags, bidirectional controls; not the joiners that scripts and emoji need."""
_LINE_ENDS = re.compile("\r\n?|\x85|\u2028|\u2029")


def clean_text(text: str, limit: int = MAX_DESCRIPTION) -> str:
    """Return text with ``\\n`` line ends, without invisible characters, and at most ``limit`` characters."""
    head = text[: limit * 2].encode("utf-8", "replace").decode("utf-8")
    return _INVISIBLE.sub("", _LINE_ENDS.sub("\n", head))[:limit].rstrip()


def one_line(text: str, limit: int = MAX_LINE) -> str:
    """Return text on one line, spaces collapsed, at most ``limit`` characters with an ellipsis at the end."""
    line = " ".join(clean_text(text, limit * 2).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
