"""Features of an ambiguous literal: one row of numbers, whatever the language.

Four groups: the characters of a value, how it reads, its shape, and its name and position. A row does not
reveal the value.
"""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby, pairwise

from wardround.lazy import LazyPattern
from wardround.text.tokens import parts
from wardround_secrets.classifier import trigrams
from wardround_secrets.classifier.candidates import CandidateLiteral
from wardround_secrets.detection import value_filters

_Numbers = dict[str, float]

_ROWS = ("qwertyuiop[]", "asdfghjkl;'", "zxcvbnm,./", "1234567890-=", "1qaz", "2wsx", "3edc", "4rfv", "5tgb")
_NEIGHBOURING_KEYS = frozenset(pair for row in _ROWS for a, b in pairwise(row) for pair in ((a, b), (b, a)))
_UNSHIFTED = str.maketrans("!@#$%^&*()", "1234567890")
_LETTERS = LazyPattern(r"[A-Za-z]{3,}")
_HEX, _BASE32, _BASE64 = (
    LazyPattern(r"[0-9a-fA-F]+"),
    LazyPattern(r"[A-Z2-7]+"),
    LazyPattern(r"[\w+/-]+={0,2}"),
)
_CHOSEN = LazyPattern(r"[A-Z]?[a-z]+[A-Z]?[a-z]*[^A-Za-z0-9]?\d{1,4}[^A-Za-z0-9]?")
_YEAR = LazyPattern(r"(?:19[5-9]|20[0-3])\d(?!\d)")
_FILE_LIKE = LazyPattern(r".*\.[a-z]{2,4}\d?")
_NUMBERED = LazyPattern(r"[A-Za-z]+(?:[ _./:-]+[A-Za-z]+)*[ _./:-]*\d{1,3}")
_TOKEN_LENGTHS = frozenset({16, 20, 22, 24, 26, 28, 32, 36, 40, 43, 44, 48, 64, 86, 88})
_COMMON_READING = 3.6
"""Surprise in bits below which three characters in a row are common in code."""
_STRANGE = 6.0
_READABLE = (0x20, 0x7E)
_KINDS = {
    "password": LazyPattern(r"pass|pwd", re.IGNORECASE),
    "token": LazyPattern(r"token|bearer", re.IGNORECASE),
    "secret": LazyPattern(r"secret|credential|private", re.IGNORECASE),
    "key": LazyPattern(r"key", re.IGNORECASE),
}
_FILES = {
    "environment": LazyPattern(r"(?:^|/)\.env[\w.]*$|\.env$|\.(?:properties|ini|cfg|conf|toml)$"),
    "data": LazyPattern(r"\.(?:ya?ml|json|xml|tfvars|tf)$"),
    "shell": LazyPattern(r"\.(?:sh|bash|zsh)$|(?:^|/)(?:Dockerfile|Makefile|Jenkinsfile)"),
    "sql": LazyPattern(r"\.sql$"),
}
_EXAMPLE_WORDS = LazyPattern(
    r"example|test|fake|dummy|mock|sample|default|e\.g\.|localhost|placeholder", re.IGNORECASE
)
_LINE = 300


@dataclass(frozen=True, slots=True)
class LiteralContext:
    """The path of a literal's file, whether it is an example or test, and its line."""

    path: str
    is_example: bool
    line: str


def features(literal: CandidateLiteral, setting: LiteralContext) -> tuple[float, ...]:
    """Return the features of one literal, in the order of ``NAMES``; all finite."""
    return tuple(float(value) for value in _named_features(literal, setting).values())


def _named_features(literal: CandidateLiteral, setting: LiteralContext) -> _Numbers:
    value = literal.value
    return {
        **_composition(value),
        **_reading_features(value),
        **_shape(value),
        **_position_features(literal, setting),
    }


def _composition(value: str) -> _Numbers:
    size = len(value)
    counts = Counter(value)
    entropy = value_filters.entropy(value)
    kinds = [_kind(char) for char in value]
    runs = [(kind, len(list(group))) for kind, group in groupby(kinds)]
    return {
        "made_length": math.log2(size),
        "made_entropy": entropy,
        "made_entropy_of_length": entropy / math.log2(size),
        "made_upper": kinds.count("A") / size,
        "made_lower": kinds.count("a") / size,
        "made_digits": kinds.count("0") / size,
        "made_signs": kinds.count("!") / size,
        "made_kinds": len(set(kinds)),
        "made_changes": (len(runs) - 1) / size,
        "made_longest_letters": max((n for kind, n in runs if kind in "Aa"), default=0) / size,
        "made_longest_digits": max((n for kind, n in runs if kind == "0"), default=0),
        "made_digit_runs": sum(kind == "0" for kind, _ in runs),
        "made_distinct": len(counts) / size,
        "made_most_common": counts.most_common(1)[0][1] / size,
        "made_distinct_signs": len({char for char in counts if not char.isalnum()}),
        "made_rare_signs": sum(not char.isalnum() and char not in " _-./:" for char in value),
        "made_spaces": value.count(" "),
        "made_not_ascii": not value.isascii(),
    }


def _kind(char: str) -> str:
    if char.isdigit():
        return "0"
    if char.isalpha():
        return "A" if char.isupper() else "a"
    return "!"


