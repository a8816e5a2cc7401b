"""The three stages between a task and a patch, and the values that they exchange.

A stage is constructed with all that it needs, such as an instance source and an endpoint; ``run`` gets the
id of the instance, so that one stage can work at many instances at the same time. Values are in memory; a
stage writes no file that another stage reads.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

Value = str | int | float | bool | None


class CodePointer(msgspec.Struct, frozen=True, order=True):
    """Lines of a file in a certain version.

    Attributes:
        path: relative to the repository root, with forward slashes.
        first_line, last_line: 1-based, both included.
        symbol: qualified name of the definition, such as ``Parser.feed``; empty for other lines.
        blob: git object id of the file's content.
    """

    path: str
    first_line: int
    last_line: int
    symbol: str = ""
    blob: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.first_line <= self.last_line:
            raise ValueError(f"{self.path}: lines {self.first_line} to {self.last_line} are no range")


class LocalizationResult(msgspec.Struct, frozen=True):
    """The code that a task is about.

    Attributes:
        content: pointers, the most relevant first, or the ready text for a generator.
        metadata: how it was found, for the record.
        code: with a ready text, the pointers to all code of the task, the most relevant first.
        shown: with a ready text, the lines of the repository that are in it.
    """

    content: tuple[CodePointer, ...] | str
    metadata: Mapping[str, Value] = {}
    code: tuple[CodePointer, ...] = ()
    shown: tuple[CodePointer, ...] = ()

    @property
    def pointers(self) -> tuple[CodePointer, ...]:
        """The pointers to the code, in either form of the content."""
        return self.code if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        """The ready text; empty if the content is pointers."""
        return self.content if isinstance(self.content, str) else ""


class PatchedFile(msgspec.Struct, frozen=True, order=True):
    """One file of a patch.

    Attributes:
        path: relative to the repository root, with forward slashes.
        text: the new content; None deletes the file.
    """

    path: str
    text: str | None

    def __post_init__(self) -> None:
        parts = self.path.split("/")
        if not self.path.isprintable() or not {"", ".", "..", ".git"}.isdisjoint(map(str.lower, parts)):
            raise ValueError(f"{self.path!r} is not a path in the repository")


class Patch(msgspec.Struct, frozen=True):
    """A proposed change of a tree.

    Attributes:
        files: sorted by path; only files whose content differs.
        author: name of the stage, with its operator or model.
        reason: one line for the reader of the patch.
        metadata: rank, score and cost of the proposal.
    """

    files: tuple[PatchedFile, ...]
    author: str
    reason: str = ""
    metadata: Mapping[str, Value] = {}


class Message(msgspec.Struct, frozen=True):
    """One message of a conversation with a generator.

    Attributes:
        role: ``system``, ``user``, ``assistant`` or ``tool``.
    """

    role: str
    content: str


class Localization(Protocol):
    """Finds the code that a task is about."""

    async def run(self, instance_id: str) -> LocalizationResult: ...


class PatchGeneration(Protocol):
    """Proposes patches, the most probable first, and returns the messages that led to them."""

    async def run(
        self, localization: LocalizationResult, instance_id: str
    ) -> tuple[list[Patch], list[Message]]: ...


class Selection(Protocol):
    """Selects one of the proposed patches; there is at least one."""

    def run(self, patches: list[Patch], instance_id: str) -> Patch: ...
