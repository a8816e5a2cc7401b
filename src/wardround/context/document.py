"""The canonical description of a change: the input of the planes, and the content of its identity."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from wardround.change.diff import Change, ChangedFile
from wardround.change.encoding import escape_undecodable
from wardround.context.canonical import canonical_json, content_id
from wardround.context.run_evidence import RunEvidence
from wardround.context.ticket.model import Ticket

SCHEMA = "wardround.context/1"


class ContextHunk(msgspec.Struct, frozen=True, array_like=True):
    """A block of changed lines, as ``diff -U0`` numbers them."""

    base_start: int
    base_length: int
    head_start: int
    head_length: int


class ContextFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One changed file.

    Attributes:
        path: path at the head; undecodable bytes are escaped; ``path_bytes`` has them in hexadecimal.
        mode: file mode at the head, as git writes it.
        base_content, head_content: ``git:`` and an object id, or ``sha256:`` and a digest; empty if there is
        no known content.
        is_fragment: only parts of the content are known.
        is_incomparable: the content at base or head is not in this clone.
        first_for: the specialists that did not review the old version.
    """

    path: str
    status: str
    mode: str
    base_path: str | None = None
    path_bytes: str = ""
    base_path_bytes: str = ""
    base_content: str = ""
    head_content: str = ""
    hunks: tuple[ContextHunk, ...] = ()
    is_fragment: bool = False
    is_incomparable: bool = False
    first_for: tuple[str, ...] = ()


class ContextDocument(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The change under review, without anything that depends on the machine.

    Attributes:
        base, target, head: commits, or the names of the index, the work tree or a diff.
            Commits determine their messages, which are therefore no part of the document: a shallow clone
            may lack some.
        files: sorted by path.
        ticket: the request that the change answers; None without a requested one.
        run: what running the change showed. The document of a review that requested no run has no such key,
            so that its id is the same as before runs existed.
    """

    base: str
    target: str
    head: str
    files: tuple[ContextFile, ...]
    ticket: Ticket | None = None
    schema: str = SCHEMA
    run: RunEvidence | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        if self.schema != SCHEMA:
            raise ValueError(f"schema {self.schema!r} is not {SCHEMA}")

    @property
    def ran(self) -> RunEvidence:
        """The run; empty if none was requested."""
        return self.run if isinstance(self.run, RunEvidence) else RunEvidence()


def describe(change: Change, digests: Mapping[str, bytes], ticket: Ticket | None = None) -> ContextDocument:
    """Describe a change as it is reviewed.

    Args:
        digests: path -> SHA-256 of the content at the head, for files without an object id.
    """
    files = sorted(change.files, key=lambda file: file.path)
    return ContextDocument(
        change.base,
        change.target,
        change.head,
        tuple(_file(file, digests.get(file.path, b"")) for file in files),
        ticket,
    )


def document_id(document: ContextDocument) -> str:
    """Return the id of a context: the SHA-256 of its canonical JSON."""
    return content_id(canonical_json(document))


def _file(file: ChangedFile, digest: bytes) -> ContextFile:
    return ContextFile(
        path=escape_undecodable(file.path),
        status=file.status.value,
        mode=file.mode,
        base_path=None if file.base_path is None else escape_undecodable(file.base_path),
        path_bytes=_undecodable_bytes(file.path),
        base_path_bytes=_undecodable_bytes(file.base_path or ""),
        base_content=f"git:{file.base_blob}" if file.base_blob else "",
        head_content=f"git:{file.head_blob}"
        if file.head_blob
        else f"sha256:{digest.hex()}"
        if digest
        else "",
        hunks=tuple(
            ContextHunk(h.base_start, h.base_length, h.head_start, h.head_length) for h in file.hunks
        ),
        is_fragment=file.fragment,
        is_incomparable=file.lost,
        first_for=tuple(sorted(file.first_for)),
    )


def _undecodable_bytes(path: str) -> str:
    """The bytes of a path in hexadecimal, if it is not UTF-8: two paths may look alike when escaped."""
    return "" if path.isascii() or _is_utf8(path) else path.encode("utf-8", "surrogateescape").hex()


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
