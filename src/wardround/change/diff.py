"""A change as values, and unified diffs turned into hunks."""

from __future__ import annotations

import enum
import os
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from wardround.errors import DiffError
from wardround.lazy import LazyPattern

if TYPE_CHECKING:
    from unidiff.patch import PatchedFile


class FileStatus(enum.StrEnum):
    """The status of a file between base and head."""

    ADDED = "added"
    MODIFIED = "modified"
    RENAMED = "renamed"
    COPIED = "copied"
    DELETED = "deleted"
    RETYPED = "retyped"
    UNMERGED = "unmerged"


class Hunk(msgspec.Struct, frozen=True):
    """A contiguous block of changed lines without context.

    Starts are 1-based; a range of length 0 starts at the line *before* the gap, as in ``diff -U0``.
    """

    base_start: int
    base_length: int
    head_start: int
    head_length: int


class ChangedFile(msgspec.Struct, frozen=True, dict=True):
    """One file of a change.

    Attributes:
        path: path at the head, relative to the repository root with forward slashes; undecodable bytes are
            surrogate escapes. A deleted file has its old path.
        base_path: the path of its old content; None for an added file.
        head_blob, base_blob: object ids, or None if the content is not in the object database.
        mode: file mode at the head, as git writes it (``100644``, ``120000`` symlink, ``160000`` submodule).
        fragment: only parts of the content are known (a diff whose files are not available).
        lost: the content at base or head is not in this clone, so the two cannot be compared.
        first_for: names of specialists that did not review the old version, for which all lines are added.
    """

    path: str
    base_path: str | None
    status: FileStatus
    mode: str
    head_blob: str | None = None
    base_blob: str | None = None
    hunks: tuple[Hunk, ...] = ()
    fragment: bool = False
    lost: bool = False
    first_for: tuple[str, ...] = ()

    @property
    def is_regular(self) -> bool:
        return self.mode.startswith("100")

    @property
    def is_link(self) -> bool:
        return self.mode == "120000"

    @property
    def has_unknown_hunks(self) -> bool:
        """True if git, comparing size and time, may list a work-tree file as modified that is unmodified."""
        return self.status is FileStatus.MODIFIED and self.head_blob is None

    @property
    def is_all_added(self) -> bool:
        """True if there was no old content to compare with."""
        return self.base_path is None or self.status is FileStatus.RETYPED

    def as_added(self) -> ChangedFile:
        """Return the file as if it had not existed before."""
        added = FileStatus.ADDED
        return msgspec.structs.replace(self, base_path=None, status=added, base_blob=None, hunks=())

    def is_added_line(self, line: int) -> bool:
        """Return True if the change added this line of the head."""
        if self.is_all_added:
            return True
        hunk = self._hunk_at(line)
        return hunk is not None and line < hunk.head_start + hunk.head_length

    def is_near_change(self, line: int, context: int) -> bool:
        """Return True if the line is in a hunk or within ``context`` lines of one."""
        if self.is_added_line(line):
            return True
        return any(
            h.head_start - context <= line < h.head_start + max(h.head_length, 1) + context
            for h in self.hunks
        )

    def base_line(self, line: int) -> int | None:
        """Return the number at the base of a line of the head; None for an added line."""
        if self.is_added_line(line):
            return None
        hunk = self._hunk_at(line)
        if hunk is None:
            return line
        head_end = hunk.head_start + hunk.head_length + (1 if hunk.head_length == 0 else 0)
        base_end = hunk.base_start + hunk.base_length + (1 if hunk.base_length == 0 else 0)
        return line - head_end + base_end

    def _hunk_at(self, line: int) -> Hunk | None:
        """Return the last hunk that begins at or before the line."""
        index = bisect_right(self._hunk_starts, line)
        return self.hunks[index - 1] if index else None

    @cached_property
    def _hunk_starts(self) -> list[int]:
        return [_first_line_after(hunk) for hunk in self.hunks]

    def added_line_numbers(self, lines: int) -> Iterator[int]:
        """Return the added lines of a head with this many lines, in order."""
        if self.is_all_added:
            yield from range(1, lines + 1)
            return
        for hunk in self.hunks:
            yield from range(hunk.head_start, min(hunk.head_start + hunk.head_length, lines + 1))

    def removed_line_numbers(self, lines: int) -> Iterator[int]:
        """Return the removed lines of a base with this many lines, in order."""
        if self.status is FileStatus.DELETED:
            yield from range(1, lines + 1)
            return
        for hunk in self.hunks:
            yield from range(hunk.base_start, min(hunk.base_start + hunk.base_length, lines + 1))

    @property
    def added_lines(self) -> int:
        return sum(hunk.head_length for hunk in self.hunks)


def _first_line_after(hunk: Hunk) -> int:
    """Return the first line of the head affected by a hunk: if it only removes, the line after it."""
    return hunk.head_start + (1 if hunk.head_length == 0 else 0)


