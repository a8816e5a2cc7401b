"""Which phrase of the words names something that the change took out of the code."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

from wardround.drift.documented import DocumentedChange, says
from wardround.drift.text import KEYWORDS, STOP_WORDS, is_code_like, tokens
from wardround.late import LatePattern

_WORDS_AROUND = 4
_LONGEST = 72
_SHORTEST_LITERAL = 3
_DEFAULT_WORDS = LatePattern(r"(?i)\bdefault")
_RETURN_KINDS = {
    "list": ("[", "list(", "sorted("),
    "tuple": ("(", "tuple("),
    "dict": ("{", "dict("),
    "dictionary": ("{", "dict("),
    "set": ("{", "set("),
    "generator": ("(",),
    "None": ("None",),
}
"""What an English word for a kind of result looks like in code, by how the returned expression begins."""


class QuoteKind(enum.StrEnum):
    """What it is that was taken out, most telling first."""

    DEFAULT = "default"
    ERROR = "error"
    PARAMETER = "parameter"
    NAME = "name"
    LITERAL = "literal"
    RESULT = "result"
    WORD = "word"


@dataclass(frozen=True, slots=True)
class Quote:
    """A phrase of the words and the piece of code it names, which is gone.

    Attributes:
        token: what is gone, as the words write it.
        line, column: where the words name it, counted from 0; the column in its line.
        phrase: the words around it.
        now: what stands in its place, where that is known.
    """

    kind: QuoteKind
    token: str
    line: int
    column: int
    phrase: str
    now: str | None = None


def quotes(change: DocumentedChange) -> list[Quote]:
    """Every phrase that names something gone, the most telling first, one for each thing."""
    found: dict[str, Quote] = {}
    for quote in _all_quotes(change):
        found.setdefault(quote.token, quote)
    order = list(QuoteKind)
    return sorted(found.values(), key=lambda q: (order.index(q.kind), q.line, q.column))


def _all_quotes(change: DocumentedChange) -> Iterator[Quote]:
    yield from _defaults(change)
    yield from _errors(change)
    yield from _names(change)
    yield from _literals(change)
    yield from _results(change)


def _defaults(change: DocumentedChange) -> Iterator[Quote]:
    """Documented defaults that changed."""
    new = change.new.signature.defaults
    for name, default in change.old.signature.defaults.items():
        if name not in change.new.signature.names or new.get(name) == default:
            continue
        text = _plain(default)
        for number in _lines_about(change, name):
            line = change.words.lines[number]
            start = _DEFAULT_WORDS.search(line)
            place = _find(line, text, start.start() if start else 0) if start else -1
            if place >= 0:
                now = new.get(name)
                yield _quote(change, QuoteKind.DEFAULT, text, number, place, now and _plain(now))
                break


def _lines_about(change: DocumentedChange, parameter: str) -> Iterator[int]:
    """The lines that describe a parameter."""
    starts = sorted(entry.line for entry in change.words.parameters)
    for entry in change.words.parameters:
        if entry.name == parameter:
            extent = entry.text.count("\n") + 1
            following = next((s for s in starts if s > entry.line), len(change.words.lines))
            yield from range(entry.line, min(entry.line + extent + 1, following))


def _errors(change: DocumentedChange) -> Iterator[Quote]:
    """Documented errors that are no longer raised here."""
    for entry in change.words.raises:
        simple = entry.name.rpartition(".")[2]
        if simple in change.old.raises and simple not in change.new.names:
            place = _find(change.words.lines[entry.line], simple)
            if place >= 0:
                yield _quote(change, QuoteKind.ERROR, simple, entry.line, place, None)


def _names(change: DocumentedChange) -> Iterator[Quote]:
    words, old = change.words, change.old.signature.names
    for name in sorted(change.gone & words.named):
        telling = is_code_like(name) or name in words.marked
        if name in STOP_WORDS or len(name) < 3 or name == change.simple_name:
            continue
        kind = QuoteKind.PARAMETER if name in old else QuoteKind.NAME if telling else QuoteKind.WORD
        yield from _first(change, kind, name, _renamed(change, name))


def _literals(change: DocumentedChange) -> Iterator[Quote]:
    words = change.words
    for text in sorted(change.gone_literals):
        if text in words.numbers and text not in ("0", "1"):
            yield from _first(change, QuoteKind.LITERAL, text, _replaced(change, text))
        elif len(text) >= _SHORTEST_LITERAL and re.search(r"\w{3}", text) and text in words.text:
            telling = is_code_like(text) or text in words.marked or not text.isalpha()
            if text.lower() not in STOP_WORDS:
                kind = QuoteKind.LITERAL if telling else QuoteKind.WORD
                yield from _first(change, kind, text, _replaced(change, text))


def _results(change: DocumentedChange) -> Iterator[Quote]:
    """Kinds of results the words name that are returned no more."""
    old, new = change.old, change.new
    if not (says(change.words.stems, "return", "returns") or change.words.returns is not None):
        return
    for word, starts in _RETURN_KINDS.items():
        had = any(value.startswith(starts) for value in old.returns)
        if had and (new.returns or new.yields) and not any(value.startswith(starts) for value in new.returns):
            yield from _first_of_result(change, word)


def _first_of_result(change: DocumentedChange, word: str) -> Iterator[Quote]:
    """The first line about the result that names a kind."""
    about = change.words.returns or ""
    for number, line in enumerate(change.words.lines):
        place = _find(line, word)
        if place >= 0 and (word == "None" or "return" in line.lower() or line.strip() in about):
            now = "yield" if change.new.yields else None
            yield _quote(change, QuoteKind.RESULT, word, number, place, now)
            return


def _first(change: DocumentedChange, kind: QuoteKind, token: str, now: str | None) -> Iterator[Quote]:
    for number, line in enumerate(change.words.lines):
        place = _find(line, token)
        if place >= 0:
            yield _quote(change, kind, token, number, place, now)
            return


def _find(line: str, token: str, start: int = 0) -> int:
    """Where a token stands in a line as a word of its own; -1 if it does not."""
    if token not in line:
        return -1
    match = re.compile(rf"(?<!\w){re.escape(token)}(?!\w)").search(line, start)
    return match.start() if match else -1


def _quote(
    change: DocumentedChange, kind: QuoteKind, token: str, line: int, column: int, now: str | None
) -> Quote:
    return Quote(kind, token, line, column, _phrase(change.words.lines[line], column, token), now)


def _phrase(line: str, column: int, token: str) -> str:
    """The words of a line around a place."""
    before = line[:column].split()
    after = line[column + len(token) :]
    glued = "" if line[:column].endswith(tuple(" \t")) or not before else before.pop()
    tail = after.split()
    joint = tail.pop(0) if tail and not after[:1].isspace() else ""
    phrase = " ".join([*before[-_WORDS_AROUND:], f"{glued}{token}{joint}", *tail[:_WORDS_AROUND]])
    return phrase if len(phrase) <= _LONGEST else f"{glued}{token}{joint}"[:_LONGEST]


def _plain(source: str) -> str:
    """A default as prose would write it: a string without its quotes."""
    return source[1:-1] if source[:1] in "'\"" and source[-1:] == source[:1] and len(source) > 2 else source


def _renamed(change: DocumentedChange, name: str) -> str | None:
    """The one new name that makes every removed line with the old one an added line."""
    removed = [line for line in change.delta.old_lines if name in line]
    added = set(change.delta.new_lines)
    pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    removed = [line for line in removed if pattern.search(line)]
    if not removed:
        return None
    for candidate in sorted(change.come):
        changed = (pattern.sub(candidate, line) in added for line in removed)
        if any(changed):
            return candidate
    return None


def _replaced(change: DocumentedChange, literal: str) -> str | None:
    """The literal that took the place of another in an otherwise unchanged line."""
    for old in change.delta.old_lines:
        before = list(tokens(old))
        if literal not in (text for _, text in before):
            continue
        for new in change.delta.new_lines:
            after = list(tokens(new))
            if len(after) == len(before):
                differing = [(a[1], b[1]) for a, b in zip(before, after, strict=True) if a != b]
                if len(differing) == 1 and differing[0][0] == literal and differing[0][1] not in KEYWORDS:
                    return differing[0][1]
    return None
