"""Cheap tests by which checks are chosen before they are imported."""

from __future__ import annotations

import re

from wardround.checks.registry import BeforeAfter

_DEFINED = re.compile(
    r"(?:\b(?:def|class|function\*?|interface|type|const|let|var|enum|get|set|async|static|readonly|public"
    r"|private|protected)\s+|^\s*)(?:['\"#]?)([^\W\d]\w*)['\"]?\s*\??\s*[=:(<,]|\bclass\s+(\w+)",
    re.MULTILINE,
)


def removes_a_name(file: BeforeAfter) -> bool:
    """Return True if a file loses a line that seems to define a name which no line of the new text does."""
    base, text = file.base_text, file.text
    if base is None or text is None or base == text:
        return False
    head = set(text.split("\n"))
    lost = _defined("\n".join(line for line in base.split("\n") if line not in head))
    return bool(lost) and not lost <= _defined(text)


def _defined(text: str) -> set[str]:
    return {match[1] or match[2] for match in _DEFINED.finditer(text)}
