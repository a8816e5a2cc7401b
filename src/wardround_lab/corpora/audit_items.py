"""Records of the data commands in the form that an audit reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from wardround.errors import UsageError
from wardround.training_tasks import Choice, LabelledText, Window
from wardround_lab.corpora.records import Curated, Mined, lines_of


class Message(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One turn of a conversation."""

    role: str
    content: str


class ItemOrigin(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The origin of a record; fields are empty if unknown."""

    repository: str = ""
    time: int = 0
    licence: str = ""
    path: str = ""


class Chat(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record of ``build-sft`` in the chat template."""

    messages: tuple[Message, ...]
    origin: ItemOrigin = ItemOrigin()


class Plain(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record of ``build-sft`` in the plain template."""

    prompt: str
    completion: str
    origin: ItemOrigin = ItemOrigin()


@dataclass(frozen=True, slots=True)
class Item:
    """One record.

    Attributes:
        place: ``file:line``, for messages.
        repository, time, licence, path: its origin; empty or 0 if unknown.
        group: items of one group must be in one part of a split; empty without a group.
        texts: all its texts written by people or programs.
        core: the text that identifies the record, for the detection of duplicates.
        choice: its choice, if it is one.
        answer: (question, answer), if it is an instruction.
    """

    place: str
    repository: str
    time: int
    licence: str
    path: str
    group: str
    texts: tuple[str, ...]
    core: str
    choice: Choice | None = None
    answer: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class RecordKind:
    """A kind of record.

    Attributes:
        key: the key of a line that no other kind has.
        decoder: of a line; ``read``: (place, record) -> what an audit reads.
    """

    name: str
    key: str
    decoder: msgspec.json.Decoder[Any]
    read: Callable[[str, Any], Item]

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the names of the keys of a line."""
        return tuple(self.decoder.type.__struct_fields__)


def items_of(path: Path) -> Iterator[Item]:
    """Read the records of a file; their keys determine their kind.

    Raises:
        UsageError: the file cannot be read, or a line is not a record; the message names the line.
    """
    for number, line in lines_of(path):
        try:
            kind, record = read_record(line)
        except ValueError as cause:
            raise UsageError(f"{path}:{number}: {cause}; correct or remove this line") from cause
        yield kind.read(f"{path.name}:{number}", record)


def read_record(line: bytes) -> tuple[RecordKind, Any]:
    """Return the record of a line and its kind.

    Raises:
        ValueError: it is not a record.
    """
    try:
        keys = _KEYS.decode(line)
        kind = next((kind for kind in RECORD_KINDS if kind.key in keys), None)
        if kind is None:
            raise ValueError(f"unknown record with the keys {', '.join(sorted(keys)) or '(none)'}")
        return kind, kind.decoder.decode(line)
    except (msgspec.MsgspecError, RecursionError) as cause:
        raise ValueError(str(cause)) from cause


def _choice_item(place: str, entry: Choice) -> Item:
    right = [entry.candidates[at] for at in entry.right]
    return Item(
        place, entry.repository, entry.time, "", entry.group.partition("@")[0],
        f"{entry.repository} {entry.group}",
        (entry.query, *entry.candidates), "\n".join([entry.query, *right]), choice=entry,
    )  # fmt: skip


def _mined_item(place: str, entry: Mined) -> Item:
    lines = [line for file in entry.files for hunk in file.hunks for line in (*hunk.removed, *hunk.added)]
    changed = "\n".join(lines)
    texts = (entry.subject, entry.body, changed)
    path = entry.files[0].path if len(entry.files) == 1 else ""
    return Item(place, entry.repository, entry.time, "", path, f"{entry.repository} {entry.commit}",
                texts, changed)  # fmt: skip


def _window_item(place: str, window: Window) -> Item:
    text = "\n".join(window.lines)
    marked = "\n".join(f"{mark}{line}" for mark, line in zip(window.marks, window.lines, strict=True))
    return Item(place, window.repository, window.time, "", window.group.partition("@")[0],
                f"{window.repository} {window.group}", (text,), marked)  # fmt: skip


def _labelled_item(place: str, entry: LabelledText) -> Item:
    return Item(place, entry.repository, entry.time, "", "", f"{entry.repository} {entry.group}",
                (entry.text,), entry.text)  # fmt: skip


def _curated_item(place: str, entry: Curated) -> Item:
    requested = "\n".join(part for part in (entry.instruction, entry.input) if part)
    origin = ItemOrigin(entry.repository, entry.time, entry.licence, entry.path)
    texts = (entry.instruction, entry.input, entry.output)
    return _instruction(place, origin, texts, requested, entry.output)


def _chat_item(place: str, chat: Chat) -> Item:
    texts = tuple(message.content for message in chat.messages)
    requested = "\n".join(message.content for message in chat.messages if message.role == "user")
    reported = "\n".join(message.content for message in chat.messages if message.role == "assistant")
    return _instruction(place, chat.origin, texts, requested, reported)


def _plain_item(place: str, plain: Plain) -> Item:
    return _instruction(place, plain.origin, (plain.prompt, plain.completion), plain.prompt, plain.completion)


def _instruction(place: str, origin: ItemOrigin, texts: tuple[str, ...], requested: str, said: str) -> Item:
    return Item(place, origin.repository, origin.time, origin.licence, origin.path, "", texts,
                f"{requested}\n{said}", answer=(requested, said))  # fmt: skip


def _kind(name: str, key: str, record: type, read: Callable[[str, Any], Item]) -> RecordKind:
    return RecordKind(name, key, msgspec.json.Decoder(record), read)


_KEYS = msgspec.json.Decoder(dict[str, msgspec.Raw])
RECORD_KINDS = (
    _kind("choice", "candidates", Choice, _choice_item),
    _kind("labelled text", "label", LabelledText, _labelled_item),
    _kind("window of lines", "marks", Window, _window_item),
    _kind("commit", "kind", Mined, _mined_item),
    _kind("instruction", "instruction", Curated, _curated_item),
    _kind("conversation", "messages", Chat, _chat_item),
    _kind("prompt", "completion", Plain, _plain_item),
)
