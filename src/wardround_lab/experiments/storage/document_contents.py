"""The contents of entries in a document database, split where one is too large for a document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from wardround.storage.digest import sha256
from wardround_lab.experiments.storage.document_store import (
    DocumentStore,
    DocumentStoreError,
    Put,
    Write,
)
from wardround_lab.experiments.storage.model import Entry

_CONTENTS = "wardround_lab_contents"
_OVERHEAD = 2048
"""Bytes of a document besides its content: its name, the names of fields."""
_MOST_KNOWN = 50_000
"""Digests of contents that a process does not write again."""
_READ = 50
"""Documents of one request."""


class DocumentContents:
    """Contents by digest; a part is written again if this process did not write it, which changes nothing."""

    def __init__(self, store: DocumentStore) -> None:
        self._store = store
        self._part = store.most_document_bytes - _OVERHEAD
        self._known: dict[str, None] = {}

    @contextmanager
    def writes(self, entries: Sequence[Entry], others: int) -> Iterator[list[Write]]:
        """Yield the writes of contents for a commit; those for which it has no room are written before.

        Args:
            others: the number of other writes of the commit.
        """
        new = {entry.digest: bytes(entry.content) for entry in entries if entry.digest not in self._known}
        *before, last = self._batches(new, others)
        for batch in before:
            self._store.commit(batch)
        yield last
        self._remember(new)

    def read(self, sizes: Mapping[str, int]) -> dict[str, bytes]:
        """Return contents by digest.

        Raises:
            DocumentStoreError: one is missing or was changed.
        """
        parts = [part for digest, size in sizes.items() for part in self._parts(digest, size)]
        found: dict[str, bytes] = {}
        for first in range(0, len(parts), _READ):
            documents = self._store.get(_CONTENTS, parts[first : first + _READ])
            found |= {part: _bytes(document.fields["content"]) for part, document in documents.items()}
        return {digest: self._content(digest, size, found) for digest, size in sizes.items()}

    def _content(self, digest: str, size: int, parts: Mapping[str, bytes]) -> bytes:
        content = b"".join(parts.get(part, b"") for part in self._parts(digest, size))
        if sha256(content).hexdigest() != digest:
            raise DocumentStoreError(f"content {digest} is missing or was changed; import it from an export")
        return content

    def _batches(self, contents: Mapping[str, bytes], others: int) -> list[list[Write]]:
        """Return writes in batches, each small enough; the last one may be empty."""
        batches: list[list[Write]] = [[]]
        size = 0
        for write in self._puts(contents):
            size += len(_bytes(write.fields["content"])) + _OVERHEAD
            if len(batches[-1]) + others >= self._store.most_writes or size > self._store.most_bytes:
                batches.append([])
                size = len(_bytes(write.fields["content"])) + _OVERHEAD
            batches[-1].append(write)
        return batches

    def _puts(self, contents: Mapping[str, bytes]) -> Iterator[Put]:
        for digest, content in contents.items():
            for number, part in enumerate(self._parts(digest, len(content))):
                first = number * self._part
                yield Put(_CONTENTS, part, {"content": content[first : first + self._part]})

    def _parts(self, digest: str, size: int) -> list[str]:
        count = max(-(-size // self._part), 1)
        return [f"{digest}~{number:04d}" for number in range(count)]

    def _remember(self, digests: Mapping[str, bytes]) -> None:
        if len(self._known) + len(digests) > _MOST_KNOWN:
            self._known.clear()
        self._known.update(dict.fromkeys(digests))


def _bytes(field: object) -> bytes:
    assert isinstance(field, bytes)
    return field
