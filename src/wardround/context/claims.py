"""The specialists that review each changed file, and the files that none of them can review."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from wardround.change.change_source import ChangeSource
from wardround.change.diff import Change, ChangedFile, FileStatus
from wardround.change.filters import Filters
from wardround.config.request import ReviewRequest
from wardround.config.schema import Config
from wardround.context.readability import MAX_SOURCE_BYTES, why_unreadable
from wardround.context.symlinks import unreviewed_link
from wardround.findings import UNMERGED, Unreviewed
from wardround.host import PluginHost
from wardround.specialists import Specialist


class Claim(msgspec.Struct, frozen=True):
    """The specialists that review one changed file; without a specialist, the file is not reviewed.

    Attributes:
        content: at the head; empty where no specialist reviews the file.
        unreviewed: the reasons why specialists of this file cannot review it.
    """

    specialists: tuple[Specialist, ...] = ()
    content: bytes = b""
    unreviewed: tuple[Unreviewed, ...] = ()


class FileClaims:
    """Assigns the files of a change to the specialists that take part in a review."""

    def __init__(
        self, source: ChangeSource, host: PluginHost, config: Config, request: ReviewRequest
    ) -> None:
        self._source = source
        self._host = host
        self._config = config
        self._request = request
        self.specialists = selected_specialists(host, config, request)

    def claim(self, file: ChangedFile) -> Claim:
        """Assign one file."""
        if file.is_link and file.status is not FileStatus.DELETED:
            return self._link_claim(file)
        is_named = is_claimed_by_name(file.path, self.specialists)
        if file.status is FileStatus.DELETED or not file.is_regular:
            return Claim()
        if not is_named and "." in file.path.rpartition("/")[2]:
            return Claim()
        if file.status is FileStatus.UNMERGED:
            return Claim(unreviewed=self._unmerged(file.path))
        return self._content_claim(file)

    def _link_claim(self, file: ChangedFile) -> Claim:
        unreviewed = unreviewed_link(self._source, file)
        if unreviewed is None or self._config.for_file(file.path).excluded:
            return Claim()
        return Claim(unreviewed=(unreviewed,))

    def _unmerged(self, path: str) -> tuple[Unreviewed, ...]:
        claiming = [s for s in self.specialists if s.claims_name(path) and not s.reviews_all_text]
        return tuple(Unreviewed(path, s.name, "git", UNMERGED) for s in claiming)

    def _content_claim(self, file: ChangedFile) -> Claim:
        content = self._source.content(file)
        claiming = self._claiming(file.path, content or b"")
        if not claiming or self._config.for_file(file.path).excluded:
            return Claim()
        reasons = {s.name: why_unreadable(file, file.path, content, s) for s in claiming}
        readers = tuple(s for s in claiming if reasons[s.name] is None)
        any_text_only = all(s.reviews_all_text for s in claiming)
        is_known = content is not None and not file.fragment
        declared = self._declared_in(file.path, content or b"") if any(reasons.values()) else ""
        unreviewed = tuple(
            Unreviewed(
                file.path, s.name, "git", reason + (declared and f", as {declared} declares"), bool(declared)
            )
            for s in claiming
            if (reason := reasons[s.name]) and (not s.reviews_all_text or any_text_only or is_known)
        )
        return Claim(readers, content or b"", unreviewed)

    def _declared_in(self, path: str, content: bytes) -> str:
        """Return the file on the trusted side whose filter has replaced the content of a path, or nothing."""
        declared = self._filters.of(path)
        return declared.file if declared is not None and declared.replaced(content) else ""

    @cached_property
    def _filters(self) -> Filters:
        side = self._request.trusted_side
        return Filters(lambda path: self._source.read(path, side))

    def _claiming(self, path: str, content: bytes) -> list[Specialist]:
        claiming = self._host.specialists_for(path, content[:MAX_SOURCE_BYTES])
        return [s for s in claiming if s in self.specialists]


def selected_specialists(host: PluginHost, config: Config, request: ReviewRequest) -> list[Specialist]:
    """The specialists that take part in a review, in the order of their names."""
    return [s for s in host.specialists if is_selected(s.name, config, request)]


def is_selected(name: str, config: Config, request: ReviewRequest) -> bool:
    """Return True if the specialist of this name takes part in a review."""
    only = request.only or config.root.only
    skip = (*request.skip, *config.root.skip)
    return name not in skip and (not only or name in only)


def is_claimed_by_name(path: str, specialists: Iterable[Specialist]) -> bool:
    """Return True if the name of a file is a reason to read it."""
    return any(s.claims_name(path) or s.sniffs_content(path) for s in specialists)


def files_to_fetch(change: Change, specialists: Sequence[Specialist]) -> list[ChangedFile]:
    """The files whose contents a review reads for certain."""
    return [f for f in change.files if f.is_regular and is_claimed_by_name(f.path, specialists)]
