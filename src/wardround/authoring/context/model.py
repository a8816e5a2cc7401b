"""The context of a task as ``write-context.json`` has it, with the published schema."""

from __future__ import annotations

from typing import Literal

import msgspec
from msgspec.structs import replace

from wardround import __version__
from wardround.authoring.instance import Constraint
from wardround.authoring.stages import CodePointer
from wardround.authoring.task_kind import StatedKind
from wardround.change.encoding import escape_undecodable
from wardround.storage.digest import sha256
from wardround.text.json_schema import schema_text

SCHEMA = "wardround.write-context/1"
DEFAULT_TOKENS = 8000

Shown = Literal["whole", "part", "none"]


class ToolVersion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The program that wrote the file."""

    name: str = "wardround"
    version: str = __version__


class TaskNote(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The task without secrets.

    Attributes:
        source: where it was read: an argument, a file, or a ticket.
        name: name of the file or key of the ticket; empty for an argument.
        criteria: the acceptance criteria of the text.
    """

    source: Literal["text", "file", "ticket"]
    name: str
    title: str
    text: str
    kind: StatedKind
    criteria: tuple[str, ...] = ()


class TokenUse(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The estimated tokens of the text, four characters each.

    Attributes:
        repository: tokens of all source files of the commit, without tests and documentation.
    """

    limit: int
    used: int
    repository: int


class ContextItem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Lines that the task is probably about.

    Attributes:
        reasons: why they are here, the strongest first.
        shown: the lines are in ``text``: all, the pointer's lines as a part of a function, or none.
    """

    pointer: CodePointer
    reasons: tuple[str, ...]
    shown: Shown = "none"


class SimilarCommit(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An earlier commit with a similar message, and the files that it changed."""

    id: str
    subject: str
    paths: tuple[str, ...]


class WriteContext(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The code, tests, conventions and documentation that a patch author starts from.

    Attributes:
        base: id of the commit that all pointers refer to.
        instance: id of the task at this commit; equal tasks have the same one.
        files: the files to change, the most probable first.
        functions: lines of these files, the most probable first.
        tests: tests that probably cover them.
        conventions: how the same thing is done elsewhere in the repository.
        commits: earlier commits with similar messages, the most similar first.
        notes: limits of this context, such as files that were not read.
        text: ready text with the most relevant lines, within the limit of tokens.
        digest: SHA-256 of the document with an empty digest.
    """

    schema: Literal["wardround.write-context/1"] = "wardround.write-context/1"
    tool: ToolVersion = ToolVersion()
    base: str
    instance: str
    task: TaskNote
    constraints: tuple[Constraint, ...]
    tokens: TokenUse
    files: tuple[ContextItem, ...]
    functions: tuple[ContextItem, ...]
    tests: tuple[ContextItem, ...]
    conventions: tuple[ContextItem, ...]
    documentation: tuple[ContextItem, ...]
    commits: tuple[SimilarCommit, ...]
    notes: tuple[str, ...]
    text: str
    digest: str = ""

    @property
    def pointers(self) -> tuple[CodePointer, ...]:
        """The pointers to code, the most relevant first."""
        return tuple(item.pointer for item in (*self.functions, *self.files))

    @property
    def shown(self) -> tuple[CodePointer, ...]:
        """The lines of the repository that are in the text."""
        items = (*self.functions, *self.tests, *self.conventions, *self.documentation)
        return tuple(item.pointer for item in items if item.shown != "none")


def with_digest(context: WriteContext) -> WriteContext:
    """Return the context with the digest of everything in it."""
    content = msgspec.json.encode(replace(context, digest=""))
    return replace(context, digest=f"sha256:{sha256(content).hexdigest()}")


def as_json(context: WriteContext) -> str:
    """Return the document, with the same bytes for the same context."""
    return msgspec.json.format(msgspec.json.encode(context), indent=2).decode() + "\n"


def read_context(content: bytes) -> WriteContext:
    """Read a document.

    Raises:
        ValueError: it is not one, or its digest is that of another text.
    """
    context = msgspec.json.decode(content, type=WriteContext)
    if with_digest(context).digest != context.digest:
        raise ValueError("the digest is not that of the content; write the context again")
    return context


def schema() -> str:
    """Return the JSON schema of the document."""
    return schema_text(WriteContext)


def pointer(path: str, first_line: int, last_line: int, symbol: str, blob: str) -> CodePointer:
    """Return a pointer whose texts can be encoded."""
    return CodePointer(
        escape_undecodable(path), first_line, last_line, escape_undecodable(symbol), escape_undecodable(blob)
    )
