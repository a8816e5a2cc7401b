"""Checks of our own and of plugins: the code that detects one rule.

A check is one class in one file: its docstring says what is wrong and why it matters, ``VALID`` and
``INVALID`` are its cases, ``run`` is the detection. ``wardround.testing`` runs the cases.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol, overload

from wardround.findings import Plane, RawResult, Severity, Span, SuggestedFix
from wardround.rules import Rule


class Project(Protocol):
    """What a check may ask about the rest of the repository, as it will be after the change."""

    def read(self, path: str) -> str | None:
        """The text of another file, or None if there is none or it is no UTF-8 text."""

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        """Paths of tracked files that match a pattern and hold one of the words, sorted."""


@dataclass(frozen=True, slots=True)
class NoProject:
    """A file on its own."""

    files: Mapping[str, str] = field(default_factory=dict)

    def read(self, path: str) -> str | None:
        return self.files.get(path)

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        return sorted(path for path, text in self.files.items() if any(word in text for word in words))


@dataclass(frozen=True)
class Source:
    """One file under review.

    Attributes:
        text: the whole file at the side that is looked at, line ends as they are.
        base_text: the file before the change; None if it is new, or where the base itself is looked at.
        options: the specialist's own configuration for this file.
    """

    path: str
    text: str
    base_text: str | None = None
    project: Project = field(default_factory=NoProject)
    options: Any = None

    @cached_property
    def lines(self) -> list[str]:
        """The lines without their ends; only newlines end a line."""
        return [line.removesuffix("\r") for line in self.text.split("\n")]


@dataclass(frozen=True, slots=True)
class Valid:
    """A case a check must be silent on. ``others`` are further files of the project, by path."""

    source: str
    path: str = "case.py"
    base: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Invalid:
    """A case a check must report, once, at exactly this place; ``fixed`` is the file after its fix."""

    source: str
    line: int
    column: int
    path: str = "case.py"
    base: str | None = None
    others: Mapping[str, str] = field(default_factory=dict)
    fixed: str | None = None


class Check(ABC):
    """Detects one rule in one file. Made anew for each file.

    The first line of the docstring says what is wrong, the rest why it matters and what to do instead.

    Attributes:
        ID: short and stable, as suppressions name it: ``ACME001``.
        NAME: the rule's name, in kebab case.
        DEFECT_CLASS: what it is about whoever reports it; the same class at the same place is one finding.
    """

    ID: ClassVar[str]
    NAME: ClassVar[str]
    PLANE: ClassVar[Plane] = Plane.SEMANTIC
    SEVERITY: ClassVar[Severity] = Severity.WARN
    DEFECT_CLASS: ClassVar[str | None] = None
    URL: ClassVar[str | None] = None
    VALID: ClassVar[Sequence[str | Valid]] = ()
    INVALID: ClassVar[Sequence[Invalid]] = ()

    def __init__(self, source: Source) -> None:
        self.source = source
        self.results: list[RawResult] = []

    @abstractmethod
    def run(self) -> None:
        """Look at ``self.source`` and call ``report`` for each place that is wrong."""

    def report(self, span: Span, message: str, fix: SuggestedFix | None = None) -> None:
        """Say that something is wrong there, in one line."""
        self.results.append(RawResult(self.ID, self.source.path, span, message, self.URL, fix))

    @classmethod
    def rule(cls, specialist: str) -> Rule:
        """The check as an entry of the catalogue."""
        title, _, why = inspect.cleandoc(cls.__doc__ or "").partition("\n")
        return Rule(
            id=f"{specialist}/{cls.ID}",
            name=cls.NAME,
            plane=cls.PLANE,
            severity=cls.SEVERITY,
            defect_class=cls.DEFECT_CLASS or cls.NAME,
            why="\n".join(part for part in (title, why.strip()) if part),
            url=cls.URL,
            valid=tuple(case.source if isinstance(case, Valid) else case for case in cls.VALID),
            invalid=tuple(case.source for case in cls.INVALID),
            reported_by=(specialist,),
        )


class Late(Sequence[type[Check]]):
    """The checks a module names, imported when they are first looked at.

    Give ``Late("acme.checks:CHECKS")`` where the checks take time to import: wardround then does it while
    the static tools are running.
    """

    def __init__(self, place: str) -> None:
        self._place = place

    def files(self) -> list[Path]:
        """The source files that hold the checks, found without importing them."""
        spec = importlib.util.find_spec(self._place.partition(":")[0])
        if spec is None or spec.origin is None:
            return []
        origin = Path(spec.origin)
        return sorted(origin.parent.glob("*.py")) if origin.name == "__init__.py" else [origin]

    @cached_property
    def _checks(self) -> Sequence[type[Check]]:
        module, _, name = self._place.partition(":")
        checks: Sequence[type[Check]] = getattr(importlib.import_module(module), name)
        return checks

    @overload
    def __getitem__(self, index: int) -> type[Check]: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[type[Check]]: ...

    def __getitem__(self, index: int | slice) -> type[Check] | Sequence[type[Check]]:
        return self._checks[index]

    def __len__(self) -> int:
        return len(self._checks)


CheckRunner = Callable[[Sequence[type[Check]], Source], Iterable[RawResult]]


def run_each(checks: Sequence[type[Check]], source: Source) -> Iterable[RawResult]:
    """Run checks one after another: the runner of specialists that need nothing shared between checks."""
    for check_type in checks:
        check = check_type(source)
        check.run()
        yield from check.results
