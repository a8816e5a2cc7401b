"""A statement before commits that belong together are joined."""

from __future__ import annotations

import msgspec

from wardround.release_notes.model import NoteKind, Statement


class Draft(msgspec.Struct, frozen=True):
    """The statement of one commit, or of one pull request.

    Attributes:
        commits: oldest first; for a merge, its commits and the merge itself.
        pull_request: the number by which commits belong together; may be empty.
        is_marked_breaking: an exclamation mark before the text states that it breaks users.
        is_trivial: its text is of no use without the other commits.
    """

    kind: NoteKind
    text: str
    commits: tuple[str, ...]
    area: str = ""
    pull_request: str = ""
    references: tuple[str, ...] = ()
    is_trivial: bool = False
    is_marked_breaking: bool = False

    @property
    def is_noticed(self) -> bool:
        """True if users notice the change."""
        return not self.is_trivial and self.kind not in (NoteKind.INTERNAL, NoteKind.DOCUMENTATION)

    def with_evidence_of(self, other: Draft) -> Draft:
        """Return this draft with the commits and references of another."""
        return msgspec.structs.replace(
            self,
            commits=tuple(dict.fromkeys((*self.commits, *other.commits))),
            references=tuple(dict.fromkeys((*self.references, *other.references))),
        )

    def statement(self) -> Statement:
        """Return the statement of the notes."""
        return Statement(self.kind, self.text, self.commits, self.area, self.references)
