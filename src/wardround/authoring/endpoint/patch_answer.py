"""The answer of an author: edits of files as text, applied exactly or not at all."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TypeVar

import msgspec

from wardround.authoring.stages import Patch, PatchedFile
from wardround.planes.language_model.answer_text import documents_in

_MOST_EDITS = 50
Document = TypeVar("Document")


class UnusableAnswer(Exception):
    """An answer is not a patch of these files; the text is the reason, for its author."""


class Edit(msgspec.Struct, frozen=True):
    """The replacement of lines that occur once in a file; without lines, a new file."""

    file: str
    find: str
    replace: str


class PatchAnswer(msgspec.Struct, frozen=True):
    """The answer of an author.

    Attributes:
        edits: empty if it proposes none.
    """

    edits: tuple[Edit, ...]
    reason: str = ""


def decode_answer(text: str) -> PatchAnswer:
    """Return the last complete answer of an author in a text; see ``decode_document``."""
    return decode_document(text, PatchAnswer, "edits")


def decode_document(text: str, kind: type[Document], name: str) -> Document:
    """Return the last complete document in a text, which may have reasoning or a fence around it.

    Args:
        name: a name that every document of the kind has.

    Raises:
        UnusableAnswer: there is none.
    """
    found = [value for value in documents_in(text) if isinstance(value, dict) and name in value]
    if not found:
        raise UnusableAnswer(f"it has no JSON document with {name}")
    try:
        return msgspec.convert(found[-1], kind)
    except msgspec.ValidationError as cause:
        raise UnusableAnswer(f"its JSON document does not have the required form: {cause}") from None


def patch_of(answer: PatchAnswer, read: Callable[[str], str | None], author: str) -> Patch:
    """Return the patch that an answer describes.

    Args:
        read: path -> the present text; None if it is not a text file of the tree.

    Raises:
        UnusableAnswer: an edit cannot be applied, or there are too many.
    """
    if len(answer.edits) > _MOST_EDITS:
        raise UnusableAnswer(f"it has more than {_MOST_EDITS} edits")
    texts: dict[str, str] = {}
    for edit in answer.edits:
        present = texts.get(edit.file)
        texts[edit.file] = _new_text(edit, read(edit.file) if present is None else present)
    try:
        files = tuple(PatchedFile(path, text) for path, text in sorted(texts.items()))
    except ValueError as cause:
        raise UnusableAnswer(str(cause)) from None
    return Patch(files, author, answer.reason)


def _new_text(edit: Edit, present: str | None) -> str:
    """Return the new text of a file.

    Args:
        present: the present text; None if there is none.
    """
    problem = _problem(edit, present)
    if problem:
        raise UnusableAnswer(problem)
    return edit.replace if present is None else present.replace(edit.find, edit.replace)


def _problem(edit: Edit, present: str | None) -> str:
    name = json.dumps(edit.file)
    if "\0" in edit.replace:
        return f"the replacement in {name} is binary"
    if present is None:
        return f"there is no text file {name}" if edit.find else ""
    if not edit.find:
        return f"{name} exists, so an edit of it needs the lines to find"
    count = present.count(edit.find)
    if count == 1:
        return ""
    return f"the lines to find in {name} occur {count} times and not once: {edit.find!r}"
