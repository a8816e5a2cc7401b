"""The reasons why a specialist cannot review the base or head version of a changed file."""

from __future__ import annotations

from wardround.change.change_source import NOT_UTF8, decode_any_encoding, decode_text, is_lfs_pointer
from wardround.change.diff import ChangedFile
from wardround.change.filters import is_ciphertext
from wardround.change.trees import MAX_FILE_BYTES
from wardround.specialists import Specialist

MAX_SOURCE_BYTES = 2 * 1024 * 1024
"""Larger files are generated or data, and no tool finishes them within a commit."""
_MAX_TEXT_BYTES = MAX_FILE_BYTES - 1
"""The limit for specialists that review any text, line by line."""


def why_unreadable(file: ChangedFile, path: str, content: bytes | None, specialist: Specialist) -> str | None:
    """Return the reason why a specialist cannot review the base or head version of a changed file; None if it
    can.

    Args:
        path: path of the file in that version.
        content: content of the file in that version.

    Returns:
        Empty if the version contains nothing for the specialist to review, so that nothing is missing.
    """
    if file.fragment:
        return "the diff has only fragments of it; give --repo with a matching checkout"
    if content is None:
        return "its content is not in this clone; fetch it (partial or damaged clone)"
    if specialist.reviews_all_text:
        is_stand_in = is_lfs_pointer(content) or is_ciphertext(content)
        is_content = _is_decodable(content, _MAX_TEXT_BYTES) and not is_stand_in
        return _too_large(content, _MAX_TEXT_BYTES) if is_content else ""
    return _why_no_source(content) or _explain_decline(path, content, specialist)


def _why_no_source(content: bytes) -> str | None:
    if is_lfs_pointer(content):
        return "it is a Git LFS pointer, and its content is not in the repository"
    if is_ciphertext(content):
        return "it is encrypted"
    return _too_large(content, MAX_SOURCE_BYTES)


def _explain_decline(path: str, content: bytes, specialist: Specialist) -> str | None:
    text = decode_text(content)
    return NOT_UTF8 if text is None else specialist.declines(path, text) or None


def _too_large(content: bytes, limit: int) -> str | None:
    return f"it is larger than {limit // 1024 // 1024} MiB" if len(content) > limit else None


def _is_decodable(content: bytes, limit: int) -> bool:
    """Return True if content can be read as text; above the limit, if it holds no zero character."""
    text = decode_any_encoding(content)
    return text is not None and (len(content) <= limit or "\0" not in text)
