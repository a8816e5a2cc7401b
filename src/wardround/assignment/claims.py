"""The specialists that review each changed file, and the files that none of them can review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from wardround.assignment.change_under_review import ChangeUnderReview
from wardround.assignment.readability import MAX_SOURCE_BYTES, why_unreadable
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.filters import Filters
from wardround.context.symlinks import unreviewed_link
from wardround.findings import UNMERGED, Unreviewed
from wardround.specialists import Specialist


class Claim(msgspec.Struct, frozen=True):
    """The specialists that review one changed file; without a specialist, the file is not reviewed.

    Attributes:
        content: content at the head; empty where no specialist reviews the file.
        unreviewed: the reasons why specialists of this file cannot review it.
    """

    specialists: tuple[Specialist, ...] = ()
    content: bytes = b""
    unreviewed: tuple[Unreviewed, ...] = ()


class FileClaims:
    """Assigns the files of a change to the specialists that take part in a review."""

    def __init__(self, reviewed: ChangeUnderReview) -> None:
        self._reviewed = reviewed
        self._source = reviewed.source
        self._config = reviewed.config
        self._specialists = reviewed.specialists

    def claim(self, file: ChangedFile) -> Claim:
        """Assign one file."""
        if file.is_link and file.status is not FileStatus.DELETED:
            return self._link_claim(file)
        is_named = is_claimed_by_name(file.path, self._specialists)
        if file.status is FileStatus.DELETED or not file.is_regular:
            return Claim()
        if not is_named and "." in file.path.rpartition("/")[2]:
            return Claim()
        if file.status is FileStatus.UNMERGED:
            return Claim(unreviewed=self._unmerged_notes(file.path))
        return self._content_claim(file)

    def _link_claim(self, file: ChangedFile) -> Claim:
        unreviewed = unreviewed_link(self._source, file)
        if unreviewed is None or self._config.for_file(file.path).excluded:
            return Claim()
        return Claim(unreviewed=(unreviewed,))

    def _unmerged_notes(self, path: str) -> tuple[Unreviewed, ...]:
        claiming = [s for s in self._specialists if s.claims_name(path) and not s.reviews_all_text]
        return tuple(Unreviewed(path, s.name, "git", UNMERGED) for s in claiming)

    def _content_claim(self, file: ChangedFile) -> Claim:
        found = self._source.content(file)
        content = found or b""
        claiming = self._claiming_specialists(file.path, content)
        if not claiming or self._config.for_file(file.path).excluded:
            return Claim()
        readers: list[Specialist] = []
        unreadable: list[tuple[Specialist, str]] = []
        for reader in claiming:
            reason = why_unreadable(file, file.path, found, reader)
            if reason is None:
                readers.append(reader)
            elif reason:
                unreadable.append((reader, reason))
        if found is None or file.fragment:
            unreadable = _of_specific_readers(unreadable, claiming)
        return Claim(tuple(readers), content, self._readers_without_file(file.path, content, unreadable))

    def _readers_without_file(
        self, path: str, content: bytes, unreadable: Sequence[tuple[Specialist, str]]
    ) -> tuple[Unreviewed, ...]:
        """Return the readers without the file, each with its reason and the file that declares it."""
        declared = self._declared_in(path, content) if unreadable else ""
        source = f", as {declared} declares" if declared else ""
        return tuple(
            Unreviewed(path, reader.name, "git", reason + source, bool(declared))
            for reader, reason in unreadable
        )

    def _declared_in(self, path: str, content: bytes) -> str:
        """Return the file at the trusted side whose filter has replaced the content of a path, if any."""
        declared = self._filters.of(path)
        return declared.file if declared is not None and declared.is_replacement(content) else ""

    @cached_property
    def _filters(self) -> Filters:
        return Filters(self._reviewed.read_trusted)

    def _claiming_specialists(self, path: str, content: bytes) -> list[Specialist]:
        claiming = self._reviewed.host.specialists_for(path, content[:MAX_SOURCE_BYTES])
        return [s for s in claiming if s in self._specialists]


def _of_specific_readers(
    unreadable: list[tuple[Specialist, str]], claiming: Sequence[Specialist]
) -> list[tuple[Specialist, str]]:
    """Leave out the readers of any text, which have nothing to add where others claim a file."""
    if all(reader.reviews_all_text for reader in claiming):
        return unreadable
    return [(reader, reason) for reader, reason in unreadable if not reader.reviews_all_text]


def is_claimed_by_name(path: str, specialists: Iterable[Specialist]) -> bool:
    """Return True if the name of a file is a reason to read it."""
    return any(s.claims_name(path) or s.sniffs_content(path) for s in specialists)


def files_to_fetch(change: Change, specialists: Sequence[Specialist]) -> list[ChangedFile]:
    """Return the files whose contents a review reads for certain."""
    return [f for f in change.files if f.is_regular and is_claimed_by_name(f.path, specialists)]