class Change(msgspec.Struct, frozen=True):
    """The change under review: the files that differ between ``base`` and ``head``, by path.

    Attributes:
        base: the old version; between two branches, their merge base.
        target: the revision the change is to be merged into, the tip of its branch; ``base`` by default.
        all_files: the files are those of the work tree, changed or not; there is nothing to compare them
            with.
        unread: the reason why the files are not known, so that there are none here; else empty.
    """

    base: str
    head: str
    files: tuple[ChangedFile, ...] = ()
    target: str = ""
    all_files: bool = False
    unread: str = ""

    def __post_init__(self) -> None:
        if not self.target:
            msgspec.structs.force_setattr(self, "target", self.base)

    def file(self, path: str) -> ChangedFile | None:
        return next((file for file in self.files if file.path == path), None)


def hunks_of(section: Iterable[str]) -> tuple[Hunk, ...]:
    """Parse the hunks of one file's part of a diff, without storing its lines.

    Raises:
        DiffError: a hunk does not match its header.
    """
    found: list[Hunk] = []
    base = head = 0  # the remaining lines of the hunk
    for line in section:
        if line.startswith("@@ "):
            if base or head:
                break
            hunk = _hunk_of(line)
            base, head = hunk.base_length, hunk.head_length
            found.append(hunk)
        elif found and line[:1] in ("-", "+", " "):
            base, head = base - (line[0] != "+"), head - (line[0] != "-")
            if base < 0 or head < 0:
                break
    if base or head:
        raise DiffError(f"the diff cannot be read: the length of a hunk differs from {found[-1]} says")
    return tuple(found)


def _hunk_of(header: str) -> Hunk:
    match = _HUNK.match(header)
    if match is None:
        raise DiffError(f"the diff cannot be read: {header.strip()!r} is not a hunk header")
    base_start, base_length, head_start, head_length = match.groups()
    return Hunk(int(base_start), int(base_length or 1), int(head_start), int(head_length or 1))


class DiffLine(msgspec.Struct, frozen=True):
    """A line of a hunk: ``kind`` is ``" "``, ``"+"`` or ``"-"``; ``text`` includes its line end."""

    kind: str
    text: str
    base_line: int | None
    head_line: int | None


class FilePatch(msgspec.Struct, frozen=True):
    """One file of a diff given as text, with all its lines."""

    path: str
    base_path: str | None
    status: FileStatus
    mode: str
    lines: tuple[DiffLine, ...]
    binary: bool = False

    def hunks(self) -> tuple[Hunk, ...]:
        """Return the changed blocks without their context."""
        found: list[Hunk] = []
        base = head = 0  # the last line passed on either side
        run: list[DiffLine] = []
        for line in (*self.lines, DiffLine(" ", "", None, None)):
            if line.kind != " ":
                run.append(line)
                continue
            if run:
                found.append(_block(run, base, head))
                run = []
            base, head = line.base_line or base, line.head_line or head
        return tuple(found)


def _block(run: Sequence[DiffLine], base: int, head: int) -> Hunk:
    removed = [x.base_line for x in run if x.base_line is not None]
    added = [x.head_line for x in run if x.head_line is not None]
    return Hunk(
        removed[0] if removed else base,
        len(removed),
        added[0] if added else head,
        len(added),
    )


_QUOTED = LazyPattern(r'\\(?:([0-7]{1,3})|([abtnvfr"\\]))')
_ESCAPES = {"a": 7, "b": 8, "t": 9, "n": 10, "v": 11, "f": 12, "r": 13, '"': 34, "\\": 92}


def unquote(name: str) -> str:
    """Undo git's C-style quoting of a path; a name that is not quoted is returned unchanged."""
    if len(name) < 2 or not (name.startswith('"') and name.endswith('"')):
        return name
    data = bytearray()
    end = 0
    body = name[1:-1]
    for match in _QUOTED.finditer(body):
        data += os.fsencode(body[end : match.start()])
        octal, letter = match.groups()
        data.append(int(octal, 8) & 0xFF if octal else _ESCAPES[letter])
        end = match.end()
    data += os.fsencode(body[end:])
    return os.fsdecode(bytes(data))


def _clean_path(name: str | None) -> str | None:
    """Return a path from a header of a diff, without quotes and prefix; None for ``/dev/null``.

    Raises:
        DiffError: the path leaves the repository.
    """
    if name is None or name == "/dev/null":
        return None
    path = unquote(name.rstrip("\r"))
    path = re.sub(r"^[abciow12]/", "", path)
    parts = path.split("/")
    if path.startswith("/") or ".." in parts or not path or "\0" in path or ".git" in parts:
        raise DiffError(f"the diff names {name!r}, which is not a path inside a repository; remove that part")
    return path


