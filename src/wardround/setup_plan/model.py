"""A plan: the files to create or change, and what remains to be done by hand."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

import msgspec


class FileChange(msgspec.Struct, frozen=True):
    """The new content of a file.

    Attributes:
        path: relative to the root of the repository.
        before: None if the file does not exist.
        summary: replaces the diff of a file that programs write.
    """

    path: str
    before: bytes | None
    after: bytes
    summary: str = ""

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff, without their line ends."""
        old = "/dev/null" if self.before is None else f"a/{self.path}"
        texts = [(content or b"").decode("utf-8", "replace") for content in (self.before, self.after)]
        before, after = (text.splitlines(keepends=True) for text in texts)
        for line in difflib.unified_diff(before, after, old, f"b/{self.path}"):
            yield line.removesuffix("\n").removesuffix("\r")
            if not line.endswith("\n"):
                yield "\\ No newline at end of file"


class Advice(msgspec.Struct, frozen=True):
    """A step for a person, because the plan does not change this file."""

    path: str
    text: str


class Present(msgspec.Struct, frozen=True):
    """An addition that the repository has already."""

    path: str
    what: str


Step = FileChange | Advice | Present


class Plan(msgspec.Struct, frozen=True):
    """The steps that set up a repository, in the order in which they are shown."""

    steps: tuple[Step, ...]

    @property
    def changes(self) -> tuple[FileChange, ...]:
        """The files to write."""
        return tuple(step for step in self.steps if isinstance(step, FileChange))

    @property
    def advice(self) -> tuple[Advice, ...]:
        """The steps for a person."""
        return tuple(step for step in self.steps if isinstance(step, Advice))

    @property
    def present(self) -> tuple[Present, ...]:
        """The additions that the repository has already."""
        return tuple(step for step in self.steps if isinstance(step, Present))
