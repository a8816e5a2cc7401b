"""The check for removed guards, for all languages."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from wardround.checks.base import ChangeCheck
from wardround.checks.keyword_index import keyword_index
from wardround.checks.lazy import LazyPattern
from wardround.checks.source import ChangedFileView
from wardround.findings import Plane, Severity, Span
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
    unescaped,
    unwrapped,
)

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
        ENDINGS: of the files it reads.
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
        """The files of the change that it reads."""
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
            if not _has_new(file):
                continue
            pieces = keyword_index(text).tokens
            if any(KINDS[kind].search(pieces) for kind in ("permission", "owner")) or "use server" in text:
                for one in outliers(self.bodies(file.path, text), file.is_added):
                    line, column = one.body.place
                    name = one.body.name.rpartition(".")[2]
                    guards = " or ".join(guard.lstrip("@") for guard in one.guards[:3])
                    beside = f"the {one.siblings} functions next to it that share {one.shared}"
                    said = f"{beside} go through {guards}, this one does not"
                    self.report(file.path, Span(line, column, line, column + len(name)), said)

    def _tell_of_lines(self, file: ChangedFileView, text: str) -> None:
        pieces = keyword_index(text).tokens
        for line, column, call in (
            unchecked_calls(text.split("\n"), file.is_added) if KINDS["check"].search(pieces) else ()
        ):
            said = f"the same statement is followed by {call}() everywhere else in this file, and not here"
            self.report(file.path, Span(line, column, line, column + 1), said)
        if KINDS["escape"].search(pieces):
            for line, column, value, call in unescaped(text.split("\n"), file.is_added):
                said = f'"{value}" is inserted raw here, but through {call} everywhere else in this file'
                self.report(file.path, Span(line, column, line, column + len(value)), said)


def _has_new(file: ChangedFileView) -> bool:
    """Return True if an added line may begin a function."""
    lines = (file.text or "").split("\n")
    return any(_BEGINS.search(line) and file.is_added(number) for number, line in enumerate(lines, 1))


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
        if not any(file.base_path is not None for file in files) or len(files) > _MOST_FILES:
            return
        moved = {file.path: moved_lines(file.base_text or "", file.text or "") for file in files}
        kinds = missing_kinds(
            (line for removed, _ in moved.values() for line in removed),
            (line for _, added in moved.values() for line in added),
        )
        self._told: set[str] = set()
        for file in files:
            removed, added = moved[file.path]
            mine = kinds & self.KINDS_SHOWN & missing_kinds(removed, ())
            if "escape" in mine:
                self._tell_unwrapped(file, removed, added)
            self._tell_untested(file)
            for one in self._gone(file, mine - {"escape"}) if mine - {"escape"} else ():
                self._tell(file, one.guard.kind, one.guard.word, one.act.lstrip("=~"), *one.place)

    def _tell_unwrapped(self, file: ChangedFileView, removed: Sequence[str], added: Sequence[str]) -> None:
        for call, value, now in unwrapped(removed, added):
            for number, line in enumerate((file.text or "").split("\n"), 1):
                if line.strip() == now and file.is_added(number):
                    self._tell(file, "escape", call, value, number, max(line.rfind(value), 0) + 1)
                    break

    def _tell_untested(self, file: ChangedFileView) -> None:
        before, after = file.base_text or "", file.text or ""
        if max(len(before), len(after)) > _LONGEST_TEXT or not removes_none_test(before, after):
            return
        found = removed_none_tests(self.bodies(file.path, before), self.bodies(file.path, after))
        for name, (line, column) in found:
            self._tell(file, "none", f"{file.path}:{name}", name, line, column)

    def _gone(self, file: ChangedFileView, kinds: frozenset[str]) -> Sequence[GuardRemoval]:
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
