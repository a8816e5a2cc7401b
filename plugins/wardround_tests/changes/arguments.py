"""Strings that affect behaviour: the arguments of calls, and the results of functions."""

from __future__ import annotations

from wardround.lazy import LazyPattern

_WINDOW = 200
"""Number of characters before a string in which its call begins."""
_PROSE = LazyPattern(r"[^\W\d_]{2,}[,;:.!?]?\s+[^\W\d_]")
"""Two words: a string for people."""
# Each choice starts with a quote, by which the engine finds it: a prefix in front would be tried everywhere.
STRING = LazyPattern(
    r"\"(?<!\\.)(?:\"\"[\s\S]*?\"{3}|(?:[^\"\\\n]|\\.)*\")|'(?<!\\.)(?:''[\s\S]*?'{3}|(?:[^'\\\n]|\\.)*')"
    r"|`(?<!\\.)(?:[^`\\]|\\.)*`"
)
_CALLED = LazyPattern(r"([A-Za-z_$][\w$.]*)\s*(?:<[\w, ]*>)?$")
_NO_CALL = frozenset(
    {
        "and", "assert", "async", "await", "case", "catch", "elif", "else", "for", "from", "if", "import",
        "in", "is", "lambda", "not", "of", "or", "raise", "return", "switch", "throw", "typeof", "while",
        "with", "yield",
    }
)  # fmt: skip
_RETURNED = LazyPattern(r"\b(?:return|yield)\s*$")
_FOR_PEOPLE = LazyPattern(
    r"(?i)(?:error|exception|warning|warn|fail|abort|log|debug|info|print|echo|toast|alert|notify|message|gettext"
    r"|translate|describe)$|(?:^|\.)(?:_|t|tr|log\w*|console|logging|logger|warnings|i18n)(?:\.\w+)*$"
)
"""Functions that show or log their texts."""
_SHOWN = LazyPattern(
    r"(?i)(?:^|[\s,({])[\"']?(?:\w*help(?:_text)?|\w*description|\w*title|\w*label|\w*message|msg|reason|detail|placeholder"
    r"|doc|docs|summary|verbose_name(?:_plural)?|alt|caption|tooltip|class(?:Name)?|style|prefix|suffix)[\"']?\s*[:=]\s*$"
)
"""Names of arguments whose strings are displayed."""


def is_decisive(source: str, start: int, text: str, *, has_keywords: bool) -> bool:
    """Return True for a text that is returned, or an argument of a call, and is not for people.

    Args:
        start: position of the text in the source.
        has_keywords: ``name="text"`` is an argument, as in Python, and not an attribute of markup.
    """
    if not text.strip("\"'`") or _PROSE.search(text):
        return False
    before = source[max(start - _WINDOW, 0) : start]
    if _RETURNED.search(before):
        return True
    is_named = before.rstrip().endswith("=")
    if _SHOWN.search(before) or (is_named and not has_keywords) or before.rstrip().endswith("=>"):
        return False
    called = _enclosing_call(before)
    return bool(called) and called not in _NO_CALL and not _FOR_PEOPLE.search(called)


def _enclosing_call(before: str) -> str:
    """Return the name of the call whose arguments a string ends in; empty outside of a call."""
    plain = STRING.sub(lambda match: "_" * len(match[0]), before)
    depth = 0
    for at in range(len(plain) - 1, -1, -1):
        if plain[at] in ")]}":
            depth += 1
        elif plain[at] in "([{":
            depth -= 1
            if depth < 0 and plain[at] == "(":
                found = _CALLED.search(plain[:at])
                return found[1] if found and not _is_definition(plain[: found.start()]) else ""
            depth = max(depth, 0)
        elif plain[at] == ";" and depth == 0:
            return ""
    return ""


def _is_definition(before: str) -> bool:
    return before.rstrip().endswith(("def", "function", "class"))
