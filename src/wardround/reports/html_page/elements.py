"""Elements of HTML whose texts and attributes are escaped: what a change contains is only text."""

from __future__ import annotations

import html

from wardround.text.escaping import one_line

_EMPTY = frozenset({"br", "input", "meta"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def element(name: str, /, *children: str | Markup, **attributes: str | int | bool) -> Markup:
    """Return an element.

    Args:
        attributes: a trailing underscore is dropped and others become hyphens; True has no value,
            and False is left out.
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in _EMPTY:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{join(*children)}</{name}>")


def join(*children: str | Markup) -> Markup:
    """Return elements and texts after one another."""
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children))


def escape(text: str) -> str:
    """Return text for an element or an attribute; what cannot be printed is shown escaped."""
    return html.escape(one_line(text))


def code_text(text: str) -> Markup:
    """Return a line of code, whose tabs remain."""
    return Markup("\t".join(map(escape, text.split("\t"))))


def _attribute(key: str, value: str | int | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    if isinstance(value, bool):
        return f" {name}" if value else ""
    return f' {name}="{escape(str(value))}"'
