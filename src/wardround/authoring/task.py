"""The task of the command line: a text, a file, or a ticket."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import msgspec

from wardround.authoring.text_file import decode_input, read_input
from wardround.context.ticket.model import Ticket
from wardround.errors import UsageError
from wardround.lazy import LazyPattern

LONGEST_TASK = 100_000
"""Characters."""
_LEAST_WORDS = 2
_LONGEST_TITLE = 120
_REFERENCE = LazyPattern(
    r"[A-Z][A-Z0-9_]{1,19}-[1-9]\d{0,8}|(?:[\w.-]+/[\w.-]+)?#[1-9]\d{0,8}|https?://\S+", re.ASCII
)
_TICKET_FILES = (".json", ".adf")
_PATH = LazyPattern(r"\S*[/\\]\S*|\S+\.(?:md|markdown|rst|txt|json|adf)")
_WORD = LazyPattern(r"[^\W_]{2,}")
_SENTENCE_END = LazyPattern(r"(?<=[a-z0-9`\")][.!?])\s+(?=[A-Z`\"])")
_LEADING_MARKS = LazyPattern(r"^(?:#{1,6}|[-*>]|={3,}|-{3,})\s*")
_CHECKBOX = LazyPattern(r"\s*[-*+]\s+\[[ xX]\]\s+(\S.*)")
_ITEM = LazyPattern(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(\S.*)")
_HEADING = LazyPattern(r"\s*(?:#{1,6}\s+(.+?)|\*\*(.+?)\*\*:?|([A-Z][^.\n]{0,60}):)\s*$")
_CRITERIA_HEADING = LazyPattern(r"(?i)acceptance|criteria|requirements|definition of done")
_MOST_CRITERIA = 50


class Task(msgspec.Struct, frozen=True):
    """A task in words.

    Attributes:
        name: name of the file or key of the ticket, without folders, which differ between machines.
        title: the first line with words.
        text: everything, with the title.
        criteria: the acceptance criteria that it lists.
    """

    source: Literal["text", "file", "ticket"]
    name: str
    title: str
    text: str
    criteria: tuple[str, ...] = ()
    ticket: Ticket | None = None


def read_task(argument: str, environ: Mapping[str, str], folder: Path) -> Task:
    """Return the task of an argument: a ticket by its form, a file if there is one, else the text itself.

    Args:
        folder: the folder that the path of a file is relative to.

    Raises:
        UsageError: it cannot be read, or does not state a task.
    """
    named = argument.strip()
    if _REFERENCE.fullmatch(named) or (named.lower().endswith(_TICKET_FILES) and _is_file(folder, named)):
        return _ticket_task(named, environ, folder)
    if _is_file(folder, named):
        content = read_input(folder / named, f"the task file {named}")
        return _require_task(_task("file", Path(named).name, content), named)
    if _PATH.fullmatch(named):
        raise UsageError(f"the task file {named[:200]!r} does not exist; give a file, a ticket or a text")
    content = decode_input(os.fsencode(argument), "the task")
    return _require_task(_task("text", "", content), "the task")


def _is_file(folder: Path, named: str) -> bool:
    try:
        return bool(named) and "\n" not in named and (folder / named).exists()
    except (OSError, ValueError):  # too long for a name, or no name at all
        return False


def _task(source: Literal["text", "file"], name: str, content: str) -> Task:
    text = content.strip()
    lines = [_LEADING_MARKS.sub("", line.strip()).strip() for line in text.split("\n")]
    first = next((line for line in lines if _WORD.search(line)), "")
    return Task(source, name, _title(first), text, tuple(_criteria(text))[:_MOST_CRITERIA])


def _title(line: str) -> str:
    """Return the first sentence of a line, cut after a word if it is long."""
    sentence = _SENTENCE_END.split(line, maxsplit=1)[0]
    if len(sentence) <= _LONGEST_TITLE:
        return sentence
    return f"{sentence[:_LONGEST_TITLE].rpartition(' ')[0] or sentence[:_LONGEST_TITLE]} ..."


def _require_task(task: Task, shown: str) -> Task:
    """Return a task that has enough words to search for, and is short enough to read."""
    name = shown[:_LONGEST_TITLE]
    if len(task.text) > LONGEST_TASK:
        raise UsageError(
            f"{name}: it has {len(task.text):,} characters, more than {LONGEST_TASK:,}; shorten the task"
        )
    if len(_WORD.findall(task.text)) < _LEAST_WORDS:
        raise UsageError(f"{name}: it has fewer than {_LEAST_WORDS} words; describe what is to change")
    return task


def _ticket_task(named: str, environ: Mapping[str, str], folder: Path) -> Task:
    from wardround.context.ticket.lookup import fetch_ticket  # loads what only tickets need
    from wardround.context.ticket.reference import parse_reference
    from wardround.context.ticket.settings import settings_from

    settings = settings_from(environ)
    ticket = fetch_ticket(parse_reference(named, settings), settings, folder)
    return _require_task(task_of_ticket(ticket), ticket.key)


def task_of_ticket(ticket: Ticket) -> Task:
    """Return the task that a ticket states."""
    text = ticket.description
    if not text.startswith(ticket.title):
        text = f"{ticket.title}\n\n{text}"
    criteria = tuple(criterion.text for criterion in ticket.criteria)
    return Task("ticket", ticket.key, ticket.title, text.strip(), criteria, ticket)


def task_of_text(text: str) -> Task:
    """Return the task that a text states."""
    return _task("text", "", text)


def _criteria(text: str) -> Iterator[str]:
    """Yield the checkboxes, and the items below headings of acceptance criteria."""
    is_below = False
    for line in text.split("\n"):
        heading = _HEADING.match(line)
        if heading is not None:
            is_below = _CRITERIA_HEADING.search(heading.group()) is not None
        item = _CHECKBOX.match(line) or (_ITEM.match(line) if is_below else None)
        if item is not None:
            yield item[1].strip()
