"""Commits whose change is not between base and head: a later one takes it back, or the base has it already.

A revert that names nothing, a rewritten feature, and a fix that was applied to a release branch by hand have
no trace in the messages; the contents of the files show them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from wardround.change.commit_log import FileChange
from wardround.lazy import LazyPattern
from wardround.release_notes.history.changed_code import ChangedCode
from wardround.release_notes.history.history import HistoryCommit
from wardround.release_notes.history.path_class import PathClass, class_of_path

WITHDRAWN = "a later commit of the range takes it back"
IN_BASE = "the base has the same lines"
_WORD = LazyPattern(r"[^\W\d]\w{2,}")
_LEAST_CHARACTERS = 4
"""Shorter lines, such as a bracket, are in every file."""


@dataclass(frozen=True)
class _Edit:
    """The lines that a commit adds to a file and removes from it, with their numbers.

    Attributes:
        before: the content before it.
        after: the lines after it.
    """

    before: str
    after: Counter[str]
    added: Counter[str]
    removed: Counter[str]

    def is_undone(self, present: Counter[str]) -> bool:
        """Return True if a content has the removed lines and no new word; without one, no added line."""
        if not self.removed.keys() <= present.keys():
            return False
        words = self._new_words
        if words:
            return words.isdisjoint(_words(present))
        return bool(self.removed) and self.added.keys().isdisjoint(present)

    def is_done(self, present: Counter[str]) -> bool:
        """Return True if a content has the added lines as often as after the edit, and no removed line."""
        if not self.added or any(present[line] < self.after[line] for line in self.added):
            return False
        return (self.removed.keys() - self.after.keys()).isdisjoint(present)

    @property
    def _new_words(self) -> frozenset[str]:
        """The words that the file had not before."""
        return _words(self.added) - frozenset(_WORD.findall(self.before))


@dataclass(frozen=True)
class RemainingChanges:
    """Compares the edits of commits with the contents at base and head.

    Attributes:
        code: reads the contents, within its limits, which other readers of the range do not share.
        base, head: ids of commits.
        is_diverged: the base has commits that the head does not have.
    """

    code: ChangedCode
    base: str
    head: str
    is_diverged: bool
    _counted: dict[str, Counter[str]] = field(default_factory=dict)

    def problem(self, unit: HistoryCommit) -> str:
        """Return why the change of a commit is not one of the range; empty if it is, or may be."""
        files = [file for file in unit.files if class_of_path(file.path) is PathClass.PRODUCT]
        if not files:
            return ""
        if all(self._is_withdrawn(file) for file in files):
            return WITHDRAWN
        return IN_BASE if self.is_diverged and all(self._is_in_base(file) for file in files) else ""

    def _is_withdrawn(self, file: FileChange) -> bool:
        blob = self.code.entries(self.head).get(file.path, "")
        if blob in ("", file.new) or not file.new:
            return False
        if blob == file.old:
            return True
        edit, present = self._edit(file), self._lines(blob)
        return edit is not None and bool(present) and edit.is_undone(present)

    def _is_in_base(self, file: FileChange) -> bool:
        blob = self.code.entries(self.base).get(file.path, "")
        if blob in ("", file.old):
            return False
        if blob == file.new:
            return True
        edit, present = self._edit(file), self._lines(blob)
        return edit is not None and edit.is_done(present)

    def _edit(self, file: FileChange) -> _Edit | None:
        """Return the edit of a file; None if a content cannot be read, or no line of weight changes."""
        before, after = self.code.text(file.old), self.code.text(file.new)
        if not after or (file.old and not before):
            return None
        old, new = Counter(_weighty_lines(before)), Counter(_weighty_lines(after))
        edit = _Edit(before, new, new - old, old - new)
        return edit if edit.added or edit.removed else None

    def _lines(self, blob: str) -> Counter[str]:
        """Return the lines of a content of base or head, with which several commits are compared."""
        if blob not in self._counted:
            self._counted[blob] = Counter(_weighty_lines(self.code.text(blob)))
        return self._counted[blob]


def _weighty_lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        stripped = line.strip()
        if len(stripped) >= _LEAST_CHARACTERS:
            yield stripped


def _words(lines: Iterable[str]) -> frozenset[str]:
    return frozenset(_WORD.findall("\n".join(lines)))
