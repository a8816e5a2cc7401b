"""The source of a change: a repository, or a diff given as text, with the same interface."""

from __future__ import annotations

import codecs
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal, Protocol

from wardround.change.diff import Change, ChangedFile, DiffLine, FilePatch, FileStatus, read_patch
from wardround.change.grep import FolderFiles, contains_word, is_within
from wardround.change.repository import INDEX, WORKTREE, Repository
from wardround.change.trees import FolderTree, RecentContents, paths_overlap
from wardround.storage.digest import sha256

SideName = Literal["base", "head"]
JudgeName = Literal["target", "head"]
"""The revision whose configuration applies: the target of the change, or the change itself."""
DIFF = ":diff"
AS_CHECKED_OUT = (WORKTREE, DIFF)
"""The heads whose content is that of a work tree, where filters write plain text."""
_LFS = b"version https://git-lfs.github.com/spec/"
_LONGEST_POINTER = 1024
_KEPT_OF_ALL = 64 * 1024 * 1024
"""Maximum number of the bytes of files on disk in memory if all files are under review; a batch needs
less.
"""


class ChangeSource(Protocol):
    """The interface of the source of a change.

    ``root`` is the folder of the repository; ``change`` has the files as git lists them;
    ``in_repository`` is this source if the change is one of a repository, else None; ``fetch`` announces
    content that will be read soon; ``content`` is of files of the change, ``read`` of any path on one side or
    at the target; ``moved_settings`` are the
    paths with one of some file names that differ between base and target; ``state`` identifies the tree of a
    side, or is None without an identity; ``differing`` are the paths whose content in ``root`` is not that
    of the side; ``messages`` are those of the change's commits, newest first; ``holds`` returns True if
    anything at a path, above it or below it is under version control.
    """

    root: Path
    change: Change

    @property
    def in_repository(self) -> GitChangeSource | None: ...

    def fetch(self, files: Sequence[ChangedFile], *, base: bool = False) -> None: ...

    def content(self, file: ChangedFile, *, base: bool = False) -> bytes | None: ...

    def read(self, path: str, side: SideName | JudgeName) -> bytes | None: ...

    def moved_settings(self, names: Collection[str]) -> Sequence[str]: ...

    def state(self, change: Change, side: SideName) -> str | None: ...

    def differing(self, side: SideName) -> Collection[str]: ...

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]: ...

    def tracked_paths(self, patterns: Sequence[str] = ()) -> Collection[str]: ...

    def messages(self, change: Change) -> Sequence[str]: ...

    def has_tracked(self, path: str) -> bool: ...

    def files_in(self, folder: str, side: SideName | JudgeName) -> Sequence[str]: ...


def decode_text(content: bytes) -> str | None:
    """Decode UTF-8 without its byte order mark; None for other content."""
    try:
        return content.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError:
        return None


NOT_UTF8 = "it is not UTF-8 text"
"""The reason for a file that is not reviewed because only ``decode_any_encoding`` decodes it."""


def bytes_outside_utf8(content: bytes) -> Iterator[tuple[int, int, int]]:
    """Return the line, the column and the value of the first byte in each line that is not UTF-8."""
    for number, line in enumerate(content.removeprefix(codecs.BOM_UTF8).split(b"\n"), 1):
        try:
            line.decode()
        except UnicodeDecodeError as cause:
            yield number, len(line[: cause.start].decode()) + 1, line[cause.start]


def decode_any_encoding(content: bytes) -> str | None:
    """Decode text of any encoding, without its byte order mark; None for content that is not text.

    Content that is not UTF-8 is UTF-16 if it begins with that byte order mark, else Latin-1, in which every
    byte
    is a character; but text never contains a zero byte.
    """
    text = decode_text(content)
    if text is None and content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        text = _from_utf16(content)
        return None if "\0" in text else text
    return content.decode("latin-1") if text is None and b"\0" not in content else text


def _from_utf16(content: bytes) -> str:
    """Decode UTF-16 with the lines that git counts: one ends at each byte 10, even within a character."""
    text = content.decode("utf-16", "replace")
    if text.count("\n") == content.count(b"\n"):
        return text
    coding = "utf-16-le" if content.startswith(codecs.BOM_UTF16_LE) else "utf-16-be"
    units = (content[start : start + 2] for start in range(2, len(content), 2))
    return "".join("\n" * unit.count(b"\n") or unit.decode(coding, "replace") for unit in units)


