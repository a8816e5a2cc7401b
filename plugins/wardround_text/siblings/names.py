"""The words in which similar names differ, and the name that results from exchanging them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wardround.text.tokens import parts

Words = tuple[str, ...]


def differing_words(names: Sequence[str]) -> list[Words]:
    """Return the words of each name without those that all names begin or end with, in lower case."""
    words = [tuple(parts(name)) for name in names]
    start = _common_length(words)
    rest = [name[start:] for name in words]
    end = _common_length([name[::-1] for name in rest])
    return [name[: len(name) - end] for name in rest]


def _common_length(names: Sequence[Words]) -> int:
    """Return the number of words that all names begin with."""
    length = 0
    for words in zip(*names, strict=False):
        if len(set(words)) > 1:
            break
        length += 1
    return length


def exchange_words(name: str, old: Words, new: Words) -> str:
    """Return a name with other words in the style of the name; empty if it does not contain the old ones.

    ``exchange_words("tmdbUserId", ("tmdb", "user"), ("imdb",))`` is ``imdbId``.
    """
    pattern = r"[\W_]*".join(map(re.escape, old))
    alone = re.search(rf"(?<![^\W_]){pattern}(?![^\W_])", name, re.IGNORECASE)
    found = alone or re.search(pattern, name, re.IGNORECASE)
    if found is None:
        return ""
    return f"{name[: found.start()]}{_in_style(new, found[0], name)}{name[found.end() :]}"


def _in_style(words: Words, replaced: str, name: str) -> str:
    """Return words as a name writes its own: in capitals, capitalized, with underscores or hyphens."""
    separator = next((sign for sign in "_-" if sign in name), "")
    if replaced.isupper() and len(replaced) > 1:
        return separator.join(words).upper()
    text = separator.join(words if separator else (words[0], *map(str.capitalize, words[1:])))
    return text[0].upper() + text[1:] if replaced[0].isupper() else text
