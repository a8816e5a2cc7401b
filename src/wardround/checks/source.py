"""The file or change under review, as checks see it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from wardround.change.repository_view import InMemoryRepository, RepositoryView
from wardround.checks.crashes import CheckCrashes
from wardround.checks.prefilter import load_prefilter
from wardround.errors import OverBudget
from wardround.inference.api import Models, NoModels
from wardround.text.keyword_index import KeywordIndex, keyword_index
from wardround.text.line_index import LineIndex

if TYPE_CHECKING:
    from wardround.checks.base import RuleDoc
    from wardround.context.change_tests import ChangeCoverage
    from wardround.context.code_graph.change_graphs import ChangeGraphs
    from wardround.context.surface.model import Surface


class Budget:
    """The processor time that the checks of one specialist may take for one file, from its creation."""

    def __init__(self, seconds: float) -> None:
        self._end = time.thread_time() + seconds

    def require(self) -> None:
        """Raise ``OverBudget`` if it is exceeded."""
        if time.thread_time() > self._end:
            raise OverBudget("its checks took too long")


class SourceFile(msgspec.Struct, frozen=True, dict=True):
    """One file under review.

    Attributes:
        text: the complete file at base or head, with its line ends.
        read_base: the file before the change; None if it is new, or if the base itself is reviewed.
        options: the specialist's own configuration for this file.
        is_added: True for a line (1-based) that the change added; for an added file all lines.
        models: the models that the specialist named; without one, the check degrades to its rules.
        is_changed: True for a file that the change touches, which is then reviewed separately.
        added_lines: line count -> the added lines, in order; None: call ``is_added``.
        budget: the time that its checks may take; it is tested when a check is created.
        crashes: where crashes of its checks are recorded; None: they are raised.
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
    crashes: CheckCrashes | None = None

    def isolate(self, check: str) -> AbstractContextManager[None]:
        """Return a context in which a crash of a check, given by its id, does not affect other checks."""
        return nullcontext() if self.crashes is None else self.crashes.isolate(check)

    def as_added(self) -> SourceFile:
        """Return the same file as if the change had added all of it."""
        return msgspec.structs.replace(
            self, read_base=lambda: None, is_added=lambda line: True, added_lines=None
        )

    @cached_property
    def base_text(self) -> str | None:
        """The file before the change, read on first use."""
        return self.read_base()

    @cached_property
    def keywords(self) -> KeywordIndex:
        """The index of the words in the source."""
        return keyword_index(self.text)

    @cached_property
    def _pattern_cache(self) -> dict[str, bool]:
        return {}

    def passes_prefilter(self, look: str) -> bool:
        """Return True if it passes the prefilter ``module:name``; the result is shared by all checks."""
        if look not in self._pattern_cache:
            self._pattern_cache[look] = load_prefilter(look)(self)
        return self._pattern_cache[look]

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; only newlines end a line."""
        lines = self.text.split("\n")
        return [line.removesuffix("\r") for line in lines] if "\r" in self.text else lines

    @cached_property
    def _line_index(self) -> LineIndex:
        return LineIndex(self.text)

    @property
    def line_starts(self) -> Sequence[int]:
        """The offset of each line in the text."""
        return self._line_index.starts

    def position(self, offset: int) -> tuple[int, int]:
        """Return the (line, column) of a character of the text, 1-based."""
        return self._line_index.position(offset)

    @cached_property
    def added_text(self) -> str:
        """The added lines, each with its end."""
        count = len(self.lines)
        reported = self.added_lines
        numbers = filter(self.is_added, range(1, count + 1)) if reported is None else reported(count)
        return "".join(f"{self.lines[number - 1]}\n" for number in numbers)


class ChangedFileView(msgspec.Struct, frozen=True, dict=True):
    """One file of the change, as a change check sees it.

    Attributes:
        path: path at the head; a deleted file has its old path.
        base_path: its path before; None for an added file.
        is_added: True for a line (1-based) of the head that the change added.
    """

    path: str
    base_path: str | None
    is_added: Callable[[int], bool]
    read_head: Callable[[], str | None]
    read_base: Callable[[], str | None]

    @cached_property
    def text(self) -> str | None:
        """The text after the change; None if it was deleted or is not text."""
        return self.read_head()

    @cached_property
    def base_text(self) -> str | None:
        """The text before the change; None if it was added or was not text."""
        return self.read_base()

    @cached_property
    def lines(self) -> list[str]:
        """The lines after the change, which must not be modified; one empty line without a text."""
        return (self.text or "").split("\n")


class ChangeView(msgspec.Struct, frozen=True):
    """The change under review, for checks that inspect more than one file of it.

    Attributes:
        files: every file of the change that is not excluded, by path.
        messages: the messages of its commits, newest first; empty before it is committed.
        options: the specialist's own configuration at the repository's root.
        models: the models the specialist named.
        reports: True for a check whose findings are shown at the repository's root: expensive ones are
            skipped elsewhere.
        open_surface: returns the changes of published surfaces; call ``surface``.
        open_coverage: returns the coverage of the changed lines, or None where none is read; call
            ``coverage``.
        in_ci: the review has time for analyses that take more than a few milliseconds.
        open_graphs: returns the code graphs at base and head, or None without a repository or within a short
            budget; call ``graphs``.
    """

    files: Sequence[ChangedFileView]
    project: RepositoryView = msgspec.field(default_factory=InMemoryRepository)
    messages: Sequence[str] = ()
    options: Any = None
    models: Models = msgspec.field(default_factory=NoModels)
    open_graphs: Callable[[], ChangeGraphs | None] = lambda: None
    reports: Callable[[type[RuleDoc]], bool] = lambda check: True
    open_surface: Callable[[], Surface | None] = lambda: None
    open_coverage: Callable[[], ChangeCoverage | None] = lambda: None
    in_ci: bool = True

    def graphs(self) -> ChangeGraphs | None:
        """Return the code graphs at base and head; None where they would cost too much."""
        return self.open_graphs()

    def surface(self) -> Surface | None:
        """Return the changes of published surfaces; None where they are not compared."""
        return self.open_surface()

    def coverage(self) -> ChangeCoverage | None:
        """Return the coverage of the changed lines; None at commit, and without a repository."""
        return self.open_coverage()

    def file(self, path: str) -> ChangedFileView | None:
        return next((file for file in self.files if file.path == path), None)
