"""Values that were generated at random, as keys and tokens are."""

from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround_secrets.detection import value_filters

_SHAPE = LazyPattern(r"[A-Za-z0-9_+/=.~!@#$%^&*():?|-]{16,400}")
_NO_SECRET = LazyPattern(
    r"[\w+.-]+://|/[a-z]|\./|~/|\w+@\w+\.|arn:|sha\d+[-:]|ssh-|[a-z_]+(?:\.[a-z_]+)+$"
    r"|\d{4}-\d\d-\d\d|v?\d+\.\d+"
    r"|[A-Z0-9_]+$|projects/|secretsmanager:|vault:|ref:|op:|\w+\(|\d+$|[a-z]+(?:[-_][a-z]+)+$"
    r"|[A-Z][a-z]+(?:[A-Z][a-z]+)+$|data:"
    r"|\$[\w-]{1,16}\$|(?:pbkdf2|bcrypt|s?crypt|argon2|md5|sha\d)\w{0,12}\$|\d+\.v[0-9a-f]"
    r"|--|#|AQICAH|Ag[A-D][A-Za-z0-9+/=]{120}|vault:v\d|ENC\[|pk_|pub|phc_|whsec_test|sk_test|rk_test|pk\.|eyJ"
)
_HASH_LENGTHS = (32, 40, 56, 64, 96, 128)
_LEAST = ((64, 4.0), (32, 3.6), (20, 3.4), (16, 3.2))
_LEAST_OF_HEX = 3.0
_FEWEST_DIGITS = 2
_LONG = 24


def is_random(value: str) -> bool:
    """Return True if a value was generated at random, as keys and tokens are."""
    if not _SHAPE.fullmatch(value) or _NO_SECRET.match(value) or _is_excluded(value):
        return False
    if value_filters.is_hex(value):
        return len(value) in _HASH_LENGTHS and value_filters.entropy(value) >= _LEAST_OF_HEX
    least = next(bits for length, bits in _LEAST if len(value) >= length)
    return _is_varied(value) and value_filters.entropy(value) >= least


def _is_excluded(value: str) -> bool:
    return (
        value_filters.is_uuid(value)
        or value_filters.is_template(value)
        or value_filters.is_placeholder(value)
        or value_filters.is_wordy(value)
    )


def _is_varied(value: str) -> bool:
    """Return True if a value mixes letters with digits or capitals as random values do."""
    digits = sum(char.isdigit() for char in value)
    if value == value.lower() or value == value.upper():
        return digits >= _FEWEST_DIGITS and any(char.isalpha() for char in value)
    return digits > 0 or len(value) >= _LONG
