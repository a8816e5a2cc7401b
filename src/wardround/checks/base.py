"""Checks of our own and of plugins: the code that detects one rule.

A check is one class in one file: its docstring says what is wrong and why it matters, ``VALID`` and
``INVALID`` are its cases, ``run`` is the detection. ``wardround.testing`` runs the cases.
"""

from __future__ import annotations

import fnmatch
import re
import time
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Protocol

import msgspec

from wardround.checks.keyword_index import KeywordIndex, keyword_index
from wardround.checks.lazy import load_prefilter
from wardround.errors import OverBudget
from wardround.findings import Plane, RawFinding, Severity, Span, SuggestedFix
from wardround.inference.api import Models, NoModels
from wardround.rules.model import Rule


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
        return sorted(p for p in self.files if any(fnmatch.fnmatchcase(p, one) for one in patterns))


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
    def line_starts(self) -> list[int]:
        """Where each line begins in the text."""
        return [0, *(match.end() for match in re.finditer("\n", self.text))]

    def position(self, offset: int) -> tuple[int, int]:
        """The (line, column) of a character of the text, 1-based."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1

    @cached_property
    def added_text(self) -> str:
        """The lines the change brought, each with its end."""
        count = len(self.lines)
        told = self.added_lines
        numbers = filter(self.is_added, range(1, count + 1)) if told is None else told(count)
        return "".join(f"{self.lines[number - 1]}\n" for number in numbers)


class Valid(msgspec.Struct, frozen=True):
    """A case a check must be silent on. ``others`` are further files of the project, by path."""

    source: str
    path: str = "case.py"
    base: str | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)


class Invalid(msgspec.Struct, frozen=True):
    """A case a check must report, once, at exactly this place; ``fixed`` is the file after its fix."""

    source: str
    line: int
    column: int
    path: str = "case.py"
    base: str | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)
    fixed: str | None = None


class RuleDoc(ABC):
    """What every check says about its rule.

    The first line of the docstring says what is wrong, the rest why it matters and what to do instead.

    Attributes:
        ID: short and stable, as suppressions name it: ``ACME001``.
        NAME: the rule's name, in kebab case.
        DEFECT_CLASS: what it is about whoever reports it; the same class at the same place is one finding.
        MASKED: it finds secrets, so the source it points at is never printed.
        OFF: why it is not shown unless a project asks for it; empty if it is.
        TRIED_ON: which measured sets it was tried on, and what came of it.
        PREFILTER: ``module:name`` of a cheap look at a file by which it is chosen before it is imported.
    """

    ID: ClassVar[str]
    NAME: ClassVar[str]
    PLANE: ClassVar[Plane] = Plane.SEMANTIC
    SEVERITY: ClassVar[Severity] = Severity.WARN
    DEFECT_CLASS: ClassVar[str | None] = None
    URL: ClassVar[str | None] = None
    MASKED: ClassVar[bool] = False
    OFF: ClassVar[str] = ""
    TRIED_ON: ClassVar[str] = ""
    PREFILTER: ClassVar[str] = ""

    @classmethod
    @abstractmethod
    def cases(cls) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The good and the bad cases, for people."""

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        """What it is chosen by in a table of checks: kinds of files and words; see ``late.Row``."""
        return (), ()

    @classmethod
    def rule(cls, specialist: str) -> Rule:
        """The check as an entry of the catalogue."""
        import inspect  # the catalogue alone needs it

        title, _, why = inspect.cleandoc(cls.__doc__ or "").partition("\n")
        valid, invalid = cls.cases()
        return Rule(
            id=f"{specialist}/{cls.ID}",
            name=cls.NAME,
            plane=cls.PLANE,
            severity=cls.SEVERITY,
            defect_class=cls.DEFECT_CLASS or cls.NAME,
            why="\n".join(part for part in (title, why.strip()) if part),
            url=cls.URL,
            masked=cls.MASKED,
            disabled_reason=cls.OFF,
            tried_on=cls.TRIED_ON,
            valid=valid,
            invalid=invalid,
            reported_by=(specialist,),
        )