def is_lfs_pointer(content: bytes) -> bool:
    """Return True if the file is a Git LFS pointer: only the digest and the size of another."""
    if len(content) >= _LONGEST_POINTER or not content.startswith(_LFS):
        return False
    pointer = rb"version \S+\n(?:ext-.*\n)*oid [a-z0-9]+:[0-9a-f]+\nsize \d+\n?"
    return re.fullmatch(pointer, content) is not None


class FileTexts:
    """The text of changed files at base and head, by their path at the head."""

    def __init__(self, origin: ChangeSource, change: Change) -> None:
        self._origin = origin
        self._files = {file.path: file for file in change.files}
        self._last: tuple[bytes, str | None] = b"", ""

    def head(self, path: str) -> str | None:
        """Return the text after the change; None if it does not exist or is not UTF-8."""
        content = self.head_bytes(path)
        return None if content is None else self._decode(content)

    def _decode(self, content: bytes) -> str | None:
        """Decode content as text; the last result is cached, since the findings of one file are
        consecutive.
        """
        last, text = self._last
        if content is not last:
            text = decode_text(content)
            self._last = content, text
        return text

    def base(self, path: str) -> str | None:
        """Return the text before the change; None for an added file."""
        content = self.base_bytes(path)
        return None if content is None else decode_text(content)

    def readable(self, path: str, *, base: bool = False) -> str | None:
        """Return the content of a file at base or head in any encoding; None if it does not exist."""
        content = self.base_bytes(path) if base else self.head_bytes(path)
        return None if content is None else decode_any_encoding(content)

    def head_bytes(self, path: str) -> bytes | None:
        """Return the content after the change; None if it does not exist, or is not of the change."""
        file = self._files.get(path)
        return None if file is None else self._origin.content(file)

    def base_bytes(self, path: str) -> bytes | None:
        """Return the content before the change; None for an added file."""
        file = self._files.get(path)
        return None if file is None or file.base_path is None else self._origin.content(file, base=True)


class GitChangeSource:
    """A change between two trees of a repository."""

    def __init__(self, repository: Repository, change: Change) -> None:
        self.root = repository.root
        self._repository = repository
        self.change = change
        self._on_disk = RecentContents(_KEPT_OF_ALL if change.all_files else sys.maxsize)
        self._by_path = {file.path: file for file in change.files}
        renamed = (file for file in change.files if file.status is FileStatus.RENAMED)
        self._moved_away = {file.base_path for file in renamed}
        if change.files:
            repository.compare_with_worktree(change.head)

    @property
    def in_repository(self) -> GitChangeSource | None:
        """The source itself, with its repository."""
        return self

    @property
    def repository(self) -> Repository:
        """The repository of the change."""
        return self._repository

    def fetch(self, files: Sequence[ChangedFile], *, base: bool = False) -> None:
        self._repository.fetch(files, base=base)

    def content(self, file: ChangedFile, *, base: bool = False) -> bytes | None:
        side = self.change.base if base else self.change.head
        if side != WORKTREE:
            return self._repository.content(file, side, base=base)
        # editors go on writing; the content that was read first is under review
        if file.path not in self._on_disk:
            self._on_disk.keep(file.path, self._repository.content(file, side))
        return self._on_disk.get(file.path)

    def read(self, path: str, side: SideName | JudgeName) -> bytes | None:
        if side == "head" and self.change.head == INDEX:
            return self._staged_content(path)
        return self._repository.tree(self._name(side)).read(path)

    def moved_settings(self, names: Collection[str]) -> Sequence[str]:
        change = self.change
        if change.target == change.base:
            return ()
        return self._repository.settings_between(change.base, change.target, names)

    def _staged_content(self, path: str) -> bytes | None:
        """Return the content of a path in the index: that of HEAD, unless the change contains the path.

        Thus git need not read an index of many thousand entries.
        """
        file = self._by_path.get(path)
        if file is not None:
            return None if file.status is FileStatus.DELETED else self.content(file)
        return None if path in self._moved_away else self._repository.tree(self.change.base).read(path)

    def state(self, change: Change, side: SideName) -> str | None:
        """Return the identity of a complete tree: its commit, or a commit and the difference from it."""
        if side == "base":
            return change.base
        if change.all_files:
            change = self._uncommitted_change
        if not change.head.startswith(":"):
            return change.head
        digest = sha256(change.base.encode())
        for file in change.files:
            blob = file.head_blob or ""
            if change.head == WORKTREE:
                blob = sha256(self.content(file) or b"").hexdigest()
            parts = (file.path, file.base_path or "", file.status, file.mode, blob)
            digest.update("\0".join(parts).encode("utf-8", "surrogateescape") + b"\n")
        return digest.hexdigest()

    @cached_property
    def _uncommitted_change(self) -> Change:
        return self._repository.worktree()

    def differing(self, side: SideName) -> Collection[str]:
        if self._repository.bare:
            return self._repository.tracked_paths(self._name(side))
        return self._repository.differs_from_worktree(self._name(side))

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        return self._repository.files_with_word(self.change.head, words, patterns)

    def tracked_paths(self, patterns: Sequence[str] = ()) -> Collection[str]:
        """Return the paths after the change; may include paths that do not match."""
        return set(self._repository.tracked_paths(self.change.head, patterns))

    def messages(self, change: Change) -> Sequence[str]:
        return () if change.head.startswith(":") else self._repository.messages(change.base, change.head)

    def has_tracked(self, path: str) -> bool:
        """Return True if a revision, or the work tree, has anything at a path, below it, or instead of a
        folder above it.
        """
        change, repository = self.change, self._repository
        touched = (name for file in change.files for name in (file.path, file.base_path or file.path))
        if any(paths_overlap(path, other) for other in touched) or repository.tree(change.base).holds(path):
            return True
        return change.head != INDEX and not repository.bare and repository.index_contains(path)

    def files_in(self, folder: str, side: SideName | JudgeName) -> Sequence[str]:
        inside = f"{folder}/"
        return [
            path
            for path in self._repository.tracked_paths(self._name(side), (f"{inside}*",))
            if path.startswith(inside)
        ]

    def _name(self, side: SideName | JudgeName) -> str:
        if side == "target":
            return self.change.target
        return self.change.base if side == "base" else self.change.head


