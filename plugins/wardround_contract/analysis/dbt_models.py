"""The columns of a model of dbt, and the places of another model that read them."""

from __future__ import annotations

import re

from wardround.checks.lazy import LazyPattern

_FINAL = LazyPattern(r"(?is)\bselect\s+\*\s+from\s+(\w+)\s*;?\s*\Z")
_LAST_SELECT = LazyPattern(r"(?im)^select\b")
_STAR = LazyPattern(r"(?i)\bselect\s+(?:distinct\s+)?\*|[\w}]\.\*|,\s*\*|dbt_utils\.star|\bpivot")
_ALIAS = LazyPattern(
    r"(?im)\bas\s+[\"`]?(\w+)[\"`]?[ \t]*,?[ \t]*(?:--.*)?$|^[ \t]*(?:\w+\.)?(\w+)[ \t]*,?[ \t]*(?:--.*)?$"
)
_BRACKET = LazyPattern(r"--[^\n]*|\{#.*?#\}|'[^'\n]*'|[()]")
_CLAUSES = frozenset({"where", "left", "inner", "join", "group", "full", "cross", "on", "order", "limit"})
_KEYWORDS = frozenset(
    {"select", "from", "where", "final", "with", "renamed", "source", "distinct", "end", "case"}
)


def output_columns(text: str) -> dict[str, int] | None:
    """Return the columns of a model with their lines; None where some are not visible."""
    final = _FINAL.search(text)
    if final is not None:
        opening = re.search(rf"(?i)\b{final[1]}\s+as\s*\(", text)
        start = opening.end() if opening is not None else 0
        part = text[start : _closing(text, start)] if opening is not None else "*,*"
    else:
        starts = [match.start() for match in _LAST_SELECT.finditer(text)]
        start = starts[-1] if starts else 0
        part = text[start:]
    listed = re.split(r"(?im)^\s*from\b", part, maxsplit=1)[0]
    if _STAR.search(listed):
        return None
    found = {}
    for match in _ALIAS.finditer(listed):
        name = match[1] or match[2]
        if name.lower() not in _KEYWORDS:
            at = start + (match.start(1) if match[1] else match.start(2))
            found[name.lower()] = text.count("\n", 0, at) + 1
    return found


def _closing(text: str, start: int) -> int:
    """Return the offset of the bracket that closes the one before an offset; comments have none."""
    depth = 1
    for match in _BRACKET.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return len(text)


def column_use(text: str, model: str, column: str) -> int | None:
    """Return the offset at which a model reads a column of another, qualified or of its only relation."""
    reference = rf"\{{\{{\s*ref\(\s*['\"]{re.escape(model)}['\"]\s*\)\s*\}}\}}"
    aliases = set(re.findall(rf"(?is)\b(\w+)\s+as\s*\(\s*select\s+\*\s+from\s+{reference}\s*\)", text))
    aliases |= {
        one for one in re.findall(rf"{reference}\s+(?:as\s+)?(\w+)", text) if one.lower() not in _CLAUSES
    }
    name = re.escape(column)
    for alias in sorted(aliases):
        qualified = re.search(rf"(?i)(?<![\w.]){alias}\.{name}(?!\w)", text)
        if qualified is not None:
            return qualified.start()
    relations = "|".join([reference, *(rf"{alias}\b" for alias in sorted(aliases))])
    inner = r"\bselect\b((?:(?!\bselect\b).)*?)\bfrom\s+"
    is_only = r"(?!\s+(?:\w+\s+)?(?:left|inner|full|cross|join))"
    for match in re.finditer(rf"(?is){inner}(?:{relations}){is_only}", text):
        found = re.search(rf"(?i)(?<![\w.']){name}(?!\w)", match[1])
        if found is not None and not re.search(rf"(?i)\bas\s+{name}\b", match[1]):
            return match.start(1) + found.start()
    return None
