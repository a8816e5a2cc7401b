"""One example in full: its fields as labelled texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import singledispatch

import msgspec

from wardround.training_tasks import Choice, LabelledText, Window
from wardround_lab.corpora.audit_items import Chat, Plain
from wardround_lab.corpora.records import Curated, Mined, RecordedFile
from wardround_lab.dashboard.views.examples import Example, day_of


class ExamplePart(msgspec.Struct, frozen=True):
    """A text of an example.

    Attributes:
        label: the field, and what is known about it: ``candidate 2, right``.
        is_right: whether it is the answer to be learnt.
    """

    label: str
    text: str
    is_right: bool = False


def facts_of(example: Example) -> list[tuple[str, str]]:
    """Return the origin of an example: name and value of each known fact."""
    item = example.item
    facts = [
        ("Kind", example.kind),
        ("Repository", item.repository),
        ("Date", day_of(item.time)),
        ("Licence", item.licence),
        ("Path", item.path),
        ("Group", item.group.removeprefix(item.repository).strip()),
    ]
    return [(name, value) for name, value in facts if value]


def parts_of(example: Example) -> list[ExamplePart]:
    """Return the texts of an example in the order in which they are read."""
    return list(_parts(example.record))


@singledispatch
def _parts(record: msgspec.Struct) -> Iterator[ExamplePart]:
    raise TypeError(f"no parts for a record of type {type(record).__name__}")


@_parts.register
def _(record: Choice) -> Iterator[ExamplePart]:
    yield ExamplePart("query", record.query)
    for at, text in enumerate(record.candidates):
        is_right = at in record.right
        yield ExamplePart(f"candidate {at + 1}{', right' if is_right else ''}", text, is_right)


@_parts.register
def _(record: LabelledText) -> Iterator[ExamplePart]:
    yield ExamplePart("text", record.text)
    yield ExamplePart("label", record.label, is_right=True)


@_parts.register
def _(record: Window) -> Iterator[ExamplePart]:
    marked = (f"{mark}{line}" for mark, line in zip(record.marks, record.lines, strict=True))
    yield ExamplePart(f"lines, {record.origin}", "\n".join(marked))
    faults = [f"line {fault.at + 1} {fault.kind}".rstrip() for fault in record.faults]
    yield ExamplePart("defects", "\n".join(faults) or "none", is_right=True)


@_parts.register
def _(record: Mined) -> Iterator[ExamplePart]:
    yield ExamplePart("message", "\n\n".join(filter(None, (record.subject, record.body))))
    for file in record.files:
        yield ExamplePart(file.path, "\n".join(_patch_lines(file)))
    yield from _list_part("related commits", record.related)
    yield from _list_part("removed lines that lead to it", record.blamed)


@_parts.register
def _(record: Curated) -> Iterator[ExamplePart]:
    yield ExamplePart("instruction", record.instruction)
    if record.input:
        yield ExamplePart("input", record.input)
    yield ExamplePart("output", record.output, is_right=True)


@_parts.register
def _(record: Chat) -> Iterator[ExamplePart]:
    for message in record.messages:
        yield ExamplePart(message.role, message.content, is_right=message.role == "assistant")


@_parts.register
def _(record: Plain) -> Iterator[ExamplePart]:
    yield ExamplePart("prompt", record.prompt)
    yield ExamplePart("completion", record.completion, is_right=True)


def _list_part(label: str, lines: Sequence[str]) -> Iterator[ExamplePart]:
    if lines:
        yield ExamplePart(label, "\n".join(lines))


def _patch_lines(file: RecordedFile) -> Iterator[str]:
    for hunk in file.hunks:
        yield f"@@ -{hunk.base_line},{len(hunk.removed)} +{hunk.line},{len(hunk.added)} @@"
        yield from (f"-{line}" for line in hunk.removed)
        yield from (f"+{line}" for line in hunk.added)
