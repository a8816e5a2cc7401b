"""Searches for words in the files of a work tree or of a commit, for one search or for thousands."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Protocol

from wardround.change.git_process import GitProcess
from wardround.change.trees import Blobs
from wardround.checks.lazy import LazyPattern
from wardround.config.globs import matches_whole

_QUESTIONS = 24
"""After this many searches of the same files it is faster to read them once than to start git for each
search.
"""
_LARGEST_BYTES = 16 * 1024 * 1024
"""The total size of these files; above it, git runs for each search."""
_PLAIN = LazyPattern(r"[A-Za-z0-9_]+")

Words = Mapping[bytes, Sequence[str]]
"""Each word of the files, and the paths of those that contain it."""


class SearchedFiles(Protocol):
    """The files of one side of a change."""

    def grep(self, words: Sequence[str], patterns: Sequence[str]) -> set[str]:
        """Return the files that match a pattern and contain one of the words."""

    def contents(self, patterns: Sequence[str]) -> Iterable[tuple[str, bytes]] | None:
        """Return the files that match a pattern, until too many bytes; None if only git can read them."""


class WordSearch:
    """Runs ``git grep``, or after many searches an index of words with the same results."""

    def __init__(self, files: SearchedFiles) -> None:
        self._files = files
        self._known: dict[tuple[tuple[str, ...], tuple[str, ...]], list[str]] = {}
        self._asked: Counter[tuple[str, ...]] = Counter()
        self._words: dict[tuple[str, ...], Words | None] = {}

    def files(self, words: Sequence[str], patterns: Sequence[str]) -> list[str]:
        """Return the files that match a pattern and contain one of the words, case-sensitive and complete,
        sorted.
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
            return self._files.grep(words, patterns)
        others = tuple(word for word in words if word not in plain)
        found = {path for word in plain for path in index.get(word.encode(), ())}
        return found | (self._files.grep(others, patterns) if others else set())

    def _index(self, patterns: tuple[str, ...]) -> Words | None:
        if patterns not in self._words:
            self._words[patterns] = self._read(patterns)
        return self._words[patterns]

    def _read(self, patterns: tuple[str, ...]) -> Words | None:
        """Return None if there is too much to read, or only git can read it."""
        contents = self._files.contents(patterns)
        found: dict[bytes, list[str]] = {}
        left = _LARGEST_BYTES
        for path, content in contents or ():
            left -= len(content)
            if left < 0:
                return None
            for word in set(re.findall(rb"[A-Za-z0-9_]+", content)):
                found.setdefault(word, []).append(path)
        return None if contents is None else found


class WorkTreeFiles:
    """The tracked files of a work tree."""

    def __init__(self, git: GitProcess, root: Path) -> None:
        self._git = git
        self._root = root

    def grep(self, words: Sequence[str], patterns: Sequence[str]) -> set[str]:
        return _grepped(self._git, words, (), patterns)

    def contents(self, patterns: Sequence[str]) -> Iterable[tuple[str, bytes]] | None:
        rows = self._git.output("ls-files", "-v", "-z", "--", *patterns, literal=False).split("\0")
        if any(row[0] != "H" for row in rows if row):
            return None  # git reads the index of some files
        paths = dict.fromkeys(row[2:] for row in rows if row)
        return ((path, _content(self._root / path)) for path in paths)


class TreeFiles:
    """The files of a commit or tree, which need not be checked out.

    Args:
        blobs: path and object id of its regular files.
    """

    def __init__(
        self, git: GitProcess, tree: str, blobs: Callable[[], Iterable[tuple[str, str]]], read: Blobs
    ) -> None:
        self._git = git
        self._tree = tree
        self._blobs = blobs
        self._read = read

    def grep(self, words: Sequence[str], patterns: Sequence[str]) -> set[str]:
        found = _grepped(self._git, words, (self._tree,), patterns)
        return {path.removeprefix(f"{self._tree}:") for path in found}

    def contents(self, patterns: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for path, blob in self._blobs():
            if matches_whole(path, patterns):
                yield path, self._read.get(blob) or b""


def _grepped(git: GitProcess, words: Sequence[str], tree: Sequence[str], patterns: Sequence[str]) -> set[str]:
    asked = [part for word in words for part in ("-e", word)]
    out = git.output(
        "grep", "-l", "-w", "-z", "-F", "--no-color", "--threads=2", *asked, *tree, "--", *patterns,
        allow=(0, 1), literal=False,
    )  # fmt: skip
    return {name for name in out.split("\0") if name}


def _content(path: Path) -> bytes:
    """Return the content of a file, empty if git does not search it, and as large as the limit at most."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return b""
        with path.open("rb") as file:
            return file.read(_LARGEST_BYTES + 1)
    except OSError:
        return b""
