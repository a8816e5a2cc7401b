"""A ticket from the fields of a service's response."""

from __future__ import annotations

from collections.abc import Iterable

from wardround.context.ticket.criteria import parse_criteria
from wardround.context.ticket.model import Source, Ticket
from wardround.context.ticket.plain_text import MAX_TITLE, clean_text, one_line
from wardround.context.ticket.settings import Secret

_REDACTED = "[redacted]"
_MAX_ADDRESS = 2_000


def ticket_of(
    source: Source, key: str, title: str, markdown: str, url: str = "", secrets: Iterable[Secret] = ()
) -> Ticket:
    """Build a ticket: clean the texts, parse the criteria, and redact a token that the service returned."""
    texts = [title, markdown, url]
    for token in (secret.reveal() for secret in secrets if secret):
        texts = [text.replace(token, _REDACTED) for text in texts]
    parsed = parse_criteria(texts[1])
    return Ticket(
        key=key,
        title=one_line(texts[0], MAX_TITLE),
        source=source,
        url=one_line(texts[2], _MAX_ADDRESS),
        description=clean_text(texts[1]),
        criteria=parsed.criteria,
        unparsed=parsed.unparsed,
    )