class PatchChangeSource:
    """A change given as a diff, completed by matching files of a folder.

    A file of the folder that equals the diff's old version gives both versions, likewise one that equals its
    new version; for others only the lines in the diff are known, which are a fragment unless the diff adds
    the file.
    """

    def __init__(self, text: str, root: Path) -> None:
        self.root = root
        self._folder = FolderTree(root)
        self._sides: dict[str, tuple[bytes | None, bytes | None]] = {}
        files = []
        for patch in read_patch(text):
            base, head, complete = self._complete(patch)
            self._sides[patch.path] = (base, head)
            if patch.status is FileStatus.RENAMED and patch.base_path is not None:
                self._sides.setdefault(patch.base_path, (base, None))
            files.append(
                ChangedFile(
                    path=patch.path,
                    base_path=patch.base_path,
                    status=patch.status,
                    mode=patch.mode,
                    hunks=patch.hunks(),
                    fragment=not complete and patch.status is not FileStatus.DELETED,
                )
            )
        self.change = Change(DIFF, DIFF, tuple(files))

    def _complete(self, patch: FilePatch) -> tuple[bytes | None, bytes | None, bool]:
        """Return a file at base and head if it is known, and True if both are complete."""
        if patch.status is FileStatus.ADDED:
            return None, _join_lines(patch.lines, "+"), not patch.binary
        if patch.status is FileStatus.DELETED:
            return _join_lines(patch.lines, "-"), None, True
        if patch.binary:
            content = self._folder.read(patch.path)
            is_text = content is None or decode_any_encoding(content) is not None
            return None, None if is_text else content, not is_text
        kinds = Counter(line.kind for line in patch.lines)
        sides = (self._complete_from_base, self._complete_from_head)
        # lines that are only appended fit the old side of a file that has them, too
        for side in reversed(sides) if kinds["+"] > kinds["-"] else sides:
            if (both := side(patch)) is not None:
                return (*both, True)
        return None, _join_lines(patch.lines, "+"), False

    def _complete_from_base(self, patch: FilePatch) -> tuple[bytes, bytes] | None:
        """Return the base and head of a file whose base is in the folder; None if it is not."""
        base = self._folder.read(patch.base_path or patch.path)
        head = None if base is None else _apply_reverse(base, patch.lines, "-", "+")
        return None if base is None or head is None else (base, head)

    def _complete_from_head(self, patch: FilePatch) -> tuple[bytes, bytes] | None:
        """Return the base and head of a file whose head is in the folder; None if it is not."""
        head = self._folder.read(patch.path)
        base = None if head is None else _apply_reverse(head, patch.lines, "+", "-")
        return None if base is None or head is None else (base, head)

    @property
    def in_repository(self) -> GitChangeSource | None:
        """None: the trees of a diff are not known."""
        return None

    def fetch(self, files: Sequence[ChangedFile], *, base: bool = False) -> None:
        pass  # all content is in memory

    def content(self, file: ChangedFile, *, base: bool = False) -> bytes | None:
        sides = self._sides[file.path]
        return sides[0] if base else sides[1]

    def read(self, path: str, side: SideName | JudgeName) -> bytes | None:
        if path in self._sides and not (side != "head" and self._sides[path][0] is None):
            base, head = self._sides[path]
            return head if side == "head" else base
        return self._folder.read(path)

    def moved_settings(self, names: Collection[str]) -> Sequence[str]:
        return ()

    def state(self, change: Change, side: SideName) -> str | None:
        return None

    def differing(self, side: SideName) -> Collection[str]:
        return ()

    def files_with_word(self, words: Sequence[str], patterns: Sequence[str]) -> Sequence[str]:
        if not words:
            return ()
        changed = {path for path, content in self._heads() if contains_word(content, words)}
        found = {path for path in changed if is_within(path, patterns)}
        if self._folder_files is not None:
            found |= self._folder_files.grep(words, patterns) - self._sides.keys()
        return sorted(found)

    def tracked_paths(self, patterns: Sequence[str] = ()) -> Collection[str]:
        paths = {file.path for file in self.change.files}
        return (
            paths
            if self._folder_files is None
            else paths | (self._folder_files.paths() - self._removed_paths())
        )

    def _heads(self) -> Iterator[tuple[str, bytes]]:
        """Return the paths and contents of the changed files after the change, if they are known."""
        for path, (_, head) in self._sides.items():
            if head is not None:
                yield path, head

    def _removed_paths(self) -> set[str]:
        """Return the paths that do not exist any more after the change."""
        return {path for path, (_, head) in self._sides.items() if head is None}

    @cached_property
    def _folder_files(self) -> FolderFiles | None:
        """The rest of the tree; None if the folder is neither the base nor the head of the diff.

        The folder matches if it has a file of the diff, and no differing content of any.
        """
        fits = [self._fits_folder(file) for file in self.change.files if file.base_path is not None]
        return FolderFiles(self.root) if any(fits) and False not in fits else None

    def _fits_folder(self, file: ChangedFile) -> bool | None:
        """Return True if a version of an edited or deleted file is in the folder, None if there is no
        file.
        """
        if file.status is not FileStatus.DELETED:
            return not file.fragment
        present = self._folder.read(file.path)
        return None if present is None else present == self._sides[file.path][0]

    def messages(self, change: Change) -> Sequence[str]:
        return ()

    def has_tracked(self, path: str) -> bool:
        return any(paths_overlap(path, side) for side in self._sides) or self._folder.holds(path)

    def files_in(self, folder: str, side: SideName | JudgeName) -> Sequence[str]:
        paths = {*self.tracked_paths((f"{folder}/*",)), *self._sides}
        inside = (path for path in paths if path.startswith(f"{folder}/"))
        return sorted(path for path in inside if self.read(path, side) is not None)


