"""Text of XML 1.0."""

from __future__ import annotations

from xml.sax.saxutils import escape

from wardround.lazy import LazyPattern
from wardround.text.escaping import one_line

_ALLOWED = LazyPattern("[\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCES = {'"': "&quot;", "#": "&#35;"}
"""A CI runner finds no ``##[command]`` without the sign."""


def xml_text(text: str) -> str:
    """Return text for an element or a double-quoted attribute.

    A character that XML forbids, and an undecodable byte of a path, is escaped as ``one_line`` escapes it.
    One that is allowed and cannot be printed is a character reference: a reader gets it, a terminal does not.
    """
    quoted = escape(text, _REFERENCES)
    return quoted if quoted.isprintable() else "".join(map(_character, quoted))


def _character(char: str) -> str:
    if char.isprintable():
        return char
    return f"&#{ord(char)};" if _ALLOWED.fullmatch(char) else one_line(char)
