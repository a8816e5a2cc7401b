"""JSON as the tools of the web write their configuration: with comments and trailing commas."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_PIECES = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*[\s\S]*?\*/|,(?=\s*[}\]])')


def loads(text: str) -> Mapping[str, Any] | None:
    """The object a configuration file holds; None if it holds none, about which its tool will complain."""
    try:
        found = json.loads(_PIECES.sub(lambda piece: piece[1] or "", text.removeprefix("\ufeff")))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