def read_patch(text: str) -> tuple[FilePatch, ...]:
    """Parse a unified diff with its lines, sorted by path.

    Raises:
        DiffError: it is not a unified diff, names a path outside the repository, or names a path twice.
    """
    from unidiff.errors import UnidiffParseError
    from unidiff.patch import PatchSet

    lines = _lines(text)
    _require_complete_hunks(lines)
    try:
        patches = PatchSet(lines)
    except (UnidiffParseError, ValueError) as cause:
        raise DiffError(f"the diff cannot be read: {str(cause).strip()}; give a unified diff") from cause
    if not patches and text.strip():
        raise DiffError("the diff names no file; give a unified diff, as git diff prints it")
    found: dict[str, FilePatch] = {}
    for patch in patches:
        item = _file_patch(patch)
        if item.path in found:
            raise DiffError(f"the diff has {item.path!r} twice; give each file once")
        found[item.path] = item
    return tuple(found[path] for path in sorted(found))


_HUNK = LazyPattern(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
"""No file has a billion lines; larger numbers have no canonical form."""
_COMBINED = ("diff --cc ", "diff --combined ", "@@@")
_DIFFERS = LazyPattern(r"index (?!([0-9a-f]+)\.\.\1\b)(?!0+\.\.(?:e69de29|473a0f4))|similarity index \d\d?%")
"""Header lines that changed lines must follow; a new file may be empty."""
_HAS_NO_LINES = ("deleted file mode ", "Binary files ", "GIT binary patch")


def _require_complete_hunks(lines: Iterable[str]) -> None:
    """Reject what a lenient reader would skip: a skipped line would count as reviewed.

    Raises:
        DiffError: a hunk header cannot be parsed, a hunk has more lines than its header states, or a
            required
            hunk is missing.
    """
    base = head = 0
    ended = False  # the last lines completed a hunk
    promised = 0  # the line that announced changed lines
    in_header = False  # of a file that may still have changed lines
    before = ""
    for number, line in enumerate(lines, 1):
        if base > 0 or head > 0:
            base -= line[:1] in ("-", " ", "\n", "\r")
            head -= line[:1] in ("+", " ", "\n", "\r")
            ended = True
        elif line.startswith(_COMBINED):
            raise DiffError(
                f"line {number} of the diff is part of a combined diff of a merge, which does not separate "
                f"two sides; give git diff BASE HEAD"
            )
        elif line.startswith("@@"):
            header = _HUNK.match(line)
            if header is None:
                raise DiffError(
                    f"line {number} of the diff is not a hunk header: {line.strip()!r}; correct it"
                )
            base, head = int(header[2] or 1), int(header[4] or 1)
            ended, promised, in_header = False, 0, False
        elif line.startswith("diff --git "):
            _require_announced_lines(promised)
            ended, promised, in_header = False, 0, True
        elif in_header and line.startswith(_HAS_NO_LINES):
            promised, in_header = 0, False
        elif (in_header and _DIFFERS.match(line)) or (before.startswith("--- ") and line.startswith("+++ ")):
            promised = number
        elif ended and line[:1] in ("+", "-", " ") and not line.startswith(("--- ", "-- ")):
            raise DiffError(f"line {number} of the diff exceeds the length in its hunk header; correct it")
        elif not line.startswith("\\"):
            ended = False
        before = line
    _require_announced_lines(promised)


def _require_announced_lines(promised: int) -> None:
    """Reject a file whose header announces changed lines that are missing.

    Raises:
        DiffError: there is such a header.
    """
    if promised:
        raise DiffError(
            f"line {promised} of the diff announces changed lines, but no hunk follows; "
            f"give the complete diff"
        )


def _lines(text: str) -> list[str]:
    """Split at newlines alone: form feeds and line separators are content."""
    parts = text.split("\n")
    lines = [part + "\n" for part in parts[:-1]]
    return [*lines, parts[-1]] if parts[-1] else lines


def _file_patch(patch: object) -> FilePatch:
    from unidiff.patch import PatchedFile

    assert isinstance(patch, PatchedFile)
    base, head = _clean_path(patch.source_file), _clean_path(patch.target_file)
    path = head or base
    if path is None:
        raise DiffError("the diff has a file without a name; give a unified diff, as git diff prints it")
    status = _status(patch, base, head)
    if status is FileStatus.ADDED:
        base = None
    lines = [
        DiffLine(line.line_type, line.value, line.source_line_no, line.target_line_no)
        for hunk in patch
        for line in hunk
        if line.line_type in {" ", "+", "-"}
    ]
    mode = patch.target_mode or patch.source_mode or "100644"
    return FilePatch(path, base, status, mode, tuple(lines), patch.is_binary_file)


def _status(patch: PatchedFile, base: str | None, head: str | None) -> FileStatus:
    if base is None:
        return FileStatus.ADDED
    if head is None:
        return FileStatus.DELETED
    if base != head:
        return FileStatus.DELETED if patch.is_removed_file else FileStatus.RENAMED
    if patch.is_added_file:
        return FileStatus.ADDED
    return FileStatus.DELETED if patch.is_removed_file else FileStatus.MODIFIED
