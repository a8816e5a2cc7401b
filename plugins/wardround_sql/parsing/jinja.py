"""SQL with holes: dbt's Jinja and the placeholders of drivers, replaced in place.

Every hole is replaced by a valid token of the same length and with the same line ends, so that all other
characters keep their positions.
"""

from __future__ import annotations

import re

from wardround.lazy import LazyPattern

_JINJA = LazyPattern(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)
_NAMED = LazyPattern(r"(?<![:\w])[:@][A-Za-z_]\w*+|%\([A-Za-z_]\w*\)s|%s")
_EXTENSION = LazyPattern(r"(?<![@\w])@[A-Za-z_]\w*(?::\w+)?@")
"""Names that CREATE EXTENSION replaces."""
_QUESTION = LazyPattern(r"\?")
_QUOTED = LazyPattern(
    r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*+'|\"(?:[^\"]|\"\")*+\"|"
    r"(\$(?:[A-Za-z_]\w*)?\$).*?\1",
    re.DOTALL,
)
_PIECE = LazyPattern(rf"{_JINJA.pattern}|{_QUOTED.pattern}", re.DOTALL)
"""Holes of a template, comments and strings, whichever begins first."""

_QUOTES_OF_VARIABLES = ("'", '"')


def is_template(text: str) -> bool:
    """Return True if a file is SQL with Jinja; Jinja only in comments and strings does not count."""
    if not any(sign in text for sign in ("{{", "{%", "{#")):
        return False
    return any(piece[0].startswith("{") for piece in _PIECE.finditer(text))


def replace_jinja(text: str) -> str:
    """Replace expressions by names, and statements and comments by blanks."""
    return _JINJA.sub(lambda result: _fill_hole(result.group()), text)


def _fill_hole(hole: str) -> str:
    if not hole.startswith("{{") or len(hole) < 4 or "config(" in hole:
        return _blank(hole)
    head, *rest = hole.split("\n")
    name = "j" + "x" * (len(head) - 1)
    return "\n".join([name, *map(_blank, rest)])


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def pad_placeholders(text: str) -> str:
    """Replace ``%s``, ``%(name)s``, ``:name``, ``@name`` and ``?`` outside quotes by padded ``$1``.

    The names of an extension's script, such as ``@extschema@``, become identifiers; the variables of psql
    ``:'name'`` and ``:"name"`` become a string and an identifier.
    """
    if not any(sign in text for sign in ("%", ":", "@", "?")):
        return text
    out, offset = [], 0
    for quoted in _QUOTED.finditer(text):
        before = text[offset : quoted.start()]
        if quoted[0].startswith(_QUOTES_OF_VARIABLES) and before.endswith(":") and not before.endswith("::"):
            before = f"{before[:-1]} "
        out += [_replace_placeholders(before), quoted[0]]
        offset = quoted.end()
    return "".join([*out, _replace_placeholders(text[offset:])])


def strip_quoted(text: str) -> str:
    """Remove comments and quoted text."""
    return _QUOTED.sub(" ", text)


def _replace_placeholders(text: str) -> str:
    text = _EXTENSION.sub(lambda result: "x" * len(result.group()), text)
    text = _NAMED.sub(lambda result: "$1".ljust(len(result.group())), text)
    return _QUESTION.sub("0", text) if "?" in text else text
