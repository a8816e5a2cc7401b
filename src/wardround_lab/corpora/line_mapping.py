"""Map the lines of one snapshot of a repository to a later one, by ``git diff -M -w -U0``."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

DIFF = (
    "-c", "core.quotePath=false", "diff", "-M", "-w", "-U0", "--no-color", "--no-ext-diff", "--no-textconv",
    "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip
"""The arguments of git, followed by the two commits, ``--`` and patterns."""
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_NOWHERE = "/dev/null"


@dataclass(frozen=True, slots=True)
class Replaced:
    """Replaced lines: 1-based first line and count at base and head, as ``-U0`` prints them."""

    old_start: int
    old_count: int
    new_start: int
    new_count: int

    @property
    def old_end(self) -> int:
        """Return the last old line before or in the hunk."""
        return self.old_start + max(0, self.old_count - 1)

    @property
    def shift(self) -> int:
        """Return the offset of the lines after the hunk."""
        new_end = self.new_start + max(0, self.new_count - 1)
        return new_end - self.old_end


@dataclass(slots=True)
class FileMap:
    """The mapping of the lines of one file.

    Attributes:
        path: the path of the file in the later snapshot; None if it was deleted.
    """

    path: str | None
    hunks: list[Replaced] = field(default_factory=list)
    _ends: list[int] = field(default_factory=list)

    def hunk_of(self, line: int) -> Replaced | None:
        """Return the hunk that removed a line; None if the line still exists."""
        at = bisect_right(self._starts(), line) - 1
        if at < 0:
            return None
        hunk = self.hunks[at]
        return hunk if hunk.old_count and line <= hunk.old_end else None

    def line(self, line: int) -> int | None:
        """Return the new number of a line; None if it was removed."""
        if self.hunk_of(line) is not None:
            return None
        at = bisect_right(self._starts(), line) - 1
        if at >= 0 and not self.hunks[at].old_count and self.hunks[at].old_start == line:
            at -= 1  # inserted behind this line
        return line + (self.hunks[at].shift if at >= 0 else 0)

    def _starts(self) -> Sequence[int]:
        if len(self._ends) != len(self.hunks):
            self._ends = [hunk.old_start for hunk in self.hunks]
        return self._ends


@dataclass(slots=True)
class LineMaps:
    """The mappings of the changed files, by their path in the earlier snapshot.

    Attributes:
        added: path in the later snapshot -> the (first, last) added lines.
        texts: the texts of the added lines, without white space -> their paths.
    """

    files: dict[str, FileMap] = field(default_factory=dict)
    added: dict[str, list[tuple[int, int]]] = field(default_factory=dict)
    texts: dict[str, set[str]] = field(default_factory=dict)

    def of(self, path: str) -> FileMap:
        """Return the mapping of a file; an unchanged file has the identity mapping."""
        return self.files.get(path) or FileMap(path)

    def is_added(self, path: str, line: int) -> bool:
        came = self.added.get(path, ())
        at = bisect_right(came, line, key=lambda lines: lines[0]) - 1
        return at >= 0 and line <= came[at][1]


def squeeze(text: str) -> str:
    """Return a line without white space: the part of it that ``-w`` compares."""
    return "".join(text.split())


def parse_line_maps(printed: bytes) -> LineMaps:
    """Parse git's output. Paths that git had to quote are skipped."""
    maps = LineMaps()
    lines = printed.split(b"\n")
    at = 0
    while at < len(lines):
        if lines[at].startswith(b"diff --git "):
            at = _file(lines, at + 1, maps)
        else:
            at += 1
    return maps


def _file(lines: Sequence[bytes], at: int, maps: LineMaps) -> int:
    """Parse one file's part and return the start of the next."""
    names: dict[str, str] = {}
    while at < len(lines) and not lines[at].startswith((b"diff --git ", b"@@ ")):
        names.update(_named_paths(lines[at]))
        at += 1
    old, new = names.get("old"), names.get("new")
    hunks: list[Replaced] = []
    target = new if new not in (None, _NOWHERE) else None
    while at < len(lines) and (match := _HUNK.match(lines[at])):
        counts = [1 if number is None else int(number) for number in match.groups()]
        hunks.append(Replaced(*counts))
        at = _body(lines, at + 1, hunks[-1], target, maps)
    if old is not None and old != _NOWHERE:
        maps.files[old] = FileMap(target, hunks)
    if target is not None:
        maps.added[target] = [(h.new_start, h.new_start + h.new_count - 1) for h in hunks if h.new_count]
    return at


def _body(lines: Sequence[bytes], at: int, hunk: Replaced, target: str | None, maps: LineMaps) -> int:
    """Skip the lines of a hunk by count, since their text may look like anything."""
    left = hunk.old_count + hunk.new_count
    while left and at < len(lines):
        if not lines[at].startswith(b"\\"):
            left -= 1
            if target is not None and lines[at].startswith(b"+"):
                text = squeeze(lines[at][1:].decode("utf-8", "replace"))
                maps.texts.setdefault(text, set()).add(target)
        at += 1
    while at < len(lines) and lines[at].startswith(b"\\"):
        at += 1
    return at


_PREFIXES: Mapping[bytes, tuple[str, int]] = {
    b"--- ": ("old", 2),
    b"+++ ": ("new", 2),
    b"rename from ": ("old", 0),
    b"rename to ": ("new", 0),
}


def _named_paths(line: bytes) -> Iterator[tuple[str, str]]:
    for prefix, (key, cut) in _PREFIXES.items():
        if line.startswith(prefix):
            name = line[len(prefix) :].removesuffix(b"\t").decode("utf-8", "replace")
            if name == _NOWHERE:
                yield key, name
            elif not name.startswith('"'):
                yield key, name[cut:]