def _join_lines(lines: Sequence[DiffLine], kind: str) -> bytes:
    """Return the lines of a diff at base or head."""
    return "".join(x.text for x in lines if x.kind in (kind, " ")).encode("utf-8", "surrogateescape")


def _apply_reverse(content: bytes, lines: Sequence[DiffLine], old: str, new: str) -> bytes | None:
    """Convert one version of a file to the other by its hunks; None if the hunks do not match."""
    have = content.decode("utf-8", "surrogateescape").split("\n")
    out: list[str] = []
    done = 0
    for line in lines:
        text = line.text.removesuffix("\n")
        number, other = _numbers(line, old)
        if line.kind == new:
            unchanged = (other or 0) - 1 - len(out)  # a diff without context has none around an insertion
            if unchanged < 0 or done + unchanged > len(have):
                return None
            out += [*have[done : done + unchanged], text]
            done += unchanged
            continue
        if number is None or not done < number <= len(have) or have[number - 1] != text:
            return None
        out += have[done : number - 1]
        if line.kind == " ":
            out.append(text)
        done = number
    return "\n".join([*out, *have[done:]]).encode("utf-8", "surrogateescape")


def _numbers(line: DiffLine, side: str) -> tuple[int | None, int | None]:
    """Return the number of a line in one version, and in the other one."""
    numbers = (line.base_line, line.head_line)
    return numbers if side == "-" else (numbers[1], numbers[0])
