"""The commits of a range that change a declaration, by the contents of its file before and after each."""

from __future__ import annotations

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
        words: an edit that neither adds nor removes one of them changes no facet; none if that is unknown.
        is_file: the file itself is the declaration, so that a rename removes it.
        is_value: each commit that changes a facet has a part in the change, as with a range of versions.
    """

    paths: tuple[str, ...]
    read: Reader
    facets: Mapping[str, str]
    words: tuple[str, ...] = ()
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
    _targets: dict[tuple[str, str], str] = field(default_factory=dict)

    def causes(self, searches: Sequence[Search]) -> list[Cause]:
        """Return the cause of each change."""
        followed = {path for search in searches if not search.is_file for path in search.paths}
        self._load({path for search in searches for path in search.paths}, followed)
        return [self._cause(search) for search in searches]

    def _load(self, paths: set[str], followed: set[str]) -> None:
        """Read the edits of some files, and of those that they are renamed to."""
        left = _MOST_RENAMES
        for _ in range(_ROUNDS):
            edits = self.repository.file_history.edits(self.change.base, self.change.head, paths)
            added: set[str] = set()
            for edit in edits:
                self._edits[edit.path].append(edit)
                if not edit.after and edit.path in followed and left > 0:
                    left -= 1
                    added |= self._follow(edit)
            paths = added - self._edits.keys()
            followed |= paths
            if not paths:
                return

    def _follow(self, edit: FileEdit) -> set[str]:
        """Return the new path of a file that a commit renames; none if it removes it."""
        target = self.repository.file_history.renames(edit.commit).get(edit.path)
        if target is None:
            return set()
        self._targets[edit.commit, edit.path] = target
        return {target}

    def _cause(self, search: Search) -> Cause:
        paths = self._all_paths(search)
        edits = [edit for path in paths for edit in self._edits.get(path, ())]
        if not edits:
            return Cause(reason=f"no commit of the range changes {search.paths[0]}")
        relevant = [edit for edit in self._joined(edits, search) if self._may_change(edit, search.words)]
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

    def _all_paths(self, search: Search) -> list[str]:
        """Return the paths of a declaration, with those that its file has in between."""
        found = list(dict.fromkeys(search.paths))
        if search.is_file:
            return found
        for path in found:
            found += [
                target for (_, old), target in self._targets.items() if old == path and target not in found
            ]
        return found

    def _joined(self, edits: Sequence[FileEdit], search: Search) -> Iterator[FileEdit]:
        """Yield the edits in the order of their commits, a rename as one edit."""
        by_place = {(edit.commit, edit.path): edit for edit in edits}
        targets = (
            set() if search.is_file else {(commit, target) for (commit, _), target in self._targets.items()}
        )
        for edit in sorted(edits, key=lambda edit: self._order[edit.commit]):
            place = edit.commit, edit.path
            if place in targets:
                continue
            target = None if search.is_file else self._targets.get(place)
            renamed = by_place.get((edit.commit, target)) if target is not None else None
            yield edit if renamed is None else FileEdit(edit.commit, edit.path, edit.before, renamed.after)

    def _may_change(self, edit: FileEdit, words: Sequence[str]) -> bool:
        """Return True if the number of some word differs, or nothing is known."""
        if not words or not edit.after or not all(edit.before):
            return True
        after = self._content(edit.after)
        return any(
            self._content(blob).count(word.encode()) != after.count(word.encode())
            for blob in edit.before
            for word in words
        )

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
