"""Records of the data commands in the form that an audit reads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from wardround.errors import UsageError
from wardround.training_tasks import Choice, Window
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
        group: items of one group must be on one side of a split; empty without a group.
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
        place = f"{path.name}:{number}"
        try:
            there = keys.decode(line)
            key = next((one for one in readers if one in there), None)
            if key is None:
                raise ValueError(f"unknown record with the keys {', '.join(sorted(there)) or '(none)'}")
            decoder, read = readers[key]
            item = read(place, decoder.decode(line))
        except (msgspec.MsgspecError, ValueError, RecursionError) as cause:
            raise UsageError(f"{path}:{number}: {cause}; correct or remove this line") from cause
        yield item


def _of_choice(place: str, one: Choice) -> Item:
    right = [one.candidates[at] for at in one.right]
    return Item(
        place, one.repository, one.time, "", one.group.partition("@")[0], f"{one.repository} {one.group}",
        (one.query, *one.candidates), "\n".join([one.query, *right]), choice=one,
    )  # fmt: skip


def _of_mined(place: str, one: Mined) -> Item:
    lines = [line for file in one.files for hunk in file.hunks for line in (*hunk.removed, *hunk.added)]
    changed = "\n".join(lines)
    texts = (one.subject, one.body, changed)
    path = one.files[0].path if len(one.files) == 1 else ""
    return Item(place, one.repository, one.time, "", path, f"{one.repository} {one.commit}",
                texts, changed)  # fmt: skip


def _of_window(place: str, one: Window) -> Item:
    text = "\n".join(one.lines)
    marked = "\n".join(f"{mark}{line}" for mark, line in zip(one.marks, one.lines, strict=True))
    return Item(place, one.repository, one.time, "", one.group.partition("@")[0],
                f"{one.repository} {one.group}", (text,), marked)  # fmt: skip


def _of_curated(place: str, one: Curated) -> Item:
    asked = "\n".join(part for part in (one.instruction, one.input) if part)
    origin = ItemOrigin(one.repository, one.time, one.licence, one.path)
    texts = (one.instruction, one.input, one.output)
    return _instruction(place, origin, texts, asked, one.output)


def _of_chat(place: str, one: Chat) -> Item:
    texts = tuple(message.content for message in one.messages)
    asked = "\n".join(message.content for message in one.messages if message.role == "user")
    said = "\n".join(message.content for message in one.messages if message.role == "assistant")
    return _instruction(place, one.origin, texts, asked, said)


def _of_plain(place: str, one: Plain) -> Item:
    return _instruction(place, one.origin, (one.prompt, one.completion), one.prompt, one.completion)


def _instruction(place: str, origin: ItemOrigin, texts: tuple[str, ...], asked: str, said: str) -> Item:
    return Item(place, origin.repository, origin.time, origin.licence, origin.path, "", texts,
                f"{asked}\n{said}", answer=(asked, said))  # fmt: skip


_KINDS: tuple[tuple[str, Any, Callable[[str, Any], Item]], ...] = (
    ("candidates", Choice, _of_choice),
    ("marks", Window, _of_window),
    ("kind", Mined, _of_mined),
    ("instruction", Curated, _of_curated),
    ("messages", Chat, _of_chat),
    ("completion", Plain, _of_plain),
)
