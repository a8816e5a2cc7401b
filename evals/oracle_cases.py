"""The commits and comments that ``oracle.py`` measures, and the places of their findings."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Side = Literal["head", "base"]
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)

Commit = Annotated[str, Meta(pattern="^[0-9a-f]{40}$")]


class NeededLines(msgspec.Struct, frozen=True):
    """Lines that a reader must see to make a comment."""

    side: Side
    path: str
    first: Annotated[int, Meta(ge=1)]
    last: Annotated[int, Meta(ge=1)]


class Comment(msgspec.Struct, frozen=True):
    """A comment of a reviewer; further fields are not read.

    Attributes:
        line: line number at the head, or of a removed line at the base; 0 for the file.
        needs: None if nobody recorded it.
        repaired: the authors changed this later.
    """

    path: str
    line: Annotated[int, Meta(ge=0)]
    side: Side = "head"
    label: str = ""
    repaired: bool = False
    needs: tuple[NeededLines, ...] | None = None


class Case(msgspec.Struct, frozen=True):
    """The comments on one change; further fields are not read."""

    repository: str
    base: Commit
    head: Commit
    comments: tuple[Comment, ...]


def load(file: Path) -> list[Case]:
    """Read one case per line."""
    return [msgspec.json.decode(line, type=Case) for line in file.read_bytes().splitlines() if line.strip()]


class _Hunk(msgspec.Struct, frozen=True):
    base: range
    head: range
    following: int

    @property
    def places(self) -> set[int]:
        """The lines at the head that a finding about this hunk can have."""
        return {*self.head, self.following} if self.base else set(self.head)


class Change(msgspec.Struct, frozen=True, dict=True):
    """A change in a clone: from the merge base to the head."""

    clone: Path
    case: Case

    @property
    def is_available(self) -> bool:
        """True if the clone has both commits."""
        return bool(self._start)

    @property
    def paths(self) -> frozenset[str]:
        """The changed files."""
        return frozenset(self._git("diff", "--name-only", self._start, self.case.head).splitlines())

    def changes(self, side: str, path: str, line: int) -> bool:
        """Return True if a line of the base or the head is removed or added."""
        return any(line in (hunk.head if side == "head" else hunk.base) for hunk in self._hunks(path))

    def places(self, comment: Comment) -> frozenset[int]:
        """Return the lines at the head where a finding about a comment belongs.

        These are the line itself; for a removed line the one that follows it, and for an unchanged one also
        the nearest changed line.
        """
        hunks = list(self._hunks(comment.path))
        if comment.side == "base":
            return frozenset(hunk.following for hunk in hunks if comment.line in hunk.base)
        changed = set().union(*(hunk.places for hunk in hunks)) - {comment.line}
        if any(comment.line in hunk.head for hunk in hunks) or not changed:
            return frozenset({comment.line})
        least = min(abs(line - comment.line) for line in changed)
        return frozenset({comment.line} | {line for line in changed if abs(line - comment.line) == least})

    @cached_property
    def _start(self) -> str:
        return self._git("merge-base", self.case.base, self.case.head).strip()

    def _hunks(self, path: str) -> Iterator[_Hunk]:
        length = len(self._git("show", f"{self.case.head}:{path}").splitlines())
        difference = self._git("diff", "-U0", "--histogram", self._start, self.case.head, "--", path)
        for found in _HUNK.finditer(difference):
            base, removed, head, added = (1 if part is None else int(part) for part in found.groups())
            first = head if added else head + 1
            following = max(1, min(first, length))
            yield _Hunk(range(base, base + removed), range(head, head + added), following)

    def _git(self, *arguments: str) -> str:
        """Return the output of git; empty if it fails, for example for commits missing from a clone."""
        done = subprocess.run(["git", "-C", str(self.clone), *arguments], capture_output=True)
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""
