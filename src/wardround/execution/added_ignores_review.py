"""The second review of files with ignore comments for changed code, without those comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec
from msgspec.structs import replace

from wardround.assignment.work_units import WorkUnit, content_digest
from wardround.change.change_source import ChangeSource, FileTexts
from wardround.change.diff import Change, ChangedFile
from wardround.context.added_ignores import BlankedFile, blank_ignores, mentions_ignore
from wardround.findings import Unreviewed
from wardround.tools.ignore_comments import IgnoreComments


class BlankedFiles(msgspec.Struct, frozen=True):
    """Copies of files at base or head without ignore comments, and the units that review them."""

    copies: dict[str, bytes]
    units: list[WorkUnit]


def blank_base_and_head(
    source: ChangeSource, change: Change, units: Sequence[WorkUnit], comments: IgnoreComments
) -> tuple[BlankedFiles, BlankedFiles]:
    """Return head and base without the ignore comments that apply to changed code; without units if none do.

    Base and head, so that a finding that a comment hid before the change, and hides again, is not new.
    """
    files = {file.path: file for file in change.files}
    blanks = dict(_blanked_files(source, change, (files[unit.path] for unit in units), comments))
    heads = {path: both.head for path, both in blanks.items()}
    bases = {base: both.base for path, both in blanks.items() if (base := files[path].base_path) is not None}
    again = [unit for unit in units if unit.path in blanks]
    base_units = [_copied_unit(u, base, bases[base]) for u in again if (base := files[u.path].base_path)]
    head_units = [_copied_unit(unit, unit.path, heads[unit.path]) for unit in again]
    return BlankedFiles(heads, head_units), BlankedFiles(bases, base_units)


def reviews_failing_without_comments(
    unreviewed: Sequence[Unreviewed], without_ignores: Iterable[Unreviewed]
) -> list[Unreviewed]:
    """Return the reviews that failed only without the comments, as unreviewed: the comments may hide
    anything.
    """
    known = {(u.file, u.specialist, u.tool) for u in unreviewed}
    return [
        replace(u, reason=f"without the ignore comments of changed code: {u.reason}")
        for u in without_ignores
        if (u.file, u.specialist, u.tool) not in known
    ]


def _blanked_files(
    source: ChangeSource, change: Change, files: Iterable[ChangedFile], comments: IgnoreComments
) -> Iterator[tuple[str, BlankedFile]]:
    texts = FileTexts(source, change)
    for path, file in {file.path: file for file in files}.items():
        content = source.content(file)
        if content is None or file.fragment or not mentions_ignore(comments, content):
            continue
        both = blank_ignores(comments, file, texts.base_bytes(path), content)
        if both is not None:
            yield path, both


def _copied_unit(unit: WorkUnit, path: str, content: bytes) -> WorkUnit:
    """Return the unit of a file that is reviewed as a copy."""
    return replace(unit, path=path, digest=content_digest(content), scored=False)
