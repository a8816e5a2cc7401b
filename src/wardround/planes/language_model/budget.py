"""The token budget: which hunks a model sees, in a fixed order, and how many it does not see."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from wardround.planes.language_model.hunks import SentHunk
from wardround.planes.language_model.inputs import Described

CHARACTERS_PER_TOKEN = 4
"""The estimate for English and code; tokenizers differ, and text of other scripts needs more tokens."""
_DESCRIPTION_SHARE = 4
"""The description of a change gets at most this part of the budget, so that it cannot displace the change."""
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
    ticket: Mapping[str, Any] | None, messages: Sequence[str], redact: Callable[[str], str], characters: int
) -> Described:
    """Return the description of a change without secrets, within its part of the budget.

    Args:
        ticket: with ``title`` and ``criteria``; None if there is none.
    """
    rest = characters // _DESCRIPTION_SHARE
    title = redact(str((ticket or {}).get("title", "")))[: min(_LONGEST_TITLE, rest)]
    rest -= len(title)
    criteria, rest = _within([str(one) for one in (ticket or {}).get("criteria", ())], redact, rest)
    return Described(title, criteria, _within(messages, redact, rest)[0])


def _within(texts: Sequence[str], redact: Callable[[str], str], rest: int) -> tuple[tuple[str, ...], int]:
    found = []
    for text in texts[:_MOST_ITEMS]:
        shown = redact(text[:_LONGEST_ITEM])
        if shown.strip() and len(shown) <= rest:
            found.append(shown)
            rest -= len(shown)
    return tuple(found), rest
