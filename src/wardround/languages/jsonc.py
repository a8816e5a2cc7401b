"""JSON with comments and trailing commas, as in the configuration files of web tools."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

_STRING = r'("(?:\\.|[^"\\\n])*")'
_COMMENT = _STRING + r"|//[^\n]*|/\*[\s\S]*?\*/"
_LAST_COMMA = _STRING + r"|,(?=\s*[}\]])"


def loads(text: str) -> Mapping[str, Any] | None:
    """Return the object in a configuration file; None if there is none, which its tool will report."""
    try:
        plain = re.sub(_COMMENT, _strip_comment, text.removeprefix("\ufeff"))
        found = msgspec.json.decode(re.sub(_LAST_COMMA, _strip_comment, plain))
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def has_content(text: str) -> bool:
    """Return True if a file has more than comments, as a configuration without settings."""
    return bool(re.sub(_COMMENT, _strip_comment, text.removeprefix("\ufeff")).strip())


def _strip_comment(piece: re.Match[str]) -> str:
    """Keep strings and remove all other matches."""
    return piece[1] or ""
