"""The commits and references of a breaking statement."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from wardround.release_notes.model import BreakingForm, NoteKind, NotesCommit, Statement


@dataclass(frozen=True)
class Evidence:
    """The commits of the notes, by themselves and by what they merged."""

    commits: Sequence[NotesCommit]

    def statement(self, text: str, causes: Iterable[str], form: BreakingForm | None = None) -> Statement:
        """Return a breaking statement; a merged commit is followed by its merge."""
        commits = tuple(dict.fromkeys(name for cause in causes for name in self._with_merge(cause)))
        references = tuple(dict.fromkeys(name for commit in commits for name in self._references(commit)))
        return Statement(NoteKind.BREAKING, text, commits, references=references, breaking=form)

    def message(self, commit: str) -> str:
        """Return subject and body of a commit; empty if it is not in the notes."""
        known = self._by_id.get(commit)
        return "" if known is None else f"{known.subject}\n{known.body}"

    def _with_merge(self, commit: str) -> Iterator[str]:
        yield commit
        if commit in self._merges:
            yield self._merges[commit]

    def _references(self, commit: str) -> tuple[str, ...]:
        known = self._by_id.get(commit)
        return () if known is None else known.references

    @cached_property
    def _by_id(self) -> Mapping[str, NotesCommit]:
        return {commit.id: commit for commit in self.commits}

    @cached_property
    def _merges(self) -> Mapping[str, str]:
        return {merged: commit.id for commit in self.commits for merged in commit.merged}
