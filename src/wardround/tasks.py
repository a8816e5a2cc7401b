"""What a model can be trained to choose: tasks, as plugins bring them.

Every task is a choice: one query, several candidates of one group, of which some are right. It can be mined
from a repository's own history, and it comes with the cheap evidence a model must beat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question with its candidates.

    Attributes:
        repository: ``owner/name``; splits and intervals go by it.
        time: when it came to be, in seconds since 1970; splits by time go by it.
        group: what the candidates share, such as ``path@commit``; never on both sides of a split.
        query: the words, or the change, that is asked about.
        candidates: at least two texts.
        right: places of the right ones in ``candidates``, 0-based, ascending; at least one and not all.
    """

    repository: str
    time: int
    group: str
    query: str
    candidates: tuple[str, ...]
    right: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 0 < len(self.right) < len(self.candidates):
            raise ValueError(
                f"{self.group}: {len(self.right)} of {len(self.candidates)} candidates are right"
            )
        if list(self.right) != sorted(set(self.right)) or not 0 <= self.right[0] <= self.right[-1] < len(
            self.candidates
        ):
            raise ValueError(f"{self.group}: {self.right} are no places of candidates, ascending")


class Changed(msgspec.Struct, frozen=True):
    """A file of a commit: its path and blob before and after; None where there is none."""

    path: str
    base_path: str | None
    blob: str | None
    base_blob: str | None


class Commit(msgspec.Struct, frozen=True):
    """A commit that is no merge, against its first parent.

    Attributes:
        time: the committer's, in seconds since 1970.
        changes: the changed files that were asked for.
    """

    id: str
    parent: str | None
    time: int
    subject: str
    body: str
    changes: tuple[Changed, ...]


class History(Protocol):
    """The past of one repository, as a miner reads it: read-only, without a work tree."""

    @property
    def repository(self) -> str:
        """``owner/name`` where it is known, else the folder's name."""

    def commits(self, patterns: Sequence[str]) -> Iterator[Commit]:
        """Commits that change files of these glob patterns, newest first, within the limits asked for."""

    def tree(self, commit: str, patterns: Sequence[str]) -> Iterator[tuple[str, str]]:
        """The (path, blob) of every file of a commit that matches, by path."""

    def text(self, blob: str | None) -> str | None:
        """The text of a blob; None if there is none, it is missing, too large, or no UTF-8."""


@dataclass(frozen=True, slots=True)
class Task:
    """A choice a model can be trained to make.

    Attributes:
        name: in kebab case, unique among all plugins: ``test-body``.
        specialist: whose adapter it is.
        title: what is chosen, in one line, for people.
        mine: a repository's past -> its choices, in a stable order.
        features: (query, all candidates of the group) -> for each candidate the cheap evidence a model must
            beat, as ``feature_names`` orders it; the group tells which words are rare.
        kind: what ``wardround data mine --kind`` also mines it for: ``doc-drift``, or nothing.
    """

    name: str
    specialist: str
    title: str
    mine: Callable[[History], Iterator[Choice]]
    features: Callable[[str, Sequence[str]], Sequence[Sequence[float]]]
    feature_names: tuple[str, ...]
    kind: str = ""
