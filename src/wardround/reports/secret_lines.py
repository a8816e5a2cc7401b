"""Lines of source that hold a secret, without its value."""

from __future__ import annotations

from collections.abc import Sequence

from wardround.lazy import LazyPattern

_BEFORE_STRING = LazyPattern(
    r"""(\s*(?:-\s+)?(?:(?:export|const|let|var|val|final|static|private|public|readonly|return|await|def|set)\s+)*"""
    r"""(?:[A-Za-z_][\w.]{0,60}(?:\s*:\s*[A-Za-z_.\[\]| ]{1,40})?\s*(?::=|=>|[=(:+]{1,2})\s*)?"""
    r"""(?:[A-Za-z_.]{1,60}\s*[=(:]\s*)?[\s(\[{]*[A-Za-z]{0,2}(?:"{3}|'{3}|["'`]))(.*)"""
)
"""The text before a string that may be shown: names and operators, no bare value."""
_VALUE_LIKE = LazyPattern(r"(?=[A-Za-z_.]*\d)[\w.]{16,}")
_PYTHON = (".py", ".pyi", ".pyw")
_REFERENCE = LazyPattern(r"\$\{\{[^{}]*\}\}|\$\{[A-Za-z_]\w*\}|\$[A-Za-z_]\w*")
"""A variable of a shell, a Dockerfile or a workflow, without a default."""
_NAME_WITHOUT_VALUE = LazyPattern(
    r"\s*(?:(?:ARG|ENV)\s+[A-Z][A-Z0-9_]*\s*=?|(?:export\s+|-\s+)?[A-Za-z_]\w*\s*[=:])\s*"
)
_NO_SECRET = LazyPattern(
    r"""(?<=environ\[)(["'])\w+\1|(?<=getenv\()(["'])\w+\2|(?<=environ\.get\()(["'])\w+\3"""
    r"""|(["'])[a-z_]+\4(?=\s*:)|(["'])(?:none|[HREP]S\d{3})\5"""
)
"""Strings of Python that name something: a variable of the environment, a key, an algorithm."""
_QUOTE_OR_COMMENT = LazyPattern(r"[\"'#]")
_HIDDEN = 8
"""Characters that must follow the start of a string before two of them may be shown."""


def mask_line(line: str, *, inside: bool = False) -> str:
    """Return a line with a secret, reduced to the text before the first string and a hint of two characters.

    Args:
        inside: the line begins inside a string, so that none of it may be shown.
    """
    match = None if inside else _BEFORE_STRING.match(line)
    if match is None or _VALUE_LIKE.search(match[1]):
        return f"{line[: len(line) - len(line.lstrip())]}***"
    hint = match[2][:2] if len(match[2]) > _HIDDEN else ""
    return f"{match[1]}{hint}***"


def contains_no_value(line: str, path: str) -> bool:
    """Return True if a line cannot contain a secret: it has names, and no value except by reference."""
    rest = _REFERENCE.sub("", line)
    if not path.endswith(_PYTHON):
        return _NAME_WITHOUT_VALUE.fullmatch(rest) is not None
    rest = _NO_SECRET.sub("", rest)
    return not _QUOTE_OR_COMMENT.search(rest) and not _VALUE_LIKE.search(rest)


def opens_inside_string(source: Sequence[str], number: int) -> bool:
    """Return True if a string of several lines is open where a line begins."""
    before = "\n".join(source[: number - 1])
    return any(before.count(quotes) % 2 for quotes in ('"""', "'''"))
