"""The outcome of an action as a sentence on the page, where it stays until the next one."""

from __future__ import annotations

from collections.abc import Callable

from markupsafe import Markup

from wardround.errors import WardroundError
from wardround_lab.dashboard.markup import render

DONE, REFUSED = "done", "refused"


def outcome_of(action: Callable[[], str]) -> Markup:
    """Return the sentence of an action, or the reason why it was refused."""
    try:
        return told(DONE, action())
    except WardroundError as refusal:
        return told(REFUSED, str(refusal))


def told(word: str, text: str) -> Markup:
    """Return a sentence after a word that a screen reader announces as well."""
    return render("outcome.html", word=word, text=text)
