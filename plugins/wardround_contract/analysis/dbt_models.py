"""The columns of a dbt model, and the positions in other models that read them."""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

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
    section = _last_query(text)
    if section is None:
        return None
    start, end = section
    select_list = re.split(r"(?im)^\s*from\b", text[start:end], maxsplit=1)[0]
    if _STAR.search(select_list):
        return None
    columns = {}
    for match in _ALIAS.finditer(select_list):
        group = 1 if match[1] else 2
        name = match[group].lower()
        if name not in _KEYWORDS:
            columns[name] = text.count("\n", 0, start + match.start(group)) + 1
    return columns


def _last_query(text: str) -> tuple[int, int] | None:
    """Return start and end of the query whose columns a model has; None if it is not visible."""
    final = _FINAL.search(text)
    if final is None:
        starts = [match.start() for match in _LAST_SELECT.finditer(text)]
        return (starts[-1] if starts else 0), len(text)
    opening = re.search(rf"(?i)\b{final[1]}\s+as\s*\(", text)
    if opening is None:
        return None
    return opening.end(), _closing_bracket(text, opening.end())


def _closing_bracket(text: str, start: int) -> int:
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
        alias
        for alias in re.findall(rf"{reference}\s+(?:as\s+)?(\w+)", text)
        if alias.lower() not in _CLAUSES
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
