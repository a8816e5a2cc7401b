"""The tags and attributes of an HTML template, with the template code in them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from wardround.lazy import LazyPattern

_CODE = r"\{\{(?:[^}]|\}(?!\}))*+\}\}|\{%(?:[^%]|%(?!\}))*+%\}|\{#(?:[^#]|#(?!\}))*+#\}"
_TOKEN = LazyPattern(
    rf"(?s)(?P<code>{_CODE})|(?P<comment><!--)|(?P<close></(?P<closed>[A-Za-z][\w:-]*))|<(?P<opened>[A-Za-z][\w:-]*)"
)
_IN_TAG = LazyPattern(
    rf"(?s)(?P<end>/?>)|(?P<code>{_CODE})|(?P<name>[^\s=<>\"'/{{]+)(?:\s{{0,50}}(?P<equals>=)\s{{0,50}})?|(?P<other>.)"
)
_VALUE = LazyPattern(
    rf"(?s)\"(?P<double>(?:{_CODE}|[^\"])*+)\"|'(?P<single>(?:{_CODE}|[^'])*+)'|(?P<bare>(?:{_CODE}|(?!\{{[{{%#])[^\s\"'<>`])++)"
)
_RAW = ("script", "style", "textarea", "title")
"""Elements whose content is text, not tags."""


class Attribute(msgspec.Struct, frozen=True):
    """An attribute of a tag: its value verbatim, without quotes, and the offsets of the attribute.

    Attributes:
        is_quoted: True if the value has quotes.
    """

    name: str
    value: str
    start: int
    end: int
    is_quoted: bool


class MarkupTag(msgspec.Struct, frozen=True):
    """An opening tag: its name in lower case, its attributes, and its offsets."""

    name: str
    attributes: tuple[Attribute, ...]
    start: int
    end: int

    def value(self, name: str) -> str | None:
        """Return the value of an attribute, by its lower-case name; None if the tag lacks it."""
        return next(
            (attribute.value for attribute in self.attributes if attribute.name.lower() == name), None
        )


def tags(text: str) -> Iterator[MarkupTag]:
    """Yield the opening tags of a template, in order."""
    position = 0
    while (match := _TOKEN.search(text, position)) is not None:
        position = match.end()
        if match["comment"]:
            end = text.find("-->", position)
            position = len(text) if end < 0 else end
        elif match["opened"]:
            tag = _tag(text, match["opened"].lower(), match.start(), position)
            yield tag
            position = tag.end
            if tag.name in _RAW:
                end = text.lower().find(f"</{tag.name}", position)
                position = len(text) if end < 0 else end


def _tag(text: str, name: str, start: int, position: int) -> MarkupTag:
    results: list[Attribute] = []
    while (match := _IN_TAG.match(text, position)) is not None:
        position = match.end()
        if match["end"]:
            break
        if match["equals"] and (value := _VALUE.match(text, position)) is not None:
            position = value.end()
            written = value[value.lastgroup or 0]
            results.append(
                Attribute(match["name"], written, match.start(), position, value.lastgroup != "bare")
            )
        elif match["name"]:
            results.append(Attribute(match["name"], "", match.start(), position, is_quoted=True))
    return MarkupTag(name, tuple(results), start, position)
