"""English words without their endings, for two purposes that differ in the errors they tolerate.

``stem`` compares the words of a comment with those of a name, and removes one suffix. ``search_stem``
returns the keys of the retrieval index and features of trained rankers; it also undoes doubled consonants
(``stopped``), and needs a vowel before ``-ed`` and ``-ing`` (``string``). Any change of it needs a new
format of the index and new rankers.
"""

from __future__ import annotations

import re
from functools import lru_cache

_VOWEL = re.compile(r"[aeiouy]")


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """Return a word without its most common English ending, so that ``retries`` equals ``retry``."""
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return (word[: -len(ending)] + instead).removesuffix("e")
    return word.removesuffix("e") if len(word) > 3 else word


def search_stem(word: str) -> str:
    """Return a lower-case word without plural, -ing, -ed and a final e: queries against an index."""
    if len(word) <= 3:
        return word
    word = word[:-3] + "y" if word.endswith("ied") and len(word) > 4 else _singular(word)
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest):
            return _undouble(rest)
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _undouble(stem: str) -> str:
    """Return a stem without the second consonant that -ing and -ed add, as in ``stopped``."""
    is_doubled = stem[-1] == stem[-2] and stem[-1] not in "lsz"
    return stem[:-1] if is_doubled else stem


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "zes", "ches", "shes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word
