"""JSON as the tools of the web write their configuration: with comments and trailing commas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

_STRING = r'("(?:\\.|[^"\\\n])*")'
_COMMENT = _STRING + r"|//[^\n]*|/\*[\s\S]*?\*/"
_LAST_COMMA = _STRING + r"|,(?=\s*[}\]])"


def loads(text: str) -> Mapping[str, Any] | None:
    """The object a configuration file holds; None if it holds none, about which its tool will complain."""
    try:
        plain = re.sub(_COMMENT, _kept, text.removeprefix("\ufeff"))
        found = msgspec.json.decode(re.sub(_LAST_COMMA, _kept, plain))
    except (msgspec.DecodeError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _kept(piece: re.Match[str]) -> str:
    """A string stays as it is; all else that was found goes."""
    return piece[1] or ""
