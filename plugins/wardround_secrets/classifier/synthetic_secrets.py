"""Synthetic secrets: values as programs generate them and as people type them, by family.

A model is trained on some families and evaluated on others, so that the evaluation does not reward knowledge
of these generators. Words are those of the repository into which a value is inserted, so they reveal nothing.
"""

from __future__ import annotations

import base64
import random
import string
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

BASE62 = string.ascii_letters + string.digits
LOWER36 = string.ascii_lowercase + string.digits
UPPER36 = string.ascii_uppercase + string.digits
URL64 = BASE62 + "-_"
BASE32 = string.ascii_uppercase + "234567"
HEX = "0123456789abcdef"
UNMISTAKABLE = "abcdefghjkmnpqrstuvwxyzACDEFGHJKLMNPQRTUVWXY34679"
SIGNS = "!@#$%^&*()-_=+[]{};:,.<>/?~|"
KIND_SIGNS = "!@#$%&*-_+?."
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnprstvwxz"
_LEET = str.maketrans({"a": "4", "e": "3", "i": "1", "o": "0", "s": "$", "t": "7"})
_MARKS = "!#?.*@"
_MARK_OR_NONE: Sequence[str] = ("", *_MARKS)
_FEW_SIGNS = "!?*-_."
_ODD_LENGTHS = (10, 12, 16, 20, 24, 28, 36, 44, 48)
"""Lengths of hex values; at the lengths of digests a check reports them."""

Words = Sequence[str]
Maker = Callable[[random.Random, Words], str]


@dataclass(frozen=True, slots=True)
class Family:
    """One way to generate secrets.

    Attributes:
        make: returns a value, for a random generator and words to choose from.
        typed: True if people choose such values, as passwords; otherwise programs generate them.
        held_out: True if it is reserved for evaluation.
    """

    make: Maker
    typed: bool = False
    held_out: bool = False


def _random_maker(alphabet: str, shortest: int, longest: int) -> Maker:
    return lambda rng, words: "".join(rng.choices(alphabet, k=rng.randint(shortest, longest)))


def _base64_maker(alphabet: str, smallest: int, largest: int) -> Maker:
    """Return a maker of random bytes as base64, with padding where required."""

    def make(rng: random.Random, words: Words) -> str:
        encode = base64.urlsafe_b64encode if alphabet == URL64 else base64.b64encode
        text = encode(rng.randbytes(rng.randint(smallest, largest))).decode()
        return text.rstrip("=") if alphabet == URL64 else text

    return make


def _grouped_token(alphabet: str, size: int, groups: int, mark: str) -> Maker:
    return lambda rng, words: mark.join("".join(rng.choices(alphabet, k=size)) for _ in range(groups))


def _word(rng: random.Random, words: Words) -> str:
    return rng.choice(words)


def _number(rng: random.Random) -> str:
    """Return a number as people append it to a word: a year, a few digits, one digit."""
    return str(
        rng.choice([rng.randint(1955, 2026), rng.randint(10, 99), rng.randint(100, 9999), rng.randint(1, 9)])
    )


def _mixed_value(rng: random.Random, size: int, signs: str) -> str:
    """Return a value with at least one of each kind of character, in any order."""
    kinds = [string.ascii_lowercase, string.ascii_uppercase, string.digits, signs]
    drawn = [rng.choice(kind) for kind in kinds]
    drawn += rng.choices(BASE62 + signs, k=size - len(drawn))
    rng.shuffle(drawn)
    return "".join(drawn)


def _short_password(rng: random.Random, words: Words) -> str:
    return _mixed_value(rng, rng.randint(7, 16), _FEW_SIGNS)


def _syllables(rng: random.Random, count: int) -> str:
    return "".join(rng.choice(_CONSONANTS) + rng.choice(_VOWELS) for _ in range(count))


def _uuid(rng: random.Random, words: Words) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _dotted_value(rng: random.Random, words: Words) -> str:
    return ".".join("".join(rng.choices(URL64, k=rng.randint(6, 27))) for _ in range(rng.randint(2, 3)))


def _vendor(rng: random.Random, words: Words) -> str:
    prefix = _word(rng, words).lower()[: rng.randint(2, 5)]
    stage = rng.choice(["_", "-", "_live_", "_pat_", "-prod-", "_key_"])
    return prefix + stage + "".join(rng.choices(rng.choice([BASE62, HEX, LOWER36]), k=rng.randint(12, 40)))


def _pair(rng: random.Random, words: Words) -> str:
    first = rng.choice([_word(rng, words).lower(), "".join(rng.choices(LOWER36, k=8))])
    return first + ":" + "".join(rng.choices(BASE62, k=rng.randint(12, 32)))


def _pem_line(rng: random.Random, words: Words) -> str:
    start = rng.choice(["MIIEvQIBADANBgkqhkiG9w0B", "MIIEowIBAAKCAQEA", "MHcCAQEEI", "b3BlbnNzaC1rZXktdjEA"])
    return start + base64.b64encode(rng.randbytes(rng.choice([30, 48, 60]))).decode().rstrip("=")


def _word_and_number(rng: random.Random, words: Words) -> str:
    word = _word(rng, words)
    return rng.choice([word.lower(), word.capitalize()]) + rng.choice(["", "", ".", "_", "-"]) + _number(rng)


def _word_number_mark(rng: random.Random, words: Words) -> str:
    return _word(rng, words).capitalize() + _number(rng) + rng.choice(_MARKS) * rng.randint(1, 2)


def _mark_within(rng: random.Random, words: Words) -> str:
    return _word(rng, words).capitalize() + rng.choice(_MARKS) + _number(rng)


