"""The file or change under review, as checks see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Protocol

import msgspec

from wardround.checks.keyword_index import KeywordIndex, keyword_index
from wardround.checks.prefilter import load_prefilter
from wardround.config.globs import matches_whole
from wardround.errors import OverBudget
from wardround.inference.api import Models, NoModels
from wardround.text.line_index import LineIndex


class RepositoryView(Protocol):
    """What a check may ask about the rest of the repository, as it will be after the change."""

    def read(self, path: str) -> str | None:
        """The text of another file, or None if there is none or it is no UTF-8 text."""

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        """Paths of tracked files that match a pattern and hold one of the words, sorted."""

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        """Paths of all files that match one of the glob patterns, sorted; ``*`` matches slashes too."""


class InMemoryRepository(msgspec.Struct, frozen=True):
    """A file on its own."""

    files: Mapping[str, str] = msgspec.field(default_factory=dict)

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        return [path for path in self.paths(patterns) if any(word in self.files[path] for word in words)]

    def paths(self, patterns: Sequence[str]) -> Sequence[str]:
        return sorted(p for p in self.files if matches_whole(p, patterns))


class Budget:
    """The processor time that the checks of one specialist may take in one file, from now on."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    def require(self) -> None:
        """Raise ``OverBudget`` if it is spent."""
        if time.thread_time() > self._end:
            raise OverBudget("its checks took too long")


class SourceFile(msgspec.Struct, frozen=True, dict=True):
    """One file under review.

    Attributes:
        text: the whole file at the side that is looked at, line ends as they are.
        read_base: the file before the change; None if it is new, or where the base itself is looked at.
        options: the specialist's own configuration for this file.
        is_added: whether the change brought a line (1-based); of an added file it brought all.
        models: the models the specialist named; where one is missing the check does what it can without.
        is_changed: whether the change touches a file, which is then looked at by itself.
        added_lines: the numbers of the lines it brought, of so many, in order; None: ask ``is_added``.
        budget: the time its checks may take; it is compared with what they took whenever one is made.
    """

    path: str
    text: str
    read_base: Callable[[], str | None] = lambda: None
    project: RepositoryView = msgspec.field(default_factory=InMemoryRepository)
    options: Any = None
    is_added: Callable[[int], bool] = lambda line: True
    models: Models = msgspec.field(default_factory=NoModels)
    is_changed: Callable[[str], bool] = lambda path: False
    added_lines: Callable[[int], Iterable[int]] | None = None
    budget: Budget | None = None

    def as_added(self) -> SourceFile:
        """The same file as if the change had added all of it."""
        return msgspec.structs.replace(
            self, read_base=lambda: None, is_added=lambda line: True, added_lines=None
        )

    @cached_property
    def base_text(self) -> str | None:
        """The file before the change, read when a check asks for it."""
        return self.read_base()

    @cached_property
    def keywords(self) -> KeywordIndex:
        """The text, to be asked for words."""
        return keyword_index(self.text)

    @cached_property
    def _looked(self) -> dict[str, bool]:
        return {}

    def passes_prefilter(self, look: str) -> bool:
        """Whether it passes a cheap look, by its ``module:name``, that is taken once for all checks."""
        if look not in self._looked:
            self._looked[look] = load_prefilter(look)(self)
        return self._looked[look]

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; only newlines end a line."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]

    @cached_property
    def _line_index(self) -> LineIndex:
        return LineIndex(self.text)

    @property
    def line_starts(self) -> Sequence[int]:
        """Where each line begins in the text."""
        return self._line_index.starts

    def position(self, offset: int) -> tuple[int, int]:
        """The (line, column) of a character of the text, 1-based."""
        return self._line_index.position(offset)

    @cached_property
    def added_text(self) -> str:
        """The lines the change brought, each with its end."""
        count = len(self.lines)
        told = self.added_lines
        numbers = filter(self.is_added, range(1, count + 1)) if told is None else told(count)
        return "".join(f"{self.lines[number - 1]}\n" for number in numbers)


class ChangedFileView(msgspec.Struct, frozen=True, dict=True):
    """One file of the change, as a check of the whole change sees it.

    Attributes:
        path: at the head; a deleted file has its old path.
        base_path: where it was before; None for an added file.
        is_added: whether the change brought a line (1-based) of the head side.
    """

    path: str
    base_path: str | None
    is_added: Callable[[int], bool]
    read_head: Callable[[], str | None]
    read_base: Callable[[], str | None]

    @cached_property
    def text(self) -> str | None:
        """The text after the change; None if it was deleted or is no text."""
        return self.read_head()

    @cached_property
    def base_text(self) -> str | None:
        """The text before the change; None if it was added or was no text."""
        return self.read_base()


class ChangeView(msgspec.Struct, frozen=True):
    """The change under review, for checks that look at more than one file of it.

    Attributes:
        files: every file of the change that is not excluded, by path.
        messages: the messages of its commits, newest first; none before it is committed.
        options: the specialist's own configuration at the repository's root.
        models: the models the specialist named.
    """

    files: Sequence[ChangedFileView]
    project: RepositoryView = msgspec.field(default_factory=InMemoryRepository)
    messages: Sequence[str] = ()
    options: Any = None
    models: Models = msgspec.field(default_factory=NoModels)

    def file(self, path: str) -> ChangedFileView | None:
        return next((file for file in self.files if file.path == path), None)
