"""A ticket in a file: markdown, JSON with a title and a description, a document, or a saved response."""

from __future__ import annotations

import os
import stat
from pathlib import Path, PurePath
from typing import Any

import msgspec

from wardround.context.ticket.adf import adf_markdown, is_document
from wardround.context.ticket.assemble import ticket_of
from wardround.context.ticket.blocks import plain, read_blocks
from wardround.context.ticket.errors import TicketError
from wardround.context.ticket.model import Ticket
from wardround.context.ticket.reference import Reference
from wardround.context.ticket.sources.jira import JiraIssue, jira_ticket

MAX_BYTES = 2 * 2**20
_JSON = (".json", ".adf")


class FileTicket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The JSON of a ticket that a person or a script wrote.

    Attributes:
        description: markdown, or a document in the Atlassian Document Format.
        criteria: one string per criterion, in addition to those in the description.
    """

    title: str
    description: str | dict[str, Any] = ""
    key: str = ""
    url: str = ""
    criteria: tuple[str, ...] = ()


class _GitHubShape(msgspec.Struct, frozen=True):
    number: int
    title: str
    body: str | None
    html_url: str = ""


class TicketFile:
    """A ticket on the disk; its key is the name of the file, since paths differ between machines."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def fetch(self, reference: Reference) -> Ticket:
        """See ``TicketSource``."""
        name = PurePath(reference.key).name
        text = _read_text(self._root / reference.key, reference.key)
        if PurePath(name).suffix.lower() in _JSON:
            return _from_json(text, name)
        return _from_markdown(text, name)


def _read_text(path: Path, shown: str) -> str:
    try:
        content = _read_regular_file(path, shown)
    except (OSError, ValueError) as cause:
        reason = getattr(cause, "strerror", None) or "not a valid path"
        raise TicketError(
            f"the ticket {shown!r} cannot be read: {reason}; give the path of a text file"
        ) from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TicketError(f"the ticket {shown!r} is not UTF-8; save it as UTF-8") from None


def _read_regular_file(path: Path, shown: str) -> bytes:
    """Return the content of a regular file; a pipe or a device could block."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise TicketError(f"the ticket {shown!r} is not a regular file; give the path of a text file")
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise TicketError(f"the ticket {shown!r} has more than {MAX_BYTES:,} bytes; shorten it")
    return content


def _from_markdown(text: str, name: str) -> Ticket:
    """Return the ticket; its title is the first heading, or the first line."""
    first = next((block for block in read_blocks(text[:20_000]) if block.lines), None)
    title = plain(first.lines[0]) if first else name
    return ticket_of("file", name, title, text)


def _from_json(text: str, name: str) -> Ticket:
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise TicketError(f"the ticket {name!r} is not valid JSON; correct it or save it as .md") from None
    if is_document(value):
        return _from_markdown(adf_markdown(value), name)
    if isinstance(value, dict) and isinstance(value.get("fields"), dict):
        return msgspec.structs.replace(
            jira_ticket(_convert_shape(value, JiraIssue, name)), source="file", url=""
        )
    if isinstance(value, dict) and "body" in value:
        issue: _GitHubShape = _convert_shape(value, _GitHubShape, name)
        return ticket_of("file", f"#{issue.number}", issue.title, issue.body or "", issue.html_url)
    return ticket_of_values(_convert_shape(value, FileTicket, name), name)


def ticket_of_values(ticket: FileTicket, name: str) -> Ticket:
    """Return the ticket with these values; ``name`` is its key if it has none."""
    description = ticket.description
    markdown = description if isinstance(description, str) else adf_markdown(description)
    if ticket.criteria:
        items = "\n".join(f"- {' '.join(text.split())}" for text in ticket.criteria)
        markdown = f"{markdown}\n\n## Acceptance criteria\n\n{items}".lstrip("\n")
    return ticket_of("file", ticket.key or name, ticket.title, markdown, ticket.url)


def _convert_shape(value: object, shape: type[Any], name: str) -> Any:
    try:
        return msgspec.convert(value, shape)
    except (msgspec.ValidationError, RecursionError) as cause:
        raise TicketError(
            f"the ticket {name!r} has an unexpected shape ({cause}); give an object with a title"
        ) from None
