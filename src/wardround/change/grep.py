"""Word searches in the files at base or head, for one search or for thousands."""

from __future__ import annotations

import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Protocol

from wardround.change.git_process import GitProcess
from wardround.change.trees import Blobs
from wardround.errors import GitError
from wardround.lazy import LazyPattern
from wardround.text.globs import matches_whole

_QUESTIONS = 24
"""After this many searches of the same files it is faster to read them once than to start git for each
search.
"""
_NAMED_AT_ONCE = 200
"""Maximum number of paths in the arguments of one search; more fill the command line."""
_LARGEST_BYTES = 16 * 1024 * 1024
"""The total size of these files; above it, git runs for each search."""
_PLAIN = LazyPattern(r"[A-Za-z0-9_]+")

Words = Mapping[bytes, Sequence[str]]
"""Each word of the files, and the paths of the files that contain it."""


class SearchedFiles(Protocol):
    """The files at base or head of a change."""

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
            self._known[key] = sorted(self._find_files(*key))
        return list(self._known[key])

    def _find_files(self, words: tuple[str, ...], patterns: tuple[str, ...]) -> set[str]:
        self._asked[patterns] += 1
        plain = [word for word in words if _PLAIN.fullmatch(word)]
        index = self._index(patterns) if plain and self._asked[patterns] > _QUESTIONS else None
        if index is None:
            return self._files.grep(words, patterns)
        found: set[str] = set()
        for word in plain:
            found.update(index.get(word.encode(), ()))
        others = tuple(word for word in words if word not in plain)
        if others:
            found |= self._files.grep(others, patterns)
        return found

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


class StoredFiles:
    """The files of the index, of a commit or of a tree, which need not be checked out.

    Args:
        place: the arguments by which ``git grep`` searches them: ``--cached``, or the name of the tree.
        blobs: path and object id of its regular files.

    Attributes:
        is_incomplete: a search did without a file whose object is missing.
    """

    def __init__(
        self, git: GitProcess, place: str, blobs: Callable[[], Iterable[tuple[str, str]]], read: Blobs
    ) -> None:
        self._git = git
        self._place = place
        self._read = read
        self.is_incomplete = False
        self.blobs = cache(lambda: list(blobs()))

    def grep(self, words: Sequence[str], patterns: Sequence[str]) -> set[str]:
        found = _grep_files(self._git, words, (self._place,), patterns)
        return {path.removeprefix(f"{self._place}:") for path in found}

    def contents(self, patterns: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        for path, blob in self.blobs():
            if is_within(path, patterns):
                yield path, self.content(blob)

    def content(self, blob: str) -> bytes:
        """Return the content of an object, empty if it is missing."""
        content = self._read.get(blob)
        self.is_incomplete |= content is None
        return content or b""


class CheckedOutFiles:
    """The mostly checked out files of a version.

    Git searches files on disk, which is faster than searching its objects, and the others in the revision.
    Thus content on disk never counts if the revision has other content.

    Args:
        elsewhere: the paths whose content on disk differs from the revision; may contain unknown paths.
        listed: returns the paths of the work tree if it is the searched version, since untracked files count.
    """

    def __init__(
        self,
        git: GitProcess,
        root: Path,
        stored: StoredFiles,
        elsewhere: Callable[[], Collection[str]],
        listed: Callable[[], Iterable[str]] | None = None,
    ) -> None:
        self._git = git
        self._root = root
        self._stored = stored
        self._elsewhere = elsewhere
        self._listed = listed

    def grep(self, words: Sequence[str], patterns: Sequence[str]) -> set[str]:
        others = sorted(path for path in self._elsewhere() if is_within(path, patterns))
        if len(others) > _NAMED_AT_ONCE and self._listed is None:
            with suppress(GitError):
                return self._stored.grep(words, patterns)
        on_disk = _grep_files(self._git, words, () if self._listed is None else ("--untracked",), patterns)
        return on_disk.difference(others) | self._search_revision(words, others)

    def _search_revision(self, words: Sequence[str], paths: Sequence[str]) -> set[str]:
        """Return the paths whose content in the revision contains one of the words."""
        found: set[str] = set()
        for start in range(0, len(paths), _NAMED_AT_ONCE):
            named = [f":(literal){path}" for path in paths[start : start + _NAMED_AT_ONCE]]
            try:
                found |= self._stored.grep(words, named)
            except GitError:  # a partial clone lacks contents outside of its sparse checkout
                self._stored.is_incomplete = True
        return found & set(paths)

    def contents(self, patterns: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        elsewhere, blobs = self._elsewhere(), dict(self._stored.blobs())
        for path in blobs if self._listed is None else self._listed():
            if is_within(path, patterns):
                is_stored = path in elsewhere and path in blobs
                yield (
                    path,
                    self._stored.content(blobs[path])
                    if is_stored
                    else _read_limited_content(self._root / path),
                )


class FolderFiles:
    """The files of a folder, which need not be under version control; those that git ignores do not count."""

    def __init__(self, folder: Path) -> None:
        self._git = GitProcess(folder, os.environ)

    def grep(self, words: Sequence[str], patterns: Sequence[str]) -> set[str]:
        return _grep_files(self._git, words, ("--no-index", "--exclude-standard"), patterns)

    def contents(self, patterns: Sequence[str]) -> None:
        return None

    def paths(self) -> set[str]:
        """Return the paths that are under version control or could be; none outside of a repository."""
        listed = ("ls-files", "--cached", "--others", "--exclude-standard", "-z")
        return {name for name in self._git.output(*listed, allow=(0, 128)).split("\0") if name}


def contains_word(content: bytes, words: Sequence[str]) -> bool:
    """Return True if content contains one of the words in git's sense: not as a part of a longer one."""
    expected = b"|".join(re.escape(word.encode()) for word in words)
    return re.search(rb"(?<!\w)(?:" + expected + rb")(?!\w)", content) is not None


def is_within(path: str, patterns: Sequence[str]) -> bool:
    """Return True if git takes a path for a pattern, or for a file in a folder of that name."""
    folders = tuple(f"{pattern.rstrip('/')}/" for pattern in patterns)
    return not patterns or matches_whole(path, patterns) or path.startswith(folders)


def _grep_files(
    git: GitProcess, words: Sequence[str], place: Sequence[str], patterns: Sequence[str]
) -> set[str]:
    requested = [part for word in words for part in ("-e", word)]
    out = git.output(
        "grep", "-l", "-w", "-z", "-F", "--no-color", "--threads=2", *requested, *place, "--", *patterns,
        allow=(0, 1), literal=False,
    )  # fmt: skip
    return {name for name in out.split("\0") if name}


def _read_limited_content(path: Path) -> bytes:
    """Return the content of a file, empty if git does not search it, and as large as the limit at most."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return b""
        with path.open("rb") as file:
            return file.read(_LARGEST_BYTES + 1)
    except OSError:
        return b""
