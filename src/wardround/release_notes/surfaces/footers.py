"""Breaking changes that commit messages state: a footer ``BREAKING CHANGE``, or ``!`` before the colon."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from wardround.lazy import LazyPattern
from wardround.release_notes.model import NotesCommit, Statement

_SUBJECT = LazyPattern(r"[A-Za-z]+(?:\([^)\n]*\))?!:\s*(\S.*)")
_FOOTER = LazyPattern(r"(?m)^(?:[*-] )?BREAKING[ -]CHANGES?(?:\([^)\n]*\))?:[ \t]*(?=\S|\n)")
_NEXT_FOOTER = LazyPattern(r"(?m)^(?:[A-Z][\w-]+: |[A-Z][\w-]+ #|BREAKING[ -]CHANGE|#|Co-authored-by)")
_BULLET = LazyPattern(r"(?m)^[ \t]*[*-][ \t]+")
_LONGEST = 300
_WORDS = {"requires-python": r"python", "engines.node": r"node(?:\.?js)?"}
"""The words that messages have for a requirement, as patterns."""


class StatedBreak(msgspec.Struct, frozen=True):
    """A breaking change in the words of its author.

    Attributes:
        text: one line.
    """

    commit: NotesCommit
    text: str


def stated_breaks(commits: Iterable[NotesCommit]) -> Iterator[StatedBreak]:
    """Yield the breaking changes that the messages state."""
    for commit in commits:
        subject = _SUBJECT.match(commit.subject)
        footers = [
            text for match in _FOOTER.finditer(commit.body) if (text := _footer(commit.body[match.end() :]))
        ]
        for text in footers or ([subject[1]] if subject else []):
            yield from (StatedBreak(commit, _sentence(item)) for item in _items(text))


def _footer(rest: str) -> str:
    """Return a footer up to the next one or an empty line."""
    text = rest.lstrip("\n").partition("\n\n")[0]
    following = _NEXT_FOOTER.search(text)
    return text[: following.start()] if following else text


def _items(text: str) -> Iterator[str]:
    """Yield the entries of a list, or the text before it as one: what follows are other commits."""
    parts = [" ".join(part.split()) for part in _BULLET.split(text)]
    if parts[0] and not parts[0].endswith(":"):
        yield parts[0]
    else:
        yield from filter(None, parts[1:])


def _sentence(text: str) -> str:
    """Return the first sentence of a text, without its full stop."""
    first = text.partition(". ")[0].strip()
    short = first if len(first) <= _LONGEST else first[:_LONGEST].rpartition(" ")[0] + " ..."
    return (short[:1].upper() + short[1:]).removesuffix(".")


def unmatched_breaks(
    stated: Iterable[StatedBreak], statements: Sequence[Statement]
) -> Mapping[str, Sequence[str]]:
    """Return what messages state and no comparison of surfaces found, with the commits that state it."""
    found: dict[str, list[str]] = {}
    for item in stated:
        if not any(_is_about(item, statement) for statement in statements):
            found.setdefault(item.text, []).append(item.commit.id)
    return found


def _is_about(stated: StatedBreak, statement: Statement) -> bool:
    """Return True if a message is about a change of a surface: the same commit, and a name of the change."""
    form = statement.breaking
    if form is None or not {stated.commit.id, *stated.commit.merged} & set(statement.commits):
        return False
    message = f"{stated.commit.subject}\n{stated.text}"
    pattern = _WORDS.get(form.symbol)
    if pattern is not None:
        return re.search(rf"(?i)\b{pattern}\b", message) is not None
    words = (form.symbol.rpartition(".")[2], *re.findall(r"`([^`]+)`", statement.text))
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message) for word in words if len(word) > 2)
