"""The canonical form of a change under review, and the id that is its digest."""

from __future__ import annotations

from collections.abc import Mapping

from wardround.change.diff import Change, ChangedFile
from wardround.storage.digest import sha256


def context_id(change: Change, digests: Mapping[str, bytes]) -> str:
    """Return the id of a context: a SHA-256 over the revisions and the files of a change.

    The target is included only if it is not the base.

    Args:
        digests: path -> digest of the reviewed content, for files without an object id.
    """
    digest = sha256()
    target = () if change.target == change.base else (change.target,)
    for revision in (change.base, change.head, *target):
        digest.update(revision.encode() + b"\0")
    for file in change.files:
        digest.update(_canonical_file(file, digests.get(file.path, b"")))
    return f"sha256:{digest.hexdigest()}"


def _canonical_file(file: ChangedFile, content_digest: bytes) -> bytes:
    fields = (
        file.path, file.base_path or "", file.status, file.mode,
        file.head_blob or "", file.base_blob or "", content_digest.hex(),
    )  # fmt: skip
    return "\0".join(fields).encode("utf-8", "surrogateescape") + b"\n"
