"""Notes about the intent of a change: for a reader, part of the evidence, and never a reason to block."""

from __future__ import annotations

import msgspec


class ScopeNote(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A hunk that belongs to no criterion, title or message, nor to another hunk.

    Attributes:
        line: the first one, of the head, or of the base if the file was removed; ``end_line`` the last.
    """

    file: str
    line: int
    end_line: int
    reason: str


class KindNote(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A position at which the change does more than its message states.

    Attributes:
        stated: the kind of change that the messages state, as ``documentation``.
        line: the first such line, of the head.
    """

    file: str
    line: int
    stated: str
    reason: str


class CompanionNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file that the change does not touch and that similar changes usually do.

    Attributes:
        reason: the evidence in words.
    """

    file: str
    reason: str


class IntentNotes(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All notes about one change.

    Attributes:
        scope: the hunks that belong to no criterion, title or message.
        kind: the positions at which the change does more than its messages state.
        related: the files that similar changes touch, and this one does not.
    """

    scope: tuple[ScopeNote, ...] = ()
    kind: tuple[KindNote, ...] = ()
    related: tuple[CompanionNote, ...] = ()
