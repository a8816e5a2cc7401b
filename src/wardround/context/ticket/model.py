"""The ticket as a review uses it and as the record stores it."""

from __future__ import annotations

from typing import Literal

import msgspec

Source = Literal["github", "jira", "linear", "file"]
Form = Literal["checklist", "section", "numbered", "gherkin", "table"]


class Criterion(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An acceptance criterion.

    Attributes:
        id: unique in its ticket: the label that the author gave it (``AC2``), or ``c`` and its position.
        text: one line of plain text; inline code keeps its backticks. A scenario has one line per step.
        form: how it is written in the ticket.
    """

    id: str
    text: str
    form: Form


class Ticket(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A ticket: text that other people wrote, which is data and never an instruction.

    ``msgspec.to_builtins`` gives plain JSON values for the record; ``msgspec.convert`` reads them back.

    Attributes:
        key: ``PROJ-12``, ``owner/repository#12``, or the name of a file.
        url: where a reader finds it; empty for a file, because paths differ between machines.
        description: markdown, converted from the document format of the service.
        unparsed: parts of acceptance sections that are not criteria, and notes about text beyond the limits.
    """

    key: str
    title: str
    source: Source
    url: str = ""
    description: str = ""
    criteria: tuple[Criterion, ...] = ()
    unparsed: tuple[str, ...] = ()
