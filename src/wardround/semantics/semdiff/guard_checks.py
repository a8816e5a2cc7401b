"""The check for removed guards, for all languages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from itertools import chain
from typing import ClassVar

from wardround.checks.base import ChangeCheck
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Severity, Span
from wardround.lazy import LazyPattern
from wardround.semantics.semdiff.guards import (
    KINDS,
    GuardedFunction,
    GuardRemoval,
    missing_kinds,
    moved_lines,
    outliers,
    removed_guards,
    removed_none_tests,
    removes_none_test,
    unchecked_calls,
    unescaped_values,
    unwrapped_values,
)
from wardround.text.keyword_index import keyword_index

_SAID = {
    "lock": "no longer runs under {word}",
    "transaction": "no longer runs in one transaction ({word}), so a failure can leave it half done",
    "permission": "is no longer behind {word}, so nothing checks permission",
    "owner": "is no longer restricted to one owner by {word}",
    "check": "no longer follows {word}, so nothing checks this",
    "escape": "no longer goes through {word} and is used raw",
    "timeout": "no longer has a time limit ({word}) and can block forever",
    "limit": "is no longer bounded by {word}",
    "none": "is passed on without the test for a missing value that the function made before",
    "finally": "is no longer cleaned up in a finally block when this fails",
}
_MOST_FILES = 60
_LONGEST_TEXT = 400_000


class GuardCheck(ChangeCheck):
    """A check that parses files into functions and their guards.

    Attributes:
        ENDINGS: endings of the files that it reads.
    """

    SEVERITY = Severity.INFO
    PREFILTER = "wardround.semantics.semdiff.guards:may_be_guarded"
    ENDINGS: ClassVar[tuple[str, ...]]

    @abstractmethod
    def is_test(self, path: str) -> bool:
        """Return True if a file is a test."""

    @abstractmethod
    def bodies(self, path: str, text: str) -> Sequence[GuardedFunction]:
        """Return the functions of a file; none if it cannot be parsed."""

    def files(self) -> list[ChangedFileView]:
        """Return the files of the change that it reads."""
        return [
            file
            for file in self.change.files
            if file.path.endswith(self.ENDINGS) and not self.is_test(file.path)
        ]


class SiblingGuardCheck(GuardCheck):
    """Reports a new function that lacks the guard of its siblings."""

    NAME = "missing-sibling-guard"
    PLANE = Plane.SECURITY
    DEFECT_CLASS = "missing-authorization"

    def run(self) -> None:
        for file in self.files():
            text = file.text
            if text is None or file.base_path is None or len(text) > _LONGEST_TEXT:
                continue
            self._tell_of_lines(file, text)
            if _has_new(file) and _may_have_guards(text):
                self._tell_of_functions(file, text)

    def _tell_of_functions(self, file: ChangedFileView, text: str) -> None:
        """Report the new functions that lack the guards of the functions next to them."""
        for unlike in outliers(self.bodies(file.path, text), file.is_added):
            line, column = unlike.body.place
            name = unlike.body.name.rpartition(".")[2]
            guards = " or ".join(guard.lstrip("@") for guard in unlike.guards[:3])
            adjacent = f"the {unlike.siblings} functions next to it that share {unlike.shared}"
            message = f"{adjacent} go through {guards}, this one does not"
            self.report(file.path, Span(line, column, line, column + len(name)), message)

    def _tell_of_lines(self, file: ChangedFileView, text: str) -> None:
        pieces = keyword_index(text).tokens
        for line, column, call in (
            unchecked_calls(text.split("\n"), file.is_added) if KINDS["check"].search(pieces) else ()
        ):
            reported = (
                f"the same statement is followed by {call}() everywhere else in this file, and not here"
            )
            self.report(file.path, Span(line, column, line, column + 1), reported)
        if KINDS["escape"].search(pieces):
            for line, column, value, call in unescaped_values(text.split("\n"), file.is_added):
                reported = f'"{value}" is inserted raw here, but through {call} everywhere else in this file'
                self.report(file.path, Span(line, column, line, column + len(value)), reported)


def _has_new(file: ChangedFileView) -> bool:
    """Return True if an added line may begin a function."""
    lines = (file.text or "").split("\n")
    return any(_BEGINS.search(line) and file.is_added(number) for number, line in enumerate(lines, 1))


def _may_have_guards(text: str) -> bool:
    pieces = keyword_index(text).tokens
    return "use server" in text or any(KINDS[kind].search(pieces) for kind in ("permission", "owner"))


_BEGINS = LazyPattern(r"\bdef |\bfunction\b|=>|\basync |^\s*\w+\(.*\{\s*$")


class GuardGoneCheck(GuardCheck):
    """The common part of the checks of all languages.

    Attributes:
        KINDS_SHOWN: the kinds of guards it reports.
    """

    NAME = "removed-guard"
    PLANE = Plane.SEMANTIC
    DEFECT_CLASS = "removed-safety"
    KINDS_SHOWN: ClassVar[frozenset[str]] = frozenset(KINDS)

    def run(self) -> None:
        files = self.files()
        if len(files) > _MOST_FILES or all(file.base_path is None for file in files):
            return
        moved = {file.path: moved_lines(file.base_text or "", file.text or "") for file in files}
        removed, added = zip(*moved.values(), strict=True)
        kinds = missing_kinds(chain.from_iterable(removed), chain.from_iterable(added))
        self._told: set[str] = set()
        for file in files:
            self._report_removed_guards(file, *moved[file.path], kinds & self.KINDS_SHOWN)

    def _report_removed_guards(
        self, file: ChangedFileView, removed: Sequence[str], added: Sequence[str], kinds: frozenset[str]
    ) -> None:
        """Report the guards of a file that the change removes."""
        own = kinds & missing_kinds(removed, ())
        if "escape" in own:
            self._report_removed_handler(file, removed, added)
        self._report_untested_value(file)
        tested = own - {"escape"}
        for removed_items in self._removed_guards(file, tested) if tested else ():
            self._tell(
                file,
                removed_items.guard.kind,
                removed_items.guard.word,
                removed_items.act.lstrip("=~"),
                *removed_items.place,
            )

    def _report_removed_handler(
        self, file: ChangedFileView, removed: Sequence[str], added: Sequence[str]
    ) -> None:
        for call, value, current in unwrapped_values(removed, added):
            for number, line in enumerate((file.text or "").split("\n"), 1):
                if line.strip() == current and file.is_added(number):
                    self._tell(file, "escape", call, value, number, max(line.rfind(value), 0) + 1)
                    break

    def _report_untested_value(self, file: ChangedFileView) -> None:
        before, after = file.base_text or "", file.text or ""
        if max(len(before), len(after)) > _LONGEST_TEXT or not removes_none_test(before, after):
            return
        found = removed_none_tests(self.bodies(file.path, before), self.bodies(file.path, after))
        for name, (line, column) in found:
            self._tell(file, "none", f"{file.path}:{name}", name, line, column)

    def _removed_guards(self, file: ChangedFileView, kinds: frozenset[str]) -> Sequence[GuardRemoval]:
        before, after = file.base_text, file.text
        if before is None or after is None or max(len(before), len(after)) > _LONGEST_TEXT:
            return ()
        return list(
            removed_guards(
                self.bodies(file.path, before), self.bodies(file.path, after), kinds, file.is_added
            )
        )

    def _tell(self, file: ChangedFileView, kind: str, word: str, act: str, line: int, column: int) -> None:
        if word not in self._told:
            self._told.add(word)
            message = f'"{act}" {_SAID[kind].format(word=" ".join(word.split()))}'
            self.report(file.path, Span(line, column, line, column + len(act)), message)