def _two_words(rng: random.Random, words: Words) -> str:
    item, other = (_word(rng, words) for _ in range(2))
    return item.capitalize() + rng.choice(["", "-", "_", "&"]) + other.capitalize() + _number(rng)


def _place_and_year_password(rng: random.Random, words: Words) -> str:
    season = rng.choice(["Winter", "Spring", "Summer", "Autumn", "January", "March", "October", "Monday"])
    return season + rng.choice(["", "-", "@", "_"]) + str(rng.randint(2012, 2027)) + rng.choice(_MARK_OR_NONE)


def _system_password(rng: random.Random, words: Words) -> str:
    stage = rng.choice(["prod", "live", "db", "svc", "app", "srv", "root", "admin"])
    pieces = [_word(rng, words).lower(), stage, _number(rng)]
    rng.shuffle(pieces)
    return rng.choice(["-", "_", ".", "@"]).join(pieces) + rng.choice(["", "!", "#"])


def _misspelt(rng: random.Random, words: Words) -> str:
    word = _word(rng, words).capitalize()
    return word.translate(_LEET) + rng.choice(["", "!", _number(rng)])


def _name_and_birthday(rng: random.Random, words: Words) -> str:
    return _word(rng, words).lower() + f"{rng.randint(1, 28):02}{rng.randint(1, 12):02}" + rng.choice(
        ["", str(rng.randint(60, 99))]
    )  # fmt: skip


def _initials(rng: random.Random, words: Words) -> str:
    """Return the first letters of a sentence, with a number and a mark."""
    letters = "".join(
        rng.choice([_word(rng, words)[0].lower(), _word(rng, words)[0].upper()]) for _ in range(7)
    )
    at = rng.randint(2, 6)
    return letters[:at] + _number(rng)[-2:] + letters[at:] + rng.choice(_MARK_OR_NONE)


def _phrase(rng: random.Random, words: Words) -> str:
    chosen = [_word(rng, words).lower() for _ in range(rng.randint(3, 5))]
    chosen[rng.randrange(len(chosen))] = chosen[0].capitalize() + str(rng.randint(1, 99))
    return rng.choice(["-", " ", ".", "_"]).join(chosen)


def _pronounceable_value(rng: random.Random, words: Words) -> str:
    """Return a pronounceable value, as password generators make it."""
    text = _syllables(rng, rng.randint(3, 5))
    at = rng.randrange(len(text))
    return text[:at] + text[at].upper() + text[at + 1 :] + str(rng.randint(1, 99))


def _keychain_password(rng: random.Random, words: Words) -> str:
    """Return three pronounceable groups of six characters with one capital and one digit."""
    text = [*"-".join((_syllables(rng, 3)) for _ in range(3))]
    letters = [at for at, char in enumerate(text) if char != "-"]
    capital, digit = rng.sample(letters, 2)
    text[capital], text[digit] = text[capital].upper(), rng.choice(string.digits)
    return "".join(text)


def _seed_phrase(rng: random.Random, words: Words) -> str:
    return rng.choice([" ", "-"]).join(_word(rng, words).lower() for _ in range(rng.choice([4, 6, 12])))


FAMILIES: Mapping[str, Family] = {
    "hex, odd length": Family(lambda r, w: "".join(r.choices(HEX, k=r.choice(_ODD_LENGTHS)))),
    "base62, short": Family(_random_maker(BASE62, 10, 19)),
    "lower36": Family(_random_maker(LOWER36, 10, 32)),
    "base64": Family(_base64_maker(BASE62, 9, 40)),
    "base32": Family(_random_maker(BASE32, 16, 32)),
    "uuid": Family(_uuid),
    "vendor prefix": Family(_vendor),
    "mixed, 8 to 12": Family(lambda r, w: _mixed_value(r, r.randint(8, 12), KIND_SIGNS), typed=True),
    "mixed, any sign": Family(lambda r, w: _mixed_value(r, r.randint(10, 24), SIGNS), typed=True),
    "unmistakable": Family(_random_maker(UNMISTAKABLE, 8, 16), typed=True),
    "word, number": Family(_word_and_number, typed=True),
    "word, number, mark": Family(_word_number_mark, typed=True),
    "two words": Family(_two_words, typed=True),
    "season and year": Family(_place_and_year_password, typed=True),
    "phrase with a number": Family(_phrase, typed=True),
    "spoken": Family(_pronounceable_value, typed=True),
    "dotted": Family(_dotted_value),
    "hex, upper": Family(lambda r, w: "".join(r.choices(HEX.upper(), k=r.randint(10, 60)))),
    "base64, for urls": Family(_base64_maker(URL64, 9, 40), held_out=True),
    "upper36": Family(_random_maker(UPPER36, 10, 30), held_out=True),
    "licence key": Family(_grouped_token(UPPER36, 5, 5, "-"), held_out=True),
    "id and secret": Family(_pair, held_out=True),
    "letters": Family(_random_maker(string.ascii_letters, 10, 30), held_out=True),
    "grouped hex": Family(_grouped_token(HEX, 4, 6, "-"), held_out=True),
    "pem line": Family(_pem_line, held_out=True),
    "with slashes": Family(_random_maker(BASE62 + "+//", 16, 40), held_out=True),
    "system and stage": Family(_system_password, typed=True, held_out=True),
    "misspelt word": Family(_misspelt, typed=True, held_out=True),
    "name and birthday": Family(_name_and_birthday, typed=True, held_out=True),
    "initials": Family(_initials, typed=True, held_out=True),
    "mark within": Family(_mark_within, typed=True, held_out=True),
    "keychain": Family(_keychain_password, typed=True, held_out=True),
    "letters and signs": Family(_short_password, typed=True, held_out=True),
    "seed phrase": Family(_seed_phrase, typed=True, held_out=True),
}  # fmt: skip
