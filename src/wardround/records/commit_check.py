"""Verification of the records that a commit names: anyone can write a trailer, also that of another
commit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from wardround.change.commit_text import CommitText
from wardround.change.encoding import escape_undecodable
from wardround.change.repository import Repository
from wardround.records.commit_message import NOTES, digest_in, values_of
from wardround.records.record import convert_record
from wardround.records.reviewed_content import content_of, key_of
from wardround.storage.digest import sha256
from wardround.text.escaping import one_line

_LONGEST_VALUE = 100


class NamedRecord(msgspec.Struct, frozen=True):
    """A record that a commit names.

    Attributes:
        value: value of the trailer, or of the line of the note.
        digest: digest of the record; empty if the value is not one.
    """

    value: str
    digest: str


class CommitCheck:
    """Checks records against one commit.

    Raises:
        GitError: the name denotes no commit, or this clone lacks its parent.
    """

    def __init__(self, repository: Repository, name: str) -> None:
        self.commit = repository.commit(name)
        self._key = key_of(repository, self.commit)
        self._text = repository.commit_text

    def named_records(self) -> tuple[NamedRecord, ...]:
        """Return the records that the trailers and the note of the commit name, each once."""
        found = dict.fromkeys(_values(self._text, self.commit))
        return tuple(NamedRecord(one_line(value[:_LONGEST_VALUE]), digest_in(value)) for value in found)

    def fault(self, named: NamedRecord, data: bytes) -> str | None:
        """Return the reason why these bytes are not the record of that name; None if they are."""
        found = sha256(data).hexdigest()
        return None if found == named.digest else f"it is the record sha256:{found}"

    def content_fault(self, predicate: Mapping[str, Any]) -> str | None:
        """Return the reason why a review is not about the commit; None if it is.

        A record is about a commit if that has the same parent, and the same files with the same contents.
        """
        document = convert_record(predicate).context.document
        if (document.base, content_of(document)) == self._key:
            return None
        return f"it is about other content than the commit {self.commit[:12]}"


def _values(text: CommitText, commit: str) -> Iterator[str]:
    for lines in (text.trailers_of(commit), text.note(NOTES, commit)):
        yield from map(escape_undecodable, values_of(lines))
