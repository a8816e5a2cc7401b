"""The lines of an exported file: JSON, one value a line, the first with the schema, the last with the counts.

A sequence is followed by its entries.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from wardround_lab.experiments.storage.model import Entry, EntryKind, Run, SequenceHeader

SCHEMA = "wardround.sequences/1"


class SchemaLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="schema"):
    """The first line."""

    schema: str = SCHEMA


class RunLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="run"):
    """A run, before its sequences."""

    run: Run


class SequenceLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="sequence"):
    """A sequence with the number of its entries, which follow."""

    header: SequenceHeader
    entries: Annotated[int, msgspec.Meta(ge=0)]


class EntryLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="entry"):
    """An entry.

    Attributes:
        is_text: the content is a string with the content: it has line breaks, or white space at its ends,
            which a line does not keep.
    """

    kind: EntryKind
    name: str
    key: str
    digest: str
    content: msgspec.Raw
    is_text: bool = False

    @property
    def entry(self) -> Entry:
        """The entry; its digest is that of the content which the line has.

        Raises:
            msgspec.MsgspecError: the content should be a string.
        """
        content = bytes(self.content)
        if self.is_text:
            content = msgspec.json.decode(content, type=str).encode()
        return Entry(self.kind, self.name, msgspec.Raw(content), self.key)


class CountLine(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line", tag="end"):
    """The last line; without it, the file was cut."""

    runs: int
    sequences: int
    entries: int


Line = SchemaLine | RunLine | SequenceLine | EntryLine | CountLine


def entry_line(entry: Entry) -> EntryLine:
    """Return the line of an entry."""
    content = bytes(entry.content)
    is_verbatim = content == content.strip() and b"\n" not in content
    if not is_verbatim:
        content = msgspec.json.encode(content.decode())
    return EntryLine(
        entry.kind, entry.name, entry.key, entry.digest, msgspec.Raw(content), is_text=not is_verbatim
    )
