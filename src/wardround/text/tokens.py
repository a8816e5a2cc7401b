"""The words and names of prose and code, as comparable parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from wardround.lazy import LazyPattern
from wardround.text.stemming import stem

TOKEN = LazyPattern(
    r"""(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|`[^`]*`)|(?P<name>[^\W\d]\w*)|(?P<number>\d[\w.]*)|[^\w\s]"""
)
NAME = LazyPattern(r"[^\W\d]\w*")
NUMBER = LazyPattern(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]*\w)")
_PART = LazyPattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CODE_LIKE = LazyPattern(r"_|\d|[a-z][A-Z]|^[A-Z]{2,}$")
_MARKED = LazyPattern(
    r"``([^`]+)``|`([^`]+)`|(?<![\w*])\*(\w+)\*(?![\w*])"
    r"|\b([^\W\d]\w*)(?=\()|(?<=\.)([^\W\d]\w*)|>>> ?([^\n]+)"
)
_SENTENCE_END = LazyPattern(r"(?<=[.!?:])\s+|\n[ \t]*\n")

KEYWORDS = frozenset(
    """
    if elif else for while do try except catch finally with return yield raise throw import from as
    def class function async await lambda pass break continue in is not and or None True False null
    undefined true false new const let var this self cls typeof instanceof del global nonlocal
    assert switch case default
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)
"""Keywords of the languages themselves: adding or removing one is not a change of names."""

STOP_WORDS = frozenset(
    """
    a an and are as at be been being but by can could did do does for from had has have how if in
    into is it its may might more most must no nor not of off on only or other our out over own same
    shall should so some such than that the their them then there these they this those to too under
    until up used use uses using was we were what when where which while who whom whose why will
    with would you your also any all both each
    """.split()  # noqa: SIM905  (a list of quoted words is harder to read)
)


def parts(name: str) -> list[str]:
    """Return the words of a name, in lower case: ``fetchRow_id2`` -> fetch, row, id, 2."""
    return [part.lower() for part in _PART.findall(name)]


@lru_cache(maxsize=20_000)
def stems_of_name(name: str) -> tuple[str, ...]:
    """Return the stems of the words of a name, except uninformative ones."""
    return tuple(stem(part) for part in parts(name) if len(part) > 1 and part not in STOP_WORDS)


def stems_of(names: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for name in names for stem in stems_of_name(name))


def is_code_like(name: str) -> bool:
    """Return True if a word cannot be natural language: ``fetch_id``, ``fetchId``, ``ID``."""
    return _CODE_LIKE.search(name.strip("_")) is not None


def marked_names(prose: str) -> frozenset[str]:
    """Return the names that prose marks as code: quoted in backticks, called, starred, in an example."""
    found = (piece for match in _MARKED.finditer(prose) for piece in match.groups() if piece)
    return frozenset(name for piece in found for name in NAME.findall(piece))


def sentences(prose: str) -> list[str]:
    """Return the sentences and list items of prose, without empty ones."""
    return [piece for piece in _SENTENCE_END.split(prose) if piece and piece.strip()]


def tokens(line: str) -> Iterator[tuple[str, str]]:
    """Return (kind, text) of the tokens of a line of code; kinds are string, name, number and other.

    Strings come without their quotes.
    """
    for match in TOKEN.finditer(line):
        kind = match.lastgroup or "other"
        yield kind, match[0][1:-1] if kind == "string" else match[0]
