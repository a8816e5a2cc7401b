"""The buttons of actions, and their outcome as a sentence that stays on the page until the next one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.dashboard.markup import render

SMALL: Mapping[str, Any] = {"size": "sm", "scale": 0, "min_width": 220}
"""Options of a button that is as wide as its words, in a row."""
DONE, REFUSED = "done", "refused"


def outcome_of(action: Callable[[], str]) -> Markup:
    """Return the sentence of an action, or the reason why it was refused."""
    try:
        return tell(DONE, action())
    except WardroundError as refusal:
        return tell(REFUSED, str(refusal))


def tell(word: str, text: str) -> Markup:
    """Return a sentence after a word that a screen reader announces as well."""
    return render("outcome.html", word=word, text=text)
