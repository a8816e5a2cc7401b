"""Changed files whose old version was not reviewed by the specialists that claim the new one.

Such content counts as added: otherwise a rename from an unreviewed kind of file would turn all of its
findings into existing ones.
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
    """Return the file as it is reviewed: added where no reader covered its old version.

    The specialists of the file's language decide; those for all text files decide only if no other claims it.
    Where some of them covered the old version, the file keeps its status and is marked for the others.

    Args:
        content: content at the head.
        readers: the specialists that review the file at the head.
        reviewed_base: returns those of some specialists that reviewed the old version.
    """
    if file.base_path is None or file.fragment or file.lost:
        return file
    if file.status is FileStatus.RETYPED:  # it was a link or a submodule
        return added_in_full(file, content)
    deciding = _deciding_readers(readers)
    covering = reviewed_base(file, deciding)
    first = [reader.name for reader in deciding if reader not in covering]
    if len(first) == len(deciding):
        return added_in_full(file, content)
    return replace(file, first_for=tuple(first)) if first else file


def _deciding_readers(readers: Sequence[Specialist]) -> list[Specialist]:
    return [reader for reader in readers if not reader.reviews_all_text] or list(readers)


def added_in_full(file: ChangedFile, content: bytes) -> ChangedFile:
    """Return the file as if the change added all of its lines."""
    lines = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
    return replace(file.as_added(), hunks=(Hunk(0, 0, 1, lines),) if lines else ())


def add_deletions(files: Sequence[ChangedFile], reviewed: Sequence[ChangedFile]) -> Iterator[ChangedFile]:
    """The files as they are reviewed, and a deletion of the old path where a rename became an addition."""
    paths = {file.path for file in files}
    for file, as_reviewed in zip(files, reviewed, strict=True):
        yield as_reviewed
        old = file.base_path
        if as_reviewed.base_path is None and file.status is FileStatus.RENAMED and old and old not in paths:
            yield ChangedFile(old, old, FileStatus.DELETED, file.mode, base_blob=file.base_blob)
