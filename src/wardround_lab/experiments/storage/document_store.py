"""The interface of a document database, as narrow as the storage of sequences needs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import msgspec

Field = str | int | bool | bytes
Fields = Mapping[str, Field]


class DocumentStoreError(Exception):
    """The database cannot be read or written; the message is the cause and what to do."""


class WriteConflict(Exception):
    """A document is not in the state that a write requires; nothing was written."""


class Document(msgspec.Struct, frozen=True):
    """A document as it was read.

    Attributes:
        version: differs after each write of the document.
    """

    id: str
    fields: Fields
    version: Any


class Create(msgspec.Struct, frozen=True):
    """Write a document that must not exist."""

    collection: str
    id: str
    fields: Fields


class Replace(msgspec.Struct, frozen=True):
    """Write a document that must have a version."""

    collection: str
    id: str
    fields: Fields
    version: Any


class Put(msgspec.Struct, frozen=True):
    """Write a document, whether it exists or not."""

    collection: str
    id: str
    fields: Fields


Write = Create | Replace | Put


class DocumentStore(Protocol):
    """Collections of documents by id; what a method wrote is durable when it returns.

    All methods raise ``DocumentStoreError``.

    Attributes:
        most_writes: the number of writes of one commit.
        most_bytes: the size of all fields of one commit.
        most_document_bytes: the size of the fields of one document.
    """

    most_writes: int
    most_bytes: int
    most_document_bytes: int

    def get(self, collection: str, ids: Sequence[str]) -> dict[str, Document]:
        """Return the documents that exist, by id."""
        ...

    def query(self, collection: str, equal: Fields, after: str = "", before: str = "") -> Iterator[Document]:
        """Yield documents in the order of the bytes of their ids.

        Args:
            equal: values that fields must have.
            after: only greater ids; empty for all.
            before: only smaller ids; empty for all.
        """
        ...

    def commit(self, writes: Iterable[Write]) -> list[Any]:
        """Write all documents or none, and return their versions.

        Raises:
            WriteConflict: one is not in the state that its write requires. If the answer to an earlier try
                was lost, that try may have written them.
        """
        ...

    def close(self) -> None:
        """Release connections."""
        ...
