"""Training tasks of models, as plugins contribute them.

A ``Task`` is a choice: one query and several candidates of one group, some of them correct. It can be mined
from a repository's own history, and it includes the cheap evidence that a model must beat. A ``LineTask``
classifies each changed line as defective or not; its plugin contributes mutations that break code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec


class Choice(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One query with its candidates.

    Attributes:
        repository: ``owner/name``; splits and intervals are grouped by it.
        time: the time of its origin, in seconds since 1970; splits by time are ordered by it.
        group: the origin that the candidates share, such as ``path@commit``; never in both parts of a split.
        query: the words, or the change, for which candidates are ranked.
        candidates: at least two texts.
        right: indices of the correct ones in ``candidates``, 0-based, ascending; at least one and not all.
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
            raise ValueError(f"{self.group}: {self.right} are not ascending indices of candidates")


class LineDefect(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A defective line of a window: its 0-based index and its defect class; the class is empty if unknown."""

    at: int
    kind: str = ""


class Window(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A part of a change, cut at random, whose lines are classified.

    Attributes:
        repository, time, group: as of a ``Choice``.
        origin: ``injected``: one of a pair was broken on purpose; ``real``: a fix, or the fix reverted;
            ``clean``: an ordinary change.
        pair: the same for two windows that mirror each other; one removes the lines that the other adds.
        marks: for each line ``+`` (added), ``-`` (removed) or a blank.
        lines: the texts, with their indentation.
        faults: by index; none if the change is right.
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
        locations = [fault.at for fault in self.faults]
        if locations != sorted(set(locations)) or any(not 0 <= at < len(self.lines) for at in locations):
            raise ValueError(f"{self.group}: {locations} are not ascending indices of lines")


class LabelledText(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A text with its class.

    Attributes:
        repository, time, group: as of a ``Choice``.
        label: one of the classes of the task.
    """

    repository: str
    time: int
    group: str
    text: str
    label: str


class Changed(msgspec.Struct, frozen=True):
    """A file of a commit: its path and blob before and after; None where it does not exist."""

    path: str
    base_path: str | None
    blob: str | None
    base_blob: str | None


class Commit(msgspec.Struct, frozen=True):
    """A commit with one parent, or the first, compared with its first parent.

    Attributes:
        time: the committer's, in seconds since 1970.
        changes: the changed files that match the requested patterns.
    """

    id: str
    parent: str | None
    time: int
    subject: str
    body: str
    changes: tuple[Changed, ...]


class History(Protocol):
    """The history of one repository for a miner: read-only, without a work tree."""

    @property
    def repository(self) -> str:
        """``owner/name`` if known, else the folder's name."""

    def commits(self, patterns: Sequence[str]) -> Iterator[Commit]:
        """Yield commits that change files of these glob patterns, newest first, within the limits."""

    def messages(self) -> Iterator[Commit]:
        """Yield the commits within the limits without their changes, newest first, merges excluded."""

    def tree(self, commit: str, patterns: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Return the (path, blob) of every file of a commit that matches, by path."""

    def text(self, blob: str | None) -> str | None:
        """Return the text of a blob; None if it does not exist, is missing, too large, or not UTF-8."""


@dataclass(frozen=True, slots=True)
class Task:
    """A choice that a model can be trained to make.

    Attributes:
        name: in kebab case, unique among all plugins: ``test-body``.
        specialist: the specialist that uses the adapter.
        title: the choice, in one line, for people.
        mine: a repository's history -> its choices, in a stable order.
        features: (query, all candidates of the group) -> for each candidate the cheap evidence that a model
            must outperform, in the order of ``feature_names``; the group shows which words are rare.
        kind: the other ``wardround data mine --kind`` that includes it: ``doc-drift``, or nothing.
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
    """A way to break a file: correct lines, and their defective replacement.

    Attributes:
        kind: one of the task's ``classes``.
        line: the first of the lines, 1-based; if they are missing, the line that would follow them. right,
            wrong: complete lines; one of them may be empty. first, last: of the function around it, 1-based.
    """

    kind: str
    line: int
    right: tuple[str, ...]
    wrong: tuple[str, ...]
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class LineTask:
    """The classification of the lines of a change as defective or not.

    Attributes:
        name: in kebab case, unique among all plugins.
        specialist: the specialist that uses the adapter.
        title: its subject, in one line, for people.
        patterns: glob patterns of the files it applies to.
        classes: classes of defects that are injected, in a stable order.
        inject: (path, text of a file, seed) -> ways to break it; the same for the same arguments.
        is_source: True for a path that is code and neither test nor example.
    """

    name: str
    specialist: str
    title: str
    patterns: tuple[str, ...]
    classes: tuple[str, ...]
    inject: Callable[[str, str, int], Iterator[Mutation]]
    is_source: Callable[[str], bool]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class TextTask:
    """The classification of short texts.

    Attributes:
        name: in kebab case, unique among all plugins.
        specialist: the specialist that uses the adapter.
        title: its subject, in one line, for people.
        classes: in a stable order.
        mine: a repository's history -> its labelled texts, in a stable order.
    """

    name: str
    specialist: str
    title: str
    classes: tuple[str, ...]
    mine: Callable[[History], Iterator[LabelledText]]
    kind: str = ""


AnyTask = Task | LineTask | TextTask
