"""Breaking changes that commit messages state: a footer ``BREAKING CHANGE``, or ``!`` before the colon."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.lazy import LazyPattern
from wardround.release_notes.model import NotesCommit

_SUBJECT = LazyPattern(r"[A-Za-z]+(?:\([^)\n]*\))?!:\s*(\S.*)")
_FOOTER = LazyPattern(r"(?m)^(?:[*-] )?BREAKING[ -]CHANGES?(?:\([^)\n]*\))?:[ \t]*(?=\S|\n)")
_NEXT_FOOTER = LazyPattern(r"(?m)^(?:[A-Z][\w-]+: |[A-Z][\w-]+ #|BREAKING[ -]CHANGE|#|Co-authored-by)")
_LONGEST = 300


class StatedBreak(msgspec.Struct, frozen=True):
    """A breaking change in the words of its author.

    Attributes:
        text: one line.
    """

    commit: NotesCommit
    text: str


def stated_breaks(commits: tuple[NotesCommit, ...]) -> Iterator[StatedBreak]:
    """Yield the breaking changes that the messages state."""
    for commit in commits:
        subject = _SUBJECT.match(commit.subject)
        footers = [
            text for match in _FOOTER.finditer(commit.body) if (text := _footer(commit.body[match.end() :]))
        ]
        for text in footers or ([subject[1]] if subject else []):
            yield StatedBreak(commit, _sentence(text))


def _footer(rest: str) -> str:
    """Return a footer up to the next one or an empty line."""
    text = rest.lstrip("\n").partition("\n\n")[0]
    following = _NEXT_FOOTER.search(text)
    return " ".join((text[: following.start()] if following else text).split())


def _sentence(text: str) -> str:
    """Return the first sentence of a text, without its full stop."""
    first = text.partition(". ")[0].strip()
    short = first if len(first) <= _LONGEST else first[:_LONGEST].rpartition(" ")[0] + " ..."
    return (short[:1].upper() + short[1:]).removesuffix(".")
