"""What a model can be trained for: tasks, as plugins bring them.

A ``Task`` is a choice: one query, several candidates of one group, of which some are right. It can be mined
from a repository's own history, and it comes with the cheap evidence a model must beat. A ``LineTask`` asks
of each changed line whether it is defective; what it brings is a way to break code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

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


class LineDefect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A defective line of a window: its 0-based place, and of which class; empty where nobody knows."""

    at: int
    kind: str = ""


class Window(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A piece of a change, cut at random, whose lines are judged.

    Attributes:
        repository, time, group: as of a ``Choice``.
        origin: ``injected``: one of a pair was broken on purpose; ``real``: a fix, or the fix undone;
            ``clean``: an ordinary change.
        pair: the same for two windows that mirror each other; what one takes away the other brings.
        marks: for each line ``+`` (brought), ``-`` (taken away) or a blank.
        lines: the texts, with their indentation.
        faults: by place; none where the change is right.
    """

    repository: str
    time: int
    group: str
    origin: Literal["injected", "real", "clean"]
    pair: str
    marks: str
    lines: tuple[str, ...]
    faults: tuple[LineDefect, ...] = ()

    def __post_init__(self) -> None:
        if len(self.marks) != len(self.lines) or not set(self.marks) <= set("+- "):
            raise ValueError(f"{self.group}: {self.marks!r} does not mark {len(self.lines)} lines")
        places = [fault.at for fault in self.faults]
        if places != sorted(set(places)) or any(not 0 <= at < len(self.lines) for at in places):
            raise ValueError(f"{self.group}: {places} are no places of lines, ascending")


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


@dataclass(frozen=True, slots=True)
class Mutation:
    """A way to break a file: lines that are right, and what stands in their place when they are wrong.

    Attributes:
        kind: one of the task's ``classes``.
        line: the first of the lines, 1-based; where they are missing, the line they would stand before.
        right, wrong: whole lines; one of them may be none.
        first, last: of the function around it, 1-based.
    """

    kind: str
    line: int
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LineTask:
    """Telling defective lines of a change from others.

    Attributes:
        name: in kebab case, unique among all plugins.
        specialist: whose adapter it is.
        title: what is told, in one line, for people.
        patterns: glob patterns of the files it is about.
        classes: of defects that are injected, in a stable order.
        inject: (path, text of a file, seed) -> ways to break it; the same for the same arguments.
        is_source: whether a path is code that is neither test nor example.
    """

    name: str
    specialist: str
    title: str
    patterns: tuple[str, ...]
    classes: tuple[str, ...]
    inject: Callable[[str, str, int], Iterator[Mutation]]
    is_source: Callable[[str], bool]
    kind: str = ""


AnyTask = Task | LineTask
