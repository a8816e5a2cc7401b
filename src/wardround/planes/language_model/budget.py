"""The token budget: which hunks a model sees, in a fixed order, and how many it does not see."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from wardround.context.ticket.model import Ticket
from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.inputs import Described
from wardround.text.redaction import beginning

CHARACTERS_PER_TOKEN = 4
"""The estimate for English and code; tokenizers differ, and text of other scripts needs more tokens."""
_DESCRIPTION_SHARE = 4
"""The description of a change gets at most this fraction of the budget, so that it cannot displace the
change.
"""
_LONGEST_TITLE = 300
_MOST_ITEMS = 50
_LONGEST_ITEM = 2000


def choose(hunks: Sequence[SentHunk], characters: int) -> tuple[list[SentHunk], int]:
    """Return the hunks that fit, in their order, and the characters that remain; a hunk is never cut."""
    chosen = []
    for hunk in hunks:
        cost = len(msgspec.json.encode(hunk.as_input)) + 1
        if cost <= characters:
            chosen.append(hunk)
            characters -= cost
    return chosen, characters


def describe_change(
    ticket: Ticket | None, messages: Sequence[str], redact: Callable[[str], str], characters: int
) -> Described:
    """Return the description of a change without secrets, within its part of the budget."""
    rest = characters // _DESCRIPTION_SHARE
    title = redact("" if ticket is None else ticket.title)[: min(_LONGEST_TITLE, rest)]
    rest -= len(title)
    criteria = () if ticket is None else tuple(criterion.text for criterion in ticket.criteria)
    shown, rest = _fit_texts(criteria, redact, rest)
    return Described(title, shown, _fit_texts(messages, redact, rest)[0])


def _fit_texts(texts: Sequence[str], redact: Callable[[str], str], rest: int) -> tuple[tuple[str, ...], int]:
    found = []
    for text in texts[:_MOST_ITEMS]:
        shown = redact(beginning(text, _LONGEST_ITEM))
        if shown.strip() and len(shown) <= rest:
            found.append(shown)
            rest -= len(shown)
    return tuple(found), rest
