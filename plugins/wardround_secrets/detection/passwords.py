"""Names that denote a password, and values that a person chose as one."""

from __future__ import annotations

from wardround.lazy import LazyPattern
from wardround_secrets.detection import value_filters

_PASSWORD = LazyPattern(
    r"(?i:pass(?:w(?:or)?d|phrase|wd)s?(?:[_-]?(?:prod(?:uction)?|live|staging|default|value|\d+))*$|pwd$)"
    r"|(?:(?<![a-z])pass|[a-z]Pass|(?<![A-Za-z])PASS|(?<![a-z])pw|(?<![A-Za-z])PW|pepper|PEPPER)$"
    r"|(?i:(?:jwt|session|cookies?|client|app|webhook|signing|auth|shared|hmac|encryption|oauth|token|api|admin|refresh)"
    r"[_-]?secret(?:[_-]?(?:key|prod|live|value|\d+))?s?$|(?:jwt|signing|encryption|hmac|master|cookies?)[_-]?keys?$"
    r"|(?<![a-z])secret_?key(?:_base)?$)"
)
_SHAPE = LazyPattern(r"(?=.*[A-Za-z])(?:(?=.*\d)|(?=.*[a-z])(?=.*[A-Z])(?=.*[^A-Za-z0-9]))[!-~]{7,40}")
_NO_PASSWORD = LazyPattern(
    r"[\w+.-]+://|\.?/|\w+@\w+\.|\w+\(|[A-Z0-9_]+$|[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+$|[\d.,:/-]+$"
    r"|\d{4}-\d\d|sha\d"
    r"|[A-Za-z]+(?:[-_][A-Za-z]+){1,3}$|\$\d|pbkdf|argon|scrypt|ENC|\{|--|#|[a-z]+(?:[-_][a-z]+)+\d?$|[a-z]+[A-Z]\w*\d?$|rgba?\(|v\d"
)


def denotes_password(name: str) -> bool:
    """Return True if a name denotes a password."""
    return _PASSWORD.search(name) is not None


def is_password(value: str) -> bool:
    """Return True if a value resembles a password that a person chose to protect something."""
    return (
        _SHAPE.fullmatch(value) is not None
        and _NO_PASSWORD.match(value) is None
        and not value_filters.is_template(value)
        and not value_filters.is_placeholder(value)
        and not value_filters.has_stop_word(value)
        and not value_filters.is_uuid(value)
        and not (value_filters.is_wordy(value) and not any(char.isdigit() for char in value))
    )
