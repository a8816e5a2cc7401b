"""The commits of a range that change a declaration, by the contents of its file before and after each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec

from wardround.change.change_source import decode_text
from wardround.change.diff import Change
from wardround.change.file_history import FileEdit
from wardround.change.repository import Repository
from wardround.release_notes.surfaces.declaration import ABSENT, Reader
from wardround.release_notes.surfaces.range_edits import RangeEdits

_MOST_READINGS = 120
"""Maximum number of versions of a file that are read for one declaration."""


class Search(msgspec.Struct, frozen=True):
    """A declaration whose change is attributed.

    Attributes:
        paths: the file at the base and at the head.
        facets: the changed ones with their values at the base; that of an added one is empty.
        pattern: an edit after which the file has the same matches changes no facet; empty if that is unknown.
        is_file: the file itself is the declaration, so that a rename removes it.
        is_value: each commit that changes a facet has a part in the change, as with a range of versions.
    """

    paths: tuple[str, ...]
    read: Reader
    facets: Mapping[str, str]
    pattern: str = ""
    is_file: bool = False
    is_value: bool = False


class Cause(msgspec.Struct, frozen=True):
    """The commits of a change, oldest first, or the reason why none is known."""

    commits: tuple[str, ...] = ()
    reason: str = ""


class _Reading(msgspec.Struct, frozen=True):
    """A search with the edits that may change its facets, and the facets of each content once it is read.

    Attributes:
        reason: why no commit can be found; empty if the edits are to be read.
    """

    search: Search
    edits: Sequence[FileEdit] = ()
    reason: str = ""
    facets: dict[str, Mapping[str, str]] = msgspec.field(default_factory=lambda: {"": ABSENT.facets})

    def changing_commits(self) -> set[str]:
        """Return for each facet the last commit after which it has no longer its value at the base."""
        if self.search.is_value:
            found = {
                edit.commit
                for edit in self.edits
                for facet in self.search.facets
                if self._is_next_value(edit, facet)
            }
            if found:
                return found
        last: dict[str, str] = {}
        for facet, value in self.search.facets.items():
            for edit in self.edits:
                if self._is_departure(edit, facet, value):
                    last[facet] = edit.commit
        return set(last.values())

    def _values(self, edit: FileEdit, facet: str) -> tuple[list[str], str]:
        """Return the values of a facet at the parents of a commit, and after it."""
        old = [self.facets[blob].get(facet, "") for blob in edit.before]
        return old, self.facets[edit.after].get(facet, "")

    def _is_next_value(self, edit: FileEdit, facet: str) -> bool:
        """Return True if one value replaces another one."""
        old, new = self._values(edit, facet)
        return any(old) and new not in ("", *old)

    def _is_departure(self, edit: FileEdit, facet: str, value: str) -> bool:
        """Return True if a facet has a value before a commit, and another one after it."""
        old, new = self._values(edit, facet)
        return new != value and set(old) <= {value}


@dataclass(frozen=True)
class Attribution:
    """Finds the commits of a range for several declarations; each content is read once for all of them."""

    repository: Repository
    change: Change

    def causes(self, searches: Sequence[Search]) -> list[Cause]:
        """Return the cause of each change."""
        edits = RangeEdits(self.repository, self.change)
        followed = {path for search in searches if not search.is_file for path in search.paths}
        edits.load({path for search in searches for path in search.paths}, followed)
        readings = [self._reading(search, edits) for search in searches]
        self._read_contents(readings)
        return [_cause(reading, edits.order) for reading in readings]

    def _reading(self, search: Search, edits: RangeEdits) -> _Reading:
        found = edits.of_files(search.paths) if search.is_file else edits.of_declaration(search.paths)
        if not found:
            return _Reading(search, reason=f"no commit of the range changes {search.paths[0]}")
        changing = list(self._changing_edits(found, search.pattern))
        if len(changing) > _MOST_READINGS:
            return _Reading(search, reason=f"more than {_MOST_READINGS} commits change {search.paths[0]}")
        return _Reading(search, changing)

    def _changing_edits(self, edits: Sequence[FileEdit], text: str) -> Iterator[FileEdit]:
        """Yield the edits that change the matches of a pattern, or all without one."""
        if not text:
            yield from edits
            return
        pattern = re.compile(text.encode())
        matches: dict[str, list[bytes]] = {"": []}
        for edit in edits:
            for blob in (*edit.before, edit.after):
                if blob not in matches:
                    matches[blob] = pattern.findall(self._content(blob))
            if any(matches[blob] != matches[edit.after] for blob in edit.before or ("",)):
                yield edit

    def _read_contents(self, readings: Iterable[_Reading]) -> None:
        """Read the facets of all contents; only one content is in memory as a tree at a time."""
        wanted: dict[str, list[_Reading]] = defaultdict(list)
        for reading in readings:
            blobs = dict.fromkeys(
                blob for edit in reading.edits for blob in (*edit.before, edit.after) if blob
            )
            for blob in blobs:
                wanted[blob].append(reading)
        for blob, all_ in wanted.items():
            text = decode_text(self._content(blob)) or ""
            for reading in all_:
                reading.facets[blob] = reading.search.read(text).facets

    def _content(self, blob: str) -> bytes:
        return self.repository.blobs.get(blob) or b""


def _cause(reading: _Reading, order: Mapping[str, int]) -> Cause:
    if reading.reason:
        return Cause(reason=reading.reason)
    commits = sorted(reading.changing_commits(), key=order.__getitem__)
    if not commits:
        return Cause(reason=f"no single commit of the range makes the change in {reading.search.paths[0]}")
    return Cause(tuple(commits))
