"""The commits of a range that change a declaration, by the contents of its file before and after each."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec

from wardround.change.change_source import decode_text
from wardround.change.diff import Change
from wardround.change.file_history import FileEdit
from wardround.change.repository import Repository
from wardround.release_notes.declaration import ABSENT, Declaration, Reader

_MOST_RENAMES = 40
"""Maximum number of commits that are searched for renames."""
_MOST_READINGS = 120
"""Maximum number of versions of a file that are read for one declaration."""
_ROUNDS = 6


class Search(msgspec.Struct, frozen=True):
    """A declaration whose change has a commit.

    Attributes:
        paths: the file at the base and at the head.
        facets: what changes, with the value at the base; empty for what is added.
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


@dataclass
class Attribution:
    """The edits of a range, read once for all searches."""

    repository: Repository
    change: Change
    _edits: dict[str, list[FileEdit]] = field(default_factory=lambda: defaultdict(list))
    _renamed: dict[tuple[str, str], FileEdit] = field(default_factory=dict)
    _other_paths: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def causes(self, searches: Sequence[Search]) -> list[Cause]:
        """Return the cause of each change."""
        followed = {path for search in searches if not search.is_file for path in search.paths}
        self._load({path for search in searches for path in search.paths}, followed)
        return [self._cause(search) for search in searches]

    def _load(self, paths: set[str], followed: set[str]) -> None:
        """Read the edits of some files, and of those that they are renamed to or from."""
        left = _MOST_RENAMES
        for _ in range(_ROUNDS):
            added: set[str] = set()
            for edit in self.repository.file_history.edits(self.change.base, self.change.head, paths):
                self._edits[edit.path].append(edit)
                is_incomplete = not edit.after or not all(edit.before)
                if is_incomplete and edit.path in followed and left > 0:
                    left -= 1
                    added |= self._follow(edit)
            paths = added - self._edits.keys()
            followed |= paths
            if not paths:
                return

    def _follow(self, edit: FileEdit) -> set[str]:
        """Record an edit with the content at the other path of a rename, and return that path."""
        for rename in self.repository.file_history.renames(edit.commit):
            if edit.path == rename.new:
                before = tuple(blob or rename.before for blob in edit.before)
                self._renamed[edit.commit, edit.path] = msgspec.structs.replace(edit, before=before)
            elif edit.path == rename.old and not edit.after:
                self._renamed[edit.commit, edit.path] = msgspec.structs.replace(edit, after=rename.after)
            else:
                continue
            self._other_paths[edit.path] |= {rename.old, rename.new}
            return {rename.old, rename.new} - {edit.path}
        return set()

    def _cause(self, search: Search) -> Cause:
        edits = sorted(self._edits_of(search), key=lambda edit: self._order[edit.commit])
        if not edits:
            return Cause(reason=f"no commit of the range changes {search.paths[0]}")
        relevant = list(self._changing_edits(edits, search.pattern))
        if len(relevant) > _MOST_READINGS:
            return Cause(reason=f"more than {_MOST_READINGS} commits change {search.paths[0]}")
        commits = self._changing_commits(relevant, search)
        if not commits:
            return Cause(reason=f"no single commit of the range makes the change in {search.paths[0]}")
        return Cause(tuple(sorted(commits, key=self._order.__getitem__)))

    @cached_property
    def _order(self) -> dict[str, int]:
        commits = self.repository.file_history.commits(self.change.base, self.change.head)
        return {commit: position for position, commit in enumerate(commits)}

    def _edits_of(self, search: Search) -> Iterator[FileEdit]:
        """Yield the edits of the files of a declaration; a rename changes only a file itself."""
        if search.is_file:
            for path in search.paths:
                yield from self._edits.get(path, ())
            return
        paths = list(dict.fromkeys(search.paths))
        for path in paths:
            paths += sorted(self._other_paths[path].difference(paths))
            for edit in self._edits.get(path, ()):
                yield self._renamed.get((edit.commit, path), edit)

    def _changing_edits(self, edits: Sequence[FileEdit], text: str) -> Iterator[FileEdit]:
        """Yield the edits that change the matches of a pattern, or all without one."""
        pattern = re.compile(text.encode()) if text else None
        known: dict[str, list[bytes]] = {"": []}
        for edit in edits:
            for blob in (*edit.before, edit.after):
                if pattern is not None and blob not in known:
                    known[blob] = pattern.findall(self._content(blob))
            if pattern is None or any(known[blob] != known[edit.after] for blob in edit.before or ("",)):
                yield edit

    def _changing_commits(self, edits: Iterable[FileEdit], search: Search) -> set[str]:
        """Return for each facet the last commit after which it has no longer its value at the base."""
        known: dict[str, Declaration] = {"": ABSENT}
        last: dict[str, str] = {}
        for edit in edits:
            before = [self._read(blob, search.read, known) for blob in edit.before]
            after = self._read(edit.after, search.read, known)
            for facet, value in search.facets.items():
                old, new = [found.facets.get(facet, "") for found in before], after.facets.get(facet, "")
                if search.is_value and any(old) and new and new not in old:
                    last[f"{facet} {edit.commit}"] = edit.commit
                elif new != value and all(item == value for item in old):
                    last[facet] = edit.commit
        return set(last.values())

    def _read(self, blob: str, read: Reader, known: dict[str, Declaration]) -> Declaration:
        if blob not in known:
            known[blob] = read(decode_text(self._content(blob)) or "")
        return known[blob]

    def _content(self, blob: str) -> bytes:
        return self.repository.blobs.get(blob) or b""