class Check(RuleDoc):
    """Detects one rule in one file. Made anew for each file; ``VALID`` and ``INVALID`` are its cases."""

    VALID: ClassVar[Sequence[str | Valid]] = ()
    INVALID: ClassVar[Sequence[Invalid]] = ()

    def __init__(self, source: SourceFile) -> None:
        if source.budget is not None:
            source.budget.require()
        self.source = source
        self.results: list[RawFinding] = []

    @abstractmethod
    def run(self) -> None:
        """Look at ``self.source`` and call ``report`` for each place that is wrong."""

    def report(
        self,
        span: Span,
        message: str,
        fix: SuggestedFix | None = None,
        severity: Severity | None = None,
        confidence: float = 1.0,
    ) -> None:
        """Say that something is wrong there, in one line.

        Args:
            severity: where it is not the rule's.
            confidence: how likely it is true, 0 to 1, where a model says so.
        """
        _require_span(span)
        self.results.append(
            RawFinding(self.ID, self.source.path, span, message, self.URL, fix, confidence, severity)
        )

    @classmethod
    def cases(cls) -> tuple[tuple[str, ...], tuple[str, ...]]:
        valid = tuple(case.source if isinstance(case, Valid) else case for case in cls.VALID)
        return valid, tuple(case.source for case in cls.INVALID)


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


class ChangeCase(msgspec.Struct, frozen=True):
    """A change given as the texts of its files: (before, after) by path, None where there is none.

    ``others`` are files the change does not touch; ``place`` is the (path, line, column) of the one report it
    must bring, or None if there must be none.
    """

    files: Mapping[str, tuple[str | None, str | None]]
    place: tuple[str, int, int] | None = None
    others: Mapping[str, str] = msgspec.field(default_factory=dict)
    message: str = ""


class ChangeCheck(RuleDoc):
    """Detects one rule by looking at the change as a whole. Made anew for each review.

    ``VALID`` and ``INVALID`` are whole changes. It runs on every review, uncached: a cheap look comes first.

    Attributes:
        PATHS: of which one is part of the path, in lower case, of every file the check can say something
            about; none: any file.
        WORDS: of which such a file holds one, before the change or after it; none: whatever it holds.
    """

    PLANE: ClassVar[Plane] = Plane.TESTS
    PATHS: ClassVar[tuple[str, ...]] = ()
    WORDS: ClassVar[tuple[str, ...]] = ()
    VALID: ClassVar[Sequence[ChangeCase]] = ()
    INVALID: ClassVar[Sequence[ChangeCase]] = ()

    def __init__(self, change: ChangeView) -> None:
        self.change = change
        self.results: list[RawFinding] = []

    @abstractmethod
    def run(self) -> None:
        """Look at ``self.change`` and call ``report`` for each place that is wrong."""

    def report(self, path: str, span: Span, message: str, severity: Severity | None = None) -> None:
        """Say that something is wrong there, in one line; a deleted file has line 1 alone."""
        _require_span(span)
        self.results.append(RawFinding(self.ID, path, span, message, self.URL, severity=severity))

    @classmethod
    def prefilter_keys(cls) -> tuple[Sequence[str], Sequence[str]]:
        return cls.PATHS, cls.WORDS

    @classmethod
    def cases(cls) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return tuple(map(_render_case, cls.VALID)), tuple(map(_render_case, cls.INVALID))


def _require_span(span: Span) -> None:
    """Tell the author of a check at once what it reports at; later nobody knows who did."""
    if not isinstance(span, Span):
        raise TypeError(f"report() takes a wardround.findings.Span, not {type(span).__name__}")


def _render_case(case: ChangeCase) -> str:
    """A change as text, for people."""
    parts = [f"message: {case.message}"] if case.message else []
    for path, (before, after) in case.files.items():
        parts += [f"{path} before:\n{before}"] if before is not None else []
        parts += [f"{path} after:\n{after}"] if after is not None else [f"{path} deleted"]
    return "\n".join(parts)


CheckRunner = Callable[[Sequence[type[Check]], SourceFile], Iterable[RawFinding]]


def run_sequentially(checks: Sequence[type[Check]], source: SourceFile) -> Iterable[RawFinding]:
    """Run checks one after another: the runner of specialists that need nothing shared between checks."""
    for check_type in checks:
        check = check_type(source)
        check.run()
        yield from check.results
