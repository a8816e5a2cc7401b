"""Whether a value can be a secret at all: what was typed by hand or made up is none."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from wardround.checks.lazy import LazyPattern

_MADE_UP = LazyPattern(
    r"example|sample|dummy|fake|mock|placeholder|change[-_ ]?(?:me|this|it)|redact|your|insert|replace"
    r"|not[-_ ]?(?:a[-_ ]?)?real|invalid|deadbeef|d34db33f|cafebabe|xxxx|foo[-_]?bar|hidden|masked|here"
    r"|demo|lorem|ipsum|qwerty|insecure|asdf|todo|fixme|censored|obfuscated|hello|world"
    r"|secretsecret|\*\*\*|\.\.\.",
    re.IGNORECASE,
)
_STOP_WORDS = LazyPattern(
    r"pass(?:w(?:or)?d|phrase|code)?|pwd|p@ss|pa\$\$|secret|token|api[-_]?key|default|admin|root|test|user"
    r"|guest|login|none|null|undefined|true|false|string|value|required|optional|enter|credential|letmein"
    r"|welcome|postgres|mysql|mariadb|redis|mongo|rabbit|minio|bitnami|keycloak|elastic|unused|temp|local"
    r"|dev|supersafe"
    r"|insecure|unsafe|correct.?horse|\Aabc|\A[a-z]{0,4}123|123456",
    re.IGNORECASE,
)
_TEMPLATE = LazyPattern(
    r"\$\{|\$\([A-Za-z]|\{\{|\}\}|\{[\w.:\[\]]*\}|<[^>]*>|%\(\w|^%[sdv]|[\w/:=-]%[sdv]$|#\{|\[\[|\]\]|<%"
    r"|^\$\w+$|^%\w+%$|^@\w+$|^!\w+"
)
_ENGLISH = (
    "thheineranrendatonnthaesstenedtoitoueahiisortiasteetngofaldeselesasiarveralduricronellcomeliriel"
    "omushomachceiolataecctdiotnotrkeeyssacsowalypeemunooutgeaisuwhmoowlopopradilidiensfobeeeagpashdo"
    "spcaamirtsrsckopigayapevimulabupolepghhtfivaviueuiosodplclgrrdokcrmybuwertltmpncxtex"
)
_PAIRS = frozenset(_ENGLISH[i : i + 2] for i in range(0, len(_ENGLISH), 2))
"""Pairs of letters that follow one another in English; four in five of all pairs do not."""
_LETTERS = LazyPattern(r"[A-Za-z]{2,}")
_UUID = LazyPattern(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HEX = LazyPattern(r"[0-9a-f]+|[0-9A-F]+")
_CLIMB = 6
"""So many characters each one after the last, as in ``abcdef``, and nobody drew them at random."""
_STAMMER = 5
_FEWEST_PER_LENGTH = 0.28
_SPOKEN = 0.5
"""The part of the pairs of letters that are English from which on a value was written, not drawn."""
_FEWEST_PAIRS = 4


def is_made_up(value: str) -> bool:
    """Whether a value was typed by a person who needed something in its place."""
    if _MADE_UP.search(value) or _climbs_or_stammers(value):
        return True
    fewest = min(10, 6 if _HEX.fullmatch(value) else len(value) * _FEWEST_PER_LENGTH)
    return len(set(value)) < fewest or _repeats(value)


def names_a_stand_in(value: str) -> bool:
    """Whether a text of any length says by its words or its look that it stands for another."""
    return _MADE_UP.search(value) is not None or _climbs_or_stammers(value)


def _climbs_or_stammers(value: str) -> bool:
    up = down = same = 1
    for left, right in pairwise(value):
        step = ord(right) - ord(left)
        up = up + 1 if step == 1 else 1
        down = down + 1 if step == -1 else 1
        same = same + 1 if step == 0 else 1
        if max(up, down) >= _CLIMB or same >= _STAMMER:
            return True
    return False


def _repeats(value: str) -> bool:
    """Whether the second half says the first again."""
    half = len(value) // 2
    return half >= 4 and value[:half] == value[half : 2 * half]


def has_stop_word(value: str) -> bool:
    """Whether a value holds a word people choose for a password that protects nothing."""
    return _STOP_WORDS.search(value) is not None


def stop_word_share(value: str) -> float:
    """The part of a value that is such words, 0 to 1."""
    return sum(len(word) for word in _STOP_WORDS.findall(value)) / len(value)


def is_filled_in_later(value: str) -> bool:
    """Whether something else takes the value's place at run time."""
    return _TEMPLATE.search(value) is not None


def is_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    return _HEX.fullmatch(value) is not None


def is_wordy(value: str, part: float = _SPOKEN) -> bool:
    """Whether a value is made of words one could say."""
    runs = _LETTERS.findall(value.lower())
    pairs = [run[i : i + 2] for run in runs for i in range(len(run) - 1)]
    if len(pairs) < _FEWEST_PAIRS or 2 * sum(map(len, runs)) < len(value):
        return False
    return sum(pair in _PAIRS for pair in pairs) >= part * len(pairs)


def entropy(value: str) -> float:
    """Bits for each character, by how often each stands in the value itself."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def shown(value: str, prefix: str = "") -> str:
    """What may be printed of a secret: at most four characters of a known prefix, else nothing of it."""
    return f"{prefix[:4]}***" if value.startswith(prefix[:4]) else "***"
