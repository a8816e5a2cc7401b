"""Records of the data commands in the form that an audit reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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


def items_of(path: Path) -> Iterator[Item]:
    """Read the records of a file; their keys determine their kind.

    Raises:
        UsageError: the file cannot be read, or a line is not a record; the message names the line.
    """
    readers: Mapping[str, tuple[msgspec.json.Decoder[Any], Callable[[str, Any], Item]]] = {
        key: (msgspec.json.Decoder(kind), read) for key, kind, read in _KINDS
    }
    keys = msgspec.json.Decoder(dict[str, msgspec.Raw])
    for number, line in lines_of(path):
        location = f"{path.name}:{number}"
        try:
            there = keys.decode(line)
            key = next((reader for reader in readers if reader in there), None)
            if key is None:
                raise ValueError(f"unknown record with the keys {', '.join(sorted(there)) or '(none)'}")
            decoder, read = readers[key]
            item = read(location, decoder.decode(line))
        except (msgspec.MsgspecError, ValueError, RecursionError) as cause:
            raise UsageError(f"{path}:{number}: {cause}; correct or remove this line") from cause
        yield item


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


_KINDS: tuple[tuple[str, Any, Callable[[str, Any], Item]], ...] = (
    ("candidates", Choice, _choice_item),
    ("label", LabelledText, _labelled_item),
    ("marks", Window, _window_item),
    ("kind", Mined, _mined_item),
    ("instruction", Curated, _curated_item),
    ("messages", Chat, _chat_item),
    ("completion", Plain, _plain_item),
)
