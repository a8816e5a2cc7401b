"""Constants that switch added code off."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wardround.analyses.criterion.added_code import AddedCode, Language
from wardround.lazy import LazyPattern

_OFF = LazyPattern(
    r"\s*(?:export\s+)?(?:const\s+([A-Za-z_$][\w$]*)|([A-Z][A-Z0-9_]*))\s*(?::\s*\w+)?\s*=\s*[Ff]alse\s*;?\s*$"
)
_SWITCH = LazyPattern(r"enabled?|feature|flag|switch|active|^(?:use|show|allow)_?", re.IGNORECASE)


def switched_off(codes: Iterable[AddedCode]) -> frozenset[str]:
    """Return the names of added constants that are false and by their name a switch of a feature."""
    lines = (
        line for code in codes if code.language in (Language.PYTHON, Language.SCRIPT) for line in code.lines
    )
    found = (match[1] or match[2] for line in lines if (match := _OFF.match(line.original)))
    return frozenset(name for name in found if _SWITCH.search(name))


def reads_switch(code: AddedCode, switches: frozenset[str]) -> bool:
    """Return True if a line of the file uses one of the switches apart from its definition."""
    return any(
        not _OFF.match(line.original) and switches & set(re.findall(r"[A-Za-z_$][\w$]*", line.original))
        for line in code.effective
    )
