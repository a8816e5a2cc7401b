"""The text forms of queries, hunks and files for comparison.

An encoder reads the raw text of a hunk, since splitting its identifiers reduced the measured accuracy. A file
is too long for that, and is reduced to its distinct words. The beginning counts most, since an encoder reads
no further than its window.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from wardround.text.search_terms import parts

PIECES = 112
"""Maximum number of word pieces of a text that an encoder reads."""
CHUNKS = 5
CHUNK_PARTS = 80

_LETTERS_PER_PIECE = 5
_RUN = re.compile(r"[^\W_]+|[^\w\s]|_")
_PREFIX = re.compile(r"(?:fix|feat|feature|bugfix|docs?|chore|refactor|perf|tests?|build|ci|style|revert)"
                     r"(?:\([^)\n]*\))?!?:[ \t]*", re.IGNORECASE)  # fmt: skip
_TRAILER = re.compile(
    r"(?:[A-Z][a-z]+-(?:[a-z]+-)?(?:by|to|id|for)|Change-Id|Cc|BREAKING-CHANGE):", re.IGNORECASE
)
_URL = re.compile(r"https?://\S+")


def query_text(text: str) -> str:
    """Return a message or report without its conventional prefix, trailers and addresses."""
    lines = _PREFIX.sub("", text.strip(), count=1).split("\n")
    retained = (line for line in lines if not _TRAILER.match(line))
    return _URL.sub(" ", "\n".join(retained)).strip()


def query_variants(requested: str) -> list[str]:
    """Return the queries for an encoder: the complete text, and its first line if there is more."""
    return list(dict.fromkeys((leading(requested), leading(requested.split("\n", 1)[0].strip()))))


def leading(text: str, pieces: int = PIECES) -> str:
    """Return the beginning of a text that has at least ``pieces`` word pieces: rather too long than too
    short.
    """
    spent = 0
    for match in _RUN.finditer(text):
        spent += 1 + (len(match[0]) - 1) // (2 * _LETTERS_PER_PIECE)
        if spent > pieces:
            return text[: match.start()]
    return text


def hunk_text(path: str, function: str, lines: str) -> str:
    """Return a hunk for an encoder: its file, its definition, and its changed lines verbatim."""
    return leading(f"{path}\n{function}\n{lines}")


def file_texts(path: str, text: str) -> list[str]:
    """Return the texts of a file for an encoder: its distinct words in order, in up to ``CHUNKS`` texts with
    the path.
    """
    distinct = list(_first_distinct(text, CHUNKS * CHUNK_PARTS))
    name = " ".join(parts(path))
    starts = range(0, max(len(distinct), 1), CHUNK_PARTS)
    return [f"{name}\n{' '.join(distinct[at : at + CHUNK_PARTS])}" for at in starts]


def _first_distinct(text: str, limit: int) -> Iterator[str]:
    seen: set[str] = set()
    for part in parts(text):
        if len(part) > 1 and part not in seen and not part.isdigit():
            seen.add(part)
            yield part
            if len(seen) == limit:
                return
