"""JSDoc and TSDoc comments as ``docdrift.model.Words``."""

from __future__ import annotations

import msgspec

from wardround.lazy import LazyPattern
from wardround.semantics.docdrift.model import DocComment, DocEntry, Style

_SIGNS = LazyPattern(r"^[ \t]*/\*\*+|^[ \t]*\*+(?!/)|\*+/[ \t]*$")
_TAG = LazyPattern(r"(?m)^[ \t]*@([A-Za-z]+)")
_NAME = LazyPattern(r"\s*(?P<optional>\[)?\s*(?:\.\.\.)?(?P<name>[A-Za-z_$][\w$]*(?:(?:\[\])?\.[\w$]+)*)")
_OPTIONAL = LazyPattern(r"\s*\[\s*(?P<name>[\w$.]+)\s*=\s*(?P<value>[^\]\n]*[^\]\s])\s*\]")
_FENCE = LazyPattern(r"```(?s:.*?)(?:```|\Z)")
_NOT_BLANK = LazyPattern(r"\S")
_PARAMETER_TAGS = frozenset({"param", "arg", "argument"})
_RESULT_TAGS = frozenset({"returns", "return"})
_ERROR_TAGS = frozenset({"throws", "exception"})
_BESIDE = frozenset(
    {
        "deprecated",
        "since",
        "version",
        "example",
        "see",
        "todo",
        "author",
        "license",
        "copyright",
        "changelog",
    }
)
"""Tags of descriptions of other versions and other code."""
_LONGEST_TYPE = 2_000


class JsdocTag(msgspec.Struct, frozen=True):
    """A block tag.

    Attributes:
        place: start of the tag's text, in the comment.
        end: end of the text of the tag.
    """

    name: str
    start: int
    place: int
    end: int


class Default(msgspec.Struct, frozen=True):
    """The documented default of a parameter and its position, counted from 0."""

    name: str
    value: str
    line: int
    column: int


def bare(comment: str, indent: int) -> str:
    """Return a comment without its asterisks; the text keeps its columns in the file.

    Args:
        comment: from ``/**`` to ``*/``.
        indent: number of characters before it on its first line.
    """
    lines = (" " * indent + comment).split("\n")
    return "\n".join(_SIGNS.sub(lambda sign: " " * len(sign[0]), line).rstrip() for line in lines)


def same(comment: str) -> str:
    """Normalize a comment so that formatting does not count in a comparison."""
    return "\n".join(line.strip() for line in bare(comment, 0).split("\n")).strip()


def tags_of(text: str) -> list[JsdocTag]:
    """Yield the block tags of a comment without stars, in order."""
    found = list(_TAG.finditer(text))
    ends = (*(match.start() for match in found[1:]), len(text))
    return [JsdocTag(tag[1], tag.start(), tag.end(), end) for tag, end in zip(found, ends, strict=False)]


def comment_of_jsdoc(text: str) -> DocComment:
    """Return the statements of a comment without stars."""
    tags = tags_of(text)
    spoken = text
    for tag in tags:
        if tag.name in _BESIDE:
            spoken = spoken[: tag.start] + _blank(text[tag.start : tag.end]) + spoken[tag.end :]
    spoken = _FENCE.sub(lambda fence: _blank(fence[0]), spoken)
    result = next((tag for tag in tags if tag.name in _RESULT_TAGS), None)
    return DocComment(
        text=spoken,
        parameters=_parameters(text, tags),
        raises=tuple(entry for tag in tags if tag.name in _ERROR_TAGS for entry in _error(text, tag)),
        returns=text[result.place : result.end].strip() if result else None,
        style=Style.JSDOC if tags else Style.PLAIN,
        told_history=spoken != text,
    )


def _blank(text: str) -> str:
    return _NOT_BLANK.sub(" ", text)


def _parameters(text: str, tags: list[JsdocTag]) -> tuple[DocEntry, ...]:
    """Return the documented parameters, each once."""
    found: dict[str, DocEntry] = {}
    for tag in tags:
        location = _skip_type(text, tag)
        name = _NAME.match(text, location, tag.end) if tag.name in _PARAMETER_TAGS else None
        if name is not None:
            line = text.count("\n", 0, name.start("name"))
            found.setdefault(name["name"], DocEntry(name["name"], text[name.end() : tag.end].strip(), line))
    return tuple(found.values())


def defaults_of(text: str) -> list[Default]:
    """Yield the defaults in the form ``[name=default]`` in a comment without stars."""
    found = []
    for tag in tags_of(text):
        name = _OPTIONAL.match(text, _skip_type(text, tag), tag.end) if tag.name in _PARAMETER_TAGS else None
        if name is not None:
            line = text.count("\n", 0, name.start())
            column = name.start("value") - text.rfind("\n", 0, name.start()) - 1
            found.append(Default(name["name"], name["value"], line, column))
    return found


def _error(text: str, tag: JsdocTag) -> list[DocEntry]:
    location = tag.place
    while text[location : location + 1] in (" ", "\t", "{"):
        location += 1
    name = _NAME.match(text, location, tag.end)
    if name is None or "{" not in text[tag.place : location]:
        return []
    return [DocEntry(name["name"], text[name.end() : tag.end], text.count("\n", 0, location))]


def _skip_type(text: str, tag: JsdocTag) -> int:
    """Return the position after the type in braces of a tag."""
    location = tag.place
    while text[location : location + 1] in (" ", "\t"):
        location += 1
    if text[location : location + 1] != "{":
        return location
    depth = 0
    for at in range(location, min(tag.end, location + _LONGEST_TYPE)):
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth == 0:
            return at + 1
    return tag.end
