"""Commits whose change is not between base and head: a later one takes it back, or the base has it already.

A revert that names nothing, a rewritten feature, and a fix that was applied to a release branch by hand have
no trace in the messages; the contents of the files show them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

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
    """The lines that a commit adds to a file and removes from it, with their numbers."""

    before: str
    added: Counter[str]
    removed: Counter[str]

    @property
    def new_words(self) -> frozenset[str]:
        """The words that the file had not before."""
        added = frozenset(_WORD.findall("\n".join(self.added)))
        return added - frozenset(_WORD.findall(self.before))


@dataclass(frozen=True)
class RemainingChanges:
    """Compares the edits of commits with the contents at base and head.

    Attributes:
        base, head: ids of commits.
        is_diverged: the base has commits that the head does not have.
    """

    code: ChangedCode
    base: str
    head: str
    is_diverged: bool

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
        edit, present = self._edit(file), _lines(self.code.text(blob))
        if edit is None or not present or not _has_all(present, edit.removed):
            return False
        words = edit.new_words
        if words:
            return words.isdisjoint(word for line in present for word in _WORD.findall(line))
        return bool(edit.removed) and not any(line in present for line in edit.added)

    def _is_in_base(self, file: FileChange) -> bool:
        blob = self.code.entries(self.base).get(file.path, "")
        if blob in ("", file.old):
            return False
        if blob == file.new:
            return True
        edit, present = self._edit(file), _lines(self.code.text(blob))
        if edit is None or not present or not edit.added:
            return False
        after = _lines(self.code.text(file.new))
        return all(present[line] >= after[line] for line in edit.added) and not any(
            line in present and line not in after for line in edit.removed
        )

    def _edit(self, file: FileChange) -> _Edit | None:
        """Return the edit of a file; None if a content cannot be read, or no line of weight changes."""
        before, after = self.code.text(file.old), self.code.text(file.new)
        if not after or (file.old and not before):
            return None
        old, new = _lines(before), _lines(after)
        edit = _Edit(before, new - old, old - new)
        return edit if edit.added or edit.removed else None


def _lines(text: str) -> Counter[str]:
    return Counter(_weighty_lines(text))


def _weighty_lines(text: str) -> Iterator[str]:
    for line in text.split("\n"):
        stripped = line.strip()
        if len(stripped) >= _LEAST_CHARACTERS:
            yield stripped


def _has_all(present: Counter[str], lines: Counter[str]) -> bool:
    return all(line in present for line in lines)
