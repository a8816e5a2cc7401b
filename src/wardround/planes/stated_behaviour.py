"""The statement of a change, by its messages or its ticket, that it does not alter behaviour."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.analyses.stated_intent.stated_kind import StatedKind, stated_kinds, states_more, subject_of
from wardround.lazy import LazyPattern

_UNCHANGED = LazyPattern(
    r"\bno (?:functional|behaviou?ral?|semantic) changes?\b|\bno changes? (?:of|in|to) (?:the )?behaviou?r\b"
    r"|\bwithout (?:any )?(?:functional|behaviou?ral?) changes?\b"
    r"|\b(?:behaviou?r|output|results?) (?:(?:must|should|shall) )?(?:stays?|remains?|is|are|be) "
    r"(?:the same|unchanged|identical|not changed)\b",
    re.IGNORECASE,
)
_OTHER_KINDS = (
    (
        "performance",
        LazyPattern(
            r"perf(?:\([^)\n]*\))?:\s|(?:optimi[sz]e|speed up|make \S+ faster)(?:s|d)?\b|micro-?optimi[sz]"
            r"|improve[sd]? (?:the )?performance\b",
            re.IGNORECASE,
        ),
    ),
    (
        "typing",
        LazyPattern(
            r"(?:typing|types?)(?:\([^)\n]*\))?:\s"
            r"|(?:add|improve|fix|update)(?:s|ed|d)? (?:more |missing |some |the )*"
            r"(?:type|typing) ?(?:hints?|annotations?)\b|(?:type[- ]?hint|annotate) "
            r"|(?:minor |more )?typing (?:improvements?|fix(?:es)?)\b|(?:add|improve)(?:s|ed|d)? typings?\b"
            r"|type-?check(?:ing)?\b",
            re.IGNORECASE,
        ),
    ),
)
"""Kinds of changes whose code may differ in any way and whose behaviour may not."""
_SAME = frozenset(StatedKind) - {StatedKind.BUMP}


def unchanged_by(messages: Sequence[str], criteria: Sequence[str] = ()) -> str:
    """Return the statement that nothing changes, as a noun phrase; empty if there is none.

    Args:
        messages: messages of all commits; each has to state a kind without a change of behaviour, or one of
            them has to state in words that there is none.
        criteria: acceptance criteria of the ticket.
    """
    if any(_UNCHANGED.search(text) for text in criteria):
        return "a criterion of the ticket"
    if any(_UNCHANGED.search(text) for text in messages):
        return "no change of behaviour"
    kinds = [_kind(text) for text in messages]
    return " and ".join(sorted(set(kinds))) if kinds and all(kinds) else ""


def _kind(message: str) -> str:
    """Return the kind that a message states; empty for one that may change the behaviour."""
    stated = stated_kinds([message]) & _SAME
    if stated:
        return next(iter(stated)).value
    subject = subject_of(message)
    found = next((name for name, begin in _OTHER_KINDS if begin.match(subject)), "")
    return "" if states_more(message) else found
