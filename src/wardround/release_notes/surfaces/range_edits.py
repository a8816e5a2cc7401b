"""The edits of files in a range, through the renames of the files."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from functools import cached_property

from msgspec.structs import replace

from wardround.change.diff import Change
from wardround.change.file_history import FileEdit
from wardround.change.repository import Repository

_MOST_RENAMES = 40
"""Maximum number of commits that are searched for renames."""
_ROUNDS = 6
"""Maximum number of names that a file had."""


@dataclass
class RangeEdits:
    """The edits of some files, each with the content at the other path of a rename.

    Attributes:
        order: the commits of the range by id, oldest first.
    """

    repository: Repository
    change: Change
    _edits: dict[str, list[FileEdit]] = field(default_factory=lambda: defaultdict(list))
    _renamed: dict[tuple[str, str], FileEdit] = field(default_factory=dict)
    _other_paths: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    @cached_property
    def order(self) -> dict[str, int]:
        commits = self.repository.file_history.commits(self.change.base, self.change.head)
        return {commit: position for position, commit in enumerate(commits)}

    def load(self, paths: Collection[str], followed: Collection[str]) -> None:
        """Read the edits of some files.

        Args:
            followed: the paths whose renames matter, to other names and from them.
        """
        left, pending, names = _MOST_RENAMES, set(paths), set(followed)
        for _ in range(_ROUNDS):
            added: set[str] = set()
            for edit in self.repository.file_history.edits(self.change.base, self.change.head, pending):
                self._edits[edit.path].append(edit)
                is_incomplete = not edit.after or not all(edit.before)
                if is_incomplete and edit.path in names and left > 0:
                    left -= 1
                    added |= self._follow(edit)
            pending = added - self._edits.keys()
            names |= pending
            if not pending:
                return

    def _follow(self, edit: FileEdit) -> set[str]:
        """Record an edit with the content at the other path of a rename, and return that path."""
        for rename in self.repository.file_history.renames(edit.commit):
            if edit.path == rename.new:
                before = tuple(blob or rename.before for blob in edit.before)
                self._renamed[edit.commit, edit.path] = replace(edit, before=before)
            elif edit.path == rename.old and not edit.after:
                self._renamed[edit.commit, edit.path] = replace(edit, after=rename.after)
            else:
                continue
            self._other_paths[edit.path] |= {rename.old, rename.new}
            return {rename.old, rename.new} - {edit.path}
        return set()

    def of_declaration(self, paths: Collection[str]) -> list[FileEdit]:
        """Return the edits of files under all of their names, in the order of the commits."""
        names = list(dict.fromkeys(paths))
        found = []
        for path in names:
            names += sorted(self._other_paths[path].difference(names))
            found += [self._renamed.get((edit.commit, path), edit) for edit in self._edits.get(path, ())]
        return self._in_order(found)

    def of_files(self, paths: Collection[str]) -> list[FileEdit]:
        """Return the edits under some names only, so that a rename removes a file."""
        return self._in_order(edit for path in paths for edit in self._edits.get(path, ()))

    def _in_order(self, edits: Iterator[FileEdit] | list[FileEdit]) -> list[FileEdit]:
        return sorted(edits, key=lambda edit: self.order[edit.commit])
