"""The release notes of a range, as values: what the formats render and ``--format json`` prints."""

from __future__ import annotations

import enum
from typing import Literal

import msgspec

from wardround.context.surface.model import NotCompared, SurfaceKind


class NoteKind(enum.StrEnum):
    """The kind of a statement, in the order of the sections."""

    BREAKING = "breaking"
    SECURITY = "security"
    FEATURE = "feature"
    FIX = "fix"
    PERFORMANCE = "performance"
    DEPRECATION = "deprecation"
    CHANGE = "change"
    """It alters the product in a way that is unknown."""
    DEPENDENCIES = "dependencies"
    DOCUMENTATION = "documentation"
    INTERNAL = "internal"


class VersionPart(enum.StrEnum):
    """The part of a version that a release raises."""

    MAJOR = "major"
    MINOR = "minor"
    PATCH = "patch"
    NONE = "none"


class NotesCommit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A commit of the range.

    Attributes:
        id: the full object name.
        subject: the first line of the message, or the title of the pull request that a merge commit states.
        body: the rest of the message without trailers.
        time: of the commit, in seconds since 1970.
        paths: the changed files, sorted; for a merge commit against its first parent.
        references: pull requests and tickets that the message names, such as ``#12`` and ``SHOP-3``.
        merged: the commits of the branch of a merge commit, oldest first; they have no statements.
    """

    id: str
    subject: str
    body: str
    time: int
    paths: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()


class BreakingForm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The old and the new form of something that users rely on.

    Attributes:
        symbol: as users write it: ``shop.cart.Cart.add``, ``--limit``, ``POST /orders``.
        old: the form at the base; empty if there is none to show.
        new: the form at the head; empty if it is removed.
        migration: what users do, in one line; empty if nothing states it.
        path: the file that declares it, at the base for a removed one.
        line: 1-based.
    """

    surface: SurfaceKind
    symbol: str
    old: str
    new: str
    migration: str
    path: str
    line: int


class Statement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One sentence of the notes.

    Attributes:
        text: one line without the final full stop; names of code in backquotes.
        area: what users notice together: a command, a module, a package of the repository; may be empty.
        commits: the full names of the commits that are its evidence, oldest first; at least one.
        references: pull requests and tickets of those commits.
        breaking: the forms of a breaking change that the comparison of a published surface found.
        records: digests of the review records of those commits.
    """

    kind: NoteKind
    text: str
    commits: tuple[str, ...]
    area: str = ""
    references: tuple[str, ...] = ()
    breaking: BreakingForm | None = None
    records: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.commits:
            raise ValueError(f"{self.text!r} has no commit as its evidence")


class Unattributed(msgspec.Struct, frozen=True, order=True, forbid_unknown_fields=True):
    """A change that the notes do not state, with the reason.

    Attributes:
        text: the change: a subject, or a changed symbol.
        commits: the commits that may have caused it; may be empty.
    """

    text: str
    reason: str
    commits: tuple[str, ...] = ()


class SuggestedVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The next version by semantic versioning.

    Attributes:
        current: the version of the base; empty if its tag has none.
        suggested: empty without a current version.
        reason: the statement that decides, in one line.
    """

    current: str
    suggested: str
    part: VersionPart
    reason: str


class ReleaseNotes(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The notes of the commits from one revision to another.

    Attributes:
        base, head: the revisions as the user named them, and their full commit names.
        date: of the head commit, as ``YYYY-MM-DD`` in UTC.
        statements: sorted by kind, area and text.
        not_compared: published surfaces that the comparison did not read, with the reasons.
    """

    schema: Literal["wardround.release-notes/1"] = "wardround.release-notes/1"
    base: str
    base_commit: str
    head: str
    head_commit: str
    date: str
    version: SuggestedVersion
    commits: tuple[NotesCommit, ...]
    statements: tuple[Statement, ...]
    unattributed: tuple[Unattributed, ...] = ()
    not_compared: tuple[NotCompared, ...] = ()
