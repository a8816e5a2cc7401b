"""Searches for words in the files of the work tree, for one search or for thousands."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from wardround.change.git_process import GitProcess
from wardround.checks.lazy import LazyPattern

_QUESTIONS = 24
"""After this many searches of the same files it is faster to read them once than to start git for each
search.
"""
_LARGEST_BYTES = 16 * 1024 * 1024
"""The total size of these files; above it, git runs for each search."""
_PLAIN = LazyPattern(r"[A-Za-z0-9_]+")

Words = Mapping[bytes, Sequence[str]]
"""Each word of the files, and the paths of those that contain it."""


class TrackedFileGrep:
    """Runs ``git grep``, or after many searches an index of words with the same results."""

    def __init__(self, git: GitProcess, root: Path) -> None:
        self._git = git
        self._root = root
        self._known: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
        self._asked: Counter[tuple[str, ...]] = Counter()
        self._words: dict[tuple[str, ...], Words | None] = {}

    def files(self, words: Sequence[str], patterns: Sequence[str]) -> list[str]:
        """Return tracked files that match a pattern and contain one of the words, case-sensitive and
        complete, sorted.
        """
        key = (tuple(words), tuple(patterns))
        if key not in self._known:
            self._known[key] = sorted(self._found(*key))
        return list(self._known[key])

    def _found(self, words: tuple[str, ...], patterns: tuple[str, ...]) -> set[str]:
        self._asked[patterns] += 1
        plain = [word for word in words if _PLAIN.fullmatch(word)]
        index = self._index(patterns) if plain and self._asked[patterns] > _QUESTIONS else None
        if index is None:
            return self._grepped(words, patterns)
        others = tuple(word for word in words if word not in plain)
        found = {path for word in plain for path in index.get(word.encode(), ())}
        return found | (self._grepped(others, patterns) if others else set())

    def _grepped(self, words: Sequence[str], patterns: Sequence[str]) -> set[str]:
        asked = [part for word in words for part in ("-e", word)]
        out = self._git.output(
            "grep", "-l", "-w", "-z", "-F", "--no-color", "--threads=2", *asked, "--", *patterns,
            allow=(0, 1), literal=False,
        )  # fmt: skip
        return {name for name in out.split("\0") if name}

    def _index(self, patterns: tuple[str, ...]) -> Words | None:
        if patterns not in self._words:
            self._words[patterns] = self._read(patterns)
        return self._words[patterns]

    def _read(self, patterns: tuple[str, ...]) -> Words | None:
        """Return None if there is too much to read, or git reads the index of some files."""
        rows = self._git.output("ls-files", "-v", "-z", "--", *patterns, literal=False).split("\0")
        if any(row[0] != "H" for row in rows if row):
            return None
        found: dict[bytes, list[str]] = {}
        left = _LARGEST_BYTES
        for path in dict.fromkeys(row[2:] for row in rows if row):
            content = _content(self._root / path, left)
            if content is None:
                return None
            left -= len(content)
            for word in set(re.findall(rb"[A-Za-z0-9_]+", content)):
                found.setdefault(word, []).append(path)
        return found


def _content(path: Path, limit: int) -> bytes | None:
    """Return the content of a file, empty if git does not search it; None if it exceeds a limit."""
    try:
        told = os.lstat(path)
        if not stat.S_ISREG(told.st_mode):
            return b""
        return None if told.st_size > limit else path.read_bytes()
    except OSError:
        return b""
