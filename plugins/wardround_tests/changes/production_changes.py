"""Changes to production code, if they concern tests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

import msgspec

from wardround.checks.source import ChangedFileView, ChangeView
from wardround.storage.regex_cache import bounded_pattern
from wardround_tests.changes.line_diff import added_lines, numbered_removed_lines
from wardround_tests.file_kinds import is_production

_WORD = r"[A-Za-z_]\w{4,}"
_PYTHON = r"(\s*)(?:async\s+)?(?:def|class)\s+(\w+)|()([A-Za-z_]\w*)\s*(?::[^=]+)?=(?!=)"
_SCRIPT = (
    r"(\s*)(?:export\s+)?(?:default\s+)?(?:declare\s+)?(?:abstract\s+)?(?:async\s+)?"
    r"(?:function\s*\*?|class)\s+(\w+)|"
    r"()(?:export\s+)?(?:declare\s+)?(?:const|let|var|interface|type|enum)\s+(\w+)|"
    r"(\s+)(?:(?:public|private|protected|static|async|get|set)\s+)*"
    r"(?!if\b|for\b|while\b|switch\b|catch\b|return\b|function\b|await\b|new\b)(\w+)\s*\([^()]*\)\s*(?::[^{]+)?\{\s*$"
)
_USED = r"(?<![\w'\"`])[A-Za-z_]\w{3,}(?=[\s)]*[(.,)\]<=]|\s*$)"
_LONG = 7
_SHORTEST = 4
"""Shorter names, such as ``get``, do not identify the subject of a test."""


class Production(msgspec.Struct, frozen=True, dict=True):
    """The code files of a change that are not tests."""

    files: Sequence[ChangedFileView]

    @classmethod
    def of(cls, change: ChangeView) -> Production:
        return cls([f for f in change.files if is_production(f.path)])

    @cached_property
    def removed_words(self) -> frozenset[str]:
        """Words that a code file contained before the change and no longer contains."""
        return frozenset(
            word
            for f in self.files
            for word in set(re.findall(_WORD, f.base_text or "")) - set(re.findall(_WORD, f.text or ""))
        )

    @cached_property
    def modified(self) -> dict[str, tuple[ChangedFileView, int]]:
        """Definitions that the change modifies and keeps, with their position at the head."""
        found: dict[str, tuple[ChangedFileView, int]] = {}
        for file in self.files:
            for name, line in _modified_definitions(file):
                if len(name) >= _SHORTEST and not name.startswith("__"):
                    found.setdefault(name, (file, line))
        return found

    def is_withdrawn(self, text: str, name: str = "") -> bool:
        """Return True if the code no longer contains a word of a string, or a long word of a test's name."""
        if not self.removed_words.isdisjoint(re.findall(_WORD, text)):
            return True
        return any(len(word) > _LONG and word in name for word in self.removed_words)

    def modified_in(self, text: str) -> str:
        """Return the first modified name that a source uses; empty if it uses none."""
        return next((word for word in re.findall(_USED, text) if word in self.modified), "")

    def shrank(self, name: str) -> bool:
        """Return True if the file of a modified name shrank, so behaviour may have been withdrawn."""
        file, _ = self.modified[name]
        return len((file.text or "").split("\n")) < len((file.base_text or "").split("\n"))

    def replaces(self, old: str, new: str) -> bool:
        """Return True if the code itself replaced one literal by another."""
        if not old or not new:
            return False
        removed = "\n".join(line for file in self.files for _, line in numbered_removed_lines(file))
        added = "\n".join(line for file in self.files for _, line in added_lines(file))
        return old in removed and new in added


def _definitions(path: str, text: str) -> Iterator[tuple[str, int]]:
    pattern = bounded_pattern(_PYTHON if path.endswith(".py") else _SCRIPT)
    for number, line in enumerate(text.split("\n"), 1):
        match = pattern.match(line)
        if match is not None:
            yield match[match.lastindex or 0], number


def _enclosing_definitions(path: str, text: str, numbers: Iterable[int]) -> Iterator[tuple[str, int]]:
    """Yield the definitions, by indentation, that contain some lines."""
    selected, starts = set(numbers), {line: name for name, line in _definitions(path, text)}
    enclosing: list[tuple[int, str, int]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        if line.lstrip()[0] not in ")]}":
            while enclosing and enclosing[-1][0] >= indent:
                enclosing.pop()
        if number in starts:
            enclosing.append((indent, starts[number], number))
        if number in selected:
            yield from ((name, start) for _, name, start in enclosing)


def _modified_definitions(file: ChangedFileView) -> Iterator[tuple[str, int]]:
    """Yield the definitions of a file that exist in both versions and contain a changed line."""
    if file.text is None or file.base_text is None:
        return
    added = [number for number, _line in added_lines(file)]
    removed = [number for number, _line in numbered_removed_lines(file)]
    modified = {name for name, _ in _enclosing_definitions(file.path, file.text, added)}
    modified |= {name for name, _ in _enclosing_definitions(file.path, file.base_text, removed)}
    modified &= {name for name, _ in _definitions(file.path, file.base_text)}
    for name, line in _definitions(file.path, file.text):
        if name in modified:
            yield name, line