def _reading_features(value: str) -> _Numbers:
    bits = trigrams.surprises(value)
    letters = [bit for bit, char in zip(bits, value, strict=True) if char.isalpha()]
    words = _LETTERS.findall(value)
    read = [_mean(trigrams.surprises(word)) for word in words]
    known = sum(len(w) for w, mean in zip(words, read, strict=True) if mean < _COMMON_READING)
    return {
        "reading_mean": _mean(bits),
        "reading_letters": _mean(letters),
        "reading_most": max(bits),
        "reading_strange": sum(bit > _STRANGE for bit in bits) / len(bits),
        "reading_common": sum(bit < _COMMON_READING for bit in bits) / len(bits),
        "reading_known_words": known / len(value),
        "reading_best_word": min(read, default=12.0),
        "reading_worst_word": max(read, default=0.0),
        "reading_longest_word": max((len(word) for word in words), default=0),
        "reading_words": len(words),
        "reading_stop_words": value_filters.stop_word_share(value),
    }


def _mean(numbers: list[float]) -> float:
    return sum(numbers) / len(numbers) if numbers else 0.0


def _shape(value: str) -> _Numbers:
    plain = value.rstrip("=")
    return {
        "shape_hex": _HEX.fullmatch(value) is not None,
        "shape_base32": _BASE32.fullmatch(plain) is not None,
        "shape_base64": _BASE64.fullmatch(value) is not None,
        "shape_padded": value.endswith("="),
        "shape_decodes": _is_encoded_text(value),
        "shape_uuid": value_filters.is_uuid(value),
        "shape_token_length": len(plain) in _TOKEN_LENGTHS,
        "shape_chosen": _CHOSEN.fullmatch(value) is not None,
        "shape_year": _YEAR.search(value) is not None,
        "shape_numbered": _NUMBERED.fullmatch(value) is not None,
        "shape_file": _FILE_LIKE.fullmatch(value) is not None,
        "shape_ends_in_digits": len(value) - len(value.rstrip("0123456789")),
        "shape_groups": sum(char in "-_.:/ " for char in value),
        "shape_even_groups": _even_groups(value),
        "shape_keyboard": _keyboard_walk(value) / len(value),
        "shape_climb": _sequence(value) / len(value),
        "shape_stammer": max(len(list(group)) for _, group in groupby(value)) / len(value),
        "shape_repeated": _repeated_share(value),
        "shape_brackets": sum(char in "{}[]()<>$%" for char in value),
        "shape_capital_first": value[0].isupper(),
    }


def _is_encoded_text(value: str) -> bool:
    """Return True if a value is the base64 form of readable text, such as ``user:password``."""
    if len(value) % 4 or not _BASE64.fullmatch(value):
        return False
    try:
        decoded = base64.b64decode(value, validate=True)
    except ValueError:
        return False
    return all(_READABLE[0] <= byte <= _READABLE[1] for byte in decoded)


def _even_groups(value: str) -> float:
    """Return 1.0 if separators divide a value into three or more pieces of equal length, else 0.0."""
    sizes = {len(piece) for piece in re.split(r"[-_.: ]", value)}
    return float(len(sizes) == 1 and len(value) > 2 * (sizes.pop() + 1))


def _keyboard_walk(value: str) -> int:
    """Return the length of the longest walk over neighbouring keys, with or without shift."""
    return _longest(value.lower().translate(_UNSHIFTED), lambda a, b: (a, b) in _NEIGHBOURING_KEYS)


def _sequence(value: str) -> int:
    """Return the length of the longest ascending or descending run of characters."""
    return max(
        _longest(value, lambda a, b: ord(b) - ord(a) == 1), _longest(value, lambda a, b: ord(a) - ord(b) == 1)
    )


def _longest(value: str, follows: Callable[[str, str], bool]) -> int:
    longest = run = 1
    for a, b in pairwise(value):
        run = run + 1 if follows(a, b) else 1
        longest = max(longest, run)
    return longest


def _repeated_share(value: str) -> float:
    """Return the share of character pairs that occur earlier in the value."""
    pairs = Counter(pairwise(value.lower()))
    return 1 - len(pairs) / pairs.total()


def _position_features(literal: CandidateLiteral, setting: LiteralContext) -> _Numbers:
    name, value = literal.name, literal.value
    of_name = {word for word in parts(name) if len(word) > 1}
    of_value = [word for word in parts(value) if len(word) > 1]
    line = setting.line[:_LINE]
    return {
        "place_named_in_value": sum(word in of_name for word in of_value) / max(1, len(of_value)),
        "place_value_in_name": value.lower() in name.lower() or name.lower() in value.lower(),
        **{f"place_{kind}": pattern.search(name) is not None for kind, pattern in _KINDS.items()},
        "place_name_length": math.log2(1 + len(name)),
        "place_constant": name.isupper(),
        "place_header": literal.place == "header",
        "place_within": literal.place == "within",
        **{
            f"place_{kind}_file": pattern.search(setting.path) is not None for kind, pattern in _FILES.items()
        },
        "place_tried": setting.is_example,
        "place_talks": _EXAMPLE_WORDS.search(line.replace(value, "")) is not None,
        "place_strings": sum(char in "\"'`" for char in line) / 2,
        "place_call": "(" in line,
    }


NAMES: tuple[str, ...] = tuple(
    _named_features(CandidateLiteral("", "none!1", 0, 6), LiteralContext("", False, ""))
)
"""The names of the features, in order; the part before the first underscore is the group."""
