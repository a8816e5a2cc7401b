"""The text of a symbol for an encoder."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.context.code_graph.model import Symbol
from wardround.retrieval.documents import leading

_MOST_LINES = 80
"""More lines than fit into the window of an encoder."""
_COMMENTS = ("#", "//", "/*", "* ", "*/", "--")


def symbol_text(symbol: Symbol, lines: Sequence[str]) -> str:
    """Return the beginning of a symbol as an encoder reads it, without layout and lines of comments.

    Layout and comments do not change the text, so that a stored vector remains valid after they change.

    Args:
        lines: lines of the file.
    """
    return normalise(lines[symbol.line - 1 : symbol.end_line][:_MOST_LINES])


def normalise(lines: Sequence[str]) -> str:
    """Return lines of code as an encoder reads them, cut to its window."""
    trimmed = (" ".join(line.split()) for line in lines)
    return leading("\n".join(line for line in trimmed if line and not line.startswith(_COMMENTS)))
