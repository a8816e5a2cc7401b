"""Filters for values that cannot be a secret, since they were typed manually or made up."""

from __future__ import annotations

import math
import re
from collections import Counter
from itertools import pairwise

from wardround.lazy import LazyPattern

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
    r"|insecure|unsafe|hunter2|correct.?horse|\Aabc|\A[a-z]{0,4}123|123456",
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
"""Pairs of letters that are common in English; four in five of all pairs are not."""
_LETTERS = LazyPattern(r"[A-Za-z]{2,}")
_UUID = LazyPattern(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_HEX = LazyPattern(r"[0-9a-f]+|[0-9A-F]+")
_LONGEST_SEQUENCE = 6
"""Length of a sequence such as ``abcdef`` from which a value is not random."""
_LONGEST_RUN = 5
_FEWEST_PER_LENGTH = 0.28
_ENGLISH_SHARE = 0.5
"""Minimum share of English letter pairs in a value that was written rather than generated."""
_FEWEST_PAIRS = 4


def is_placeholder(value: str) -> bool:
    """Return True if a value is a placeholder that a person typed."""
    if _MADE_UP.search(value) or _has_sequence_or_run(value):
        return True
    fewest = min(10, 6 if _HEX.fullmatch(value) else len(value) * _FEWEST_PER_LENGTH)
    return len(set(value)) < fewest or _repeats_half(value)


def resembles_placeholder(value: str) -> bool:
    """Return True if a string of any length contains the words or sequences of a placeholder."""
    return _MADE_UP.search(value) is not None or _has_sequence_or_run(value)


def _has_sequence_or_run(value: str) -> bool:
    up = down = same = 1
    for left, right in pairwise(value):
        step = ord(right) - ord(left)
        up = up + 1 if step == 1 else 1
        down = down + 1 if step == -1 else 1
        same = same + 1 if step == 0 else 1
        if max(up, down) >= _LONGEST_SEQUENCE or same >= _LONGEST_RUN:
            return True
    return False


def _repeats_half(value: str) -> bool:
    """Return True if the second half repeats the first."""
    half = len(value) // 2
    return half >= 4 and value[:half] == value[half : 2 * half]


def has_stop_word(value: str) -> bool:
    """Return True if a value contains a word that people choose for a password without value."""
    return _STOP_WORDS.search(value) is not None


def stop_word_share(value: str) -> float:
    """Return the fraction of a value that consists of such words, 0 to 1."""
    return sum(len(word) for word in _STOP_WORDS.findall(value)) / len(value)


def is_template(value: str) -> bool:
    """Return True if a value is a template that is replaced at run time."""
    return _TEMPLATE.search(value) is not None


def is_no_secret(value: str) -> bool:
    """Return True if a value is a template, a placeholder or a password without value."""
    return is_template(value) or is_placeholder(value) or has_stop_word(value)


def is_uuid(value: str) -> bool:
    return _UUID.fullmatch(value) is not None


def is_hex(value: str) -> bool:
    return _HEX.fullmatch(value) is not None


def is_wordy(value: str, part: float = _ENGLISH_SHARE) -> bool:
    """Return True if a value consists of pronounceable words."""
    runs = _LETTERS.findall(value.lower())
    pairs = [run[i : i + 2] for run in runs for i in range(len(run) - 1)]
    if len(pairs) < _FEWEST_PAIRS or 2 * sum(map(len, runs)) < len(value):
        return False
    return sum(pair in _PAIRS for pair in pairs) >= part * len(pairs)


def entropy(value: str) -> float:
    """Return the Shannon entropy of a value in bits a character."""
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())


def display_name(name: str) -> str:
    """Return the end of a name, short enough for a message."""
    return name[-40:].lstrip(".-_")


def mask_value(value: str, prefix: str = "") -> str:
    """Return the masked form of a secret: at most four characters of a known prefix."""
    return f"{prefix[:4]}***" if value.startswith(prefix[:4]) else "***"
