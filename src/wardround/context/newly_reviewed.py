"""Changed files whose old version was not reviewed by the specialists that claim the new one.

Such content counts as added: a rename out of a kind that nobody reviews must not make all of it *existing*.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from msgspec.structs import replace

from wardround.change.diff import ChangedFile, FileStatus, Hunk
from wardround.specialists import Specialist


def as_first_reviewed(
    file: ChangedFile,
    content: bytes,
    readers: Sequence[Specialist],
    reviewed_base: Callable[[ChangedFile, Sequence[Specialist]], Collection[Specialist]],
) -> ChangedFile:
    """The file as the review treats it: added where no reader covered its old version.

    The readers that decide are those that know the language of the file; those of any text decide only where
    no other claims it. Where some of them covered the old version, the file stays what it is, and is marked
    for the others.

    Args:
        content: at the head.
        readers: the specialists that review the file at the head.
        reviewed_base: returns those of some specialists that reviewed the old version.
    """
    if file.base_path is None or file.fragment or file.lost:
        return file
    if file.status is FileStatus.RETYPED:  # it was a link or a submodule
        return added_in_full(file, content)
    deciding = [s for s in readers if not s.reviews_all_text] or list(readers)
    covering = reviewed_base(file, deciding)
    first = [s for s in deciding if s not in covering]
    if len(first) == len(deciding):
        return added_in_full(file, content)
    return replace(file, first_for=tuple(s.name for s in first)) if first else file


def added_in_full(file: ChangedFile, content: bytes) -> ChangedFile:
    """The file as one whose every line is added."""
    lines = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
    return replace(file.as_added(), hunks=(Hunk(0, 0, 1, lines),) if lines else ())


def with_deletions(files: Sequence[ChangedFile], treated: Sequence[ChangedFile]) -> Iterator[ChangedFile]:
    """The treated files, and for each rename that became an addition the deletion of the old path."""
    paths = {file.path for file in files}
    for file, now in zip(files, treated, strict=True):
        yield now
        old = file.base_path
        if now.base_path is None and file.status is FileStatus.RENAMED and old and old not in paths:
            yield ChangedFile(old, old, FileStatus.DELETED, file.mode, base_blob=file.base_blob)
