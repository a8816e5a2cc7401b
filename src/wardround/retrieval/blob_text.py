"""The text of a blob, for a search."""

from __future__ import annotations

from wardround.change.change_source import decode_text
from wardround.change.repository import Repository

LONGEST_FILE = 1024 * 1024
"""Bytes; what is longer was not written by people."""


def blob_text(repository: Repository, blob: str) -> str | None:
    """Return the text of a blob; None if it is too long, missing, or not UTF-8."""
    content = repository.blobs.get(blob)
    return None if content is None or len(content) > LONGEST_FILE else decode_text(content)
